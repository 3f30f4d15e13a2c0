//! How the system's allocator gives memory back.
//!
//! Both calls act on the whole process: they are for programs of our own (`apps/`), between pieces of
//! work, never for the library, whose host owns the allocator. Other allocators than that of GNU are
//! left alone.

/// Arrays of at least this size are mapped by themselves \[bytes\].
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: i32 = 1 << 20;

/// Lets large arrays go back to the system when they are freed: a setting for the start of a program.
///
/// The GNU allocator maps large arrays by themselves at first, but raises the size from which it does
/// so (up to 32 MiB) whenever one is freed; those below lie in arenas of threads, whose holes stay
/// resident. A fixed size keeps a tenth to a sixth of a large run's memory from being held for
/// nothing, for a few per cent of its time: pages are made again.
#[allow(unsafe_code)]
pub fn map_large_arrays() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` takes two numbers and keeps no pointer; it locks the arena that it changes.
    // Where it refuses, everything stays as it was.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
    }
}

/// Gives memory that lies free between other arrays back to the system: for the moment when much of it
/// was freed, such as after a scene was read.
#[allow(unsafe_code)]
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes a number and keeps no pointer; it locks each arena while it looks
    // through it, and touches free memory only.
    unsafe {
        libc::malloc_trim(0);
    }
}
