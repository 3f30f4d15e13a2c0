//! How the system's allocator gives memory back.

/// Arrays of at least this size are mapped by themselves \[bytes\].
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: i32 = 4 << 20;

/// Lets large arrays go back to the system when they are freed.
///
/// This is a setting of the whole process: for the start of a program of our own, never for the
/// library, whose host owns the allocator. Other allocators than that of GNU are left alone.
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
