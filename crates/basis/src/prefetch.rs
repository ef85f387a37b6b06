//! Prefetching of memory into the caches of the processor.

/// Asks the processor to fetch the cache line where `value` begins, without waiting for it. This changes nothing but
/// the latency of a later access.
///
/// A network of a thousand hosts does not fit the first-level caches, and an event touches a dozen places in it, each
/// found through the previous one: without prefetching, a simulation spends most of its time waiting for memory.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    prefetch_at(value, 0);
}

/// Prefetches like [`prefetch`] the cache line `offset` bytes after the beginning of `value`.
#[inline(always)]
pub fn prefetch_at<T: ?Sized>(value: &T, offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = std::ptr::from_ref(value).cast::<i8>().wrapping_add(offset);
        // SAFETY: the instruction is a hint that neither reads nor faults, whatever the address is, and every x86-64
        // processor has it (it is part of SSE).
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, offset);
}
