//! Asking for memory before it is needed.

/// Asks the processor to bring the cache line where `value` begins, and goes on without waiting for it. It changes
/// nothing but the time that a later access takes.
///
/// A network of a thousand hosts does not fit the near caches, and an event touches a dozen places of it, each found
/// through the one before: without this a simulation waits most of its time.
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    prefetch_at(value, 0);
}

/// As [`prefetch`], for the cache line `offset` bytes behind the beginning.
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
