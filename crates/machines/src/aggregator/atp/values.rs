//! The values of packets and aggregators: 32 bits each, two's complement, in network order in packets.

/// Returns the sum of an aggregator's value and a packet's. A value that has been clamped stays so whatever is added
/// (section 3.8: "the value remains saturated"), so that whoever sees the sum knows that it is none.
#[inline]
pub(super) fn add(own: i32, other: i32) -> i32 {
    match () {
        () if is_saturated(own) => own,
        () if is_saturated(other) => other,
        () => own.saturating_add(other),
    }
}

#[inline]
fn is_saturated(value: i32) -> bool {
    value == i32::MAX || value == i32::MIN
}

/// Adds the values of a packet to those of an aggregator.
#[inline]
pub(super) fn add_all(own: &mut [i32], bytes: &[u8]) {
    for (own, bytes) in own.iter_mut().zip(bytes.as_chunks().0) {
        *own = add(*own, i32::from_be_bytes(*bytes));
    }
}

/// Copies the values of a packet into an aggregator.
#[inline]
pub(super) fn take_all(own: &mut [i32], bytes: &[u8]) {
    for (own, bytes) in own.iter_mut().zip(bytes.as_chunks().0) {
        *own = i32::from_be_bytes(*bytes);
    }
}

/// Copies the values of an aggregator into a packet.
#[inline]
pub(super) fn give_all(own: &[i32], bytes: &mut [u8]) {
    for (own, bytes) in own.iter().zip(bytes.as_chunks_mut().0) {
        *bytes = own.to_be_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saturated_value_stays_saturated() {
        assert_eq!(add(i32::MAX - 1, 5), i32::MAX);
        assert_eq!(add(i32::MIN + 1, -5), i32::MIN);
        for other in [i32::MIN, -5, 0, 5, i32::MAX] {
            assert_eq!(add(i32::MAX, other), i32::MAX);
            assert_eq!(add(i32::MIN, other), i32::MIN);
        }
        assert_eq!((add(-5, i32::MAX), add(5, i32::MIN)), (i32::MAX, i32::MIN), "the sum of another switch");
        assert_eq!(add(7, -9), -2);
    }
}
