//! How the system's allocator gives memory back.

/// Arrays of at least this size are mapped by themselves \[bytes\].
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: i32 = 4 << 20;

/// Lets large arrays go back to the system when they are freed. For the start of a program; other allocators than that of GNU are left alone.
///
/// The GNU allocator maps large arrays by themselves at first, but raises the size from which it does so (up to 32 MiB) whenever one is freed; those below lie in arenas of threads, whose holes
/// stay resident. A fixed size keeps a tenth to a sixth of a large run's memory from being held for nothing, for a few per cent of its time: pages are made anew.
#[allow(unsafe_code)]
pub fn map_large_arrays() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` takes two numbers and keeps no pointer; it locks the arena that it changes. Where it refuses, everything stays as it was.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED);
    }
}

/// Gives memory that lies free between other arrays back to the system. For the moment when much of it was freed, and arrays that are mapped by themselves come next; takes half a
/// millisecond where it finds ten megabytes. Other allocators than that of GNU are left alone.
#[allow(unsafe_code)]
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` takes a number and keeps no pointer; it locks each arena while it looks through it, and touches free memory only.
    unsafe {
        libc::malloc_trim(0);
    }
}
