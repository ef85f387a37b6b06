//! Bit fields of local memory.

/// Reads a field of 1 to 64 bits, whose first bit is `from` bits behind the beginning; `None` if it lies outside.
#[inline]
pub(super) fn read(memory: &[u8], from: u64, width: u16) -> Option<u64> {
    let (first, bit) = ((from / 8) as usize, (from % 8) as u32);
    let width = u32::from(width);
    if from / 8 >= memory.len() as u64 || from.checked_add(width.into())? > memory.len() as u64 * 8 {
        return None;
    }
    let mask = u64::MAX >> (64 - width);
    if let Some(word) = memory.get(first..first + 8)
        && bit + width <= 64
    {
        let word = u64::from_be_bytes(word.try_into().expect("eight bytes"));
        return Some(word >> (64 - bit - width) & mask);
    }
    let bytes = &memory[first..first + (bit + width).div_ceil(8) as usize];
    let whole = bytes.iter().fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
    Some((whole >> (bytes.len() as u32 * 8 - bit - width)) as u64 & mask)
}

/// Writes a field that [`read`] can read.
#[inline]
pub(super) fn write(memory: &mut [u8], from: u64, width: u16, value: u64) {
    let (first, bit, width) = ((from / 8) as usize, (from % 8) as u32, u32::from(width));
    let bytes = &mut memory[first..first + (bit + width).div_ceil(8) as usize];
    let below = bytes.len() as u32 * 8 - bit - width;
    let mut mask = u128::from(u64::MAX >> (64 - width)) << below;
    let mut value = u128::from(value) << below;
    for byte in bytes.iter_mut().rev() {
        *byte = *byte & !(mask as u8) | value as u8 & mask as u8;
        (mask, value) = (mask >> 8, value >> 8);
    }
}

/// Returns a range of whole bytes; `None` if it lies outside.
#[inline]
pub(super) fn range(memory: &[u8], address: u64, bytes: u64) -> Option<std::ops::Range<usize>> {
    let end = address.checked_add(bytes)?;
    (end <= memory.len() as u64).then_some(address as usize..end as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_reads_back_and_leaves_its_neighbours() {
        let memory: Vec<u8> = (0..24).map(|byte: u8| byte.wrapping_mul(73) ^ 0x5A).collect();
        for from in 0..190u64 {
            for width in 1..=64u16 {
                let fits = from + u64::from(width) <= 192;
                let bit = |memory: &[u8], at: u64| memory[at as usize / 8] >> (7 - at % 8) & 1;
                let expected = || (0..u64::from(width)).fold(0, |n, at| n << 1 | u64::from(bit(&memory, from + at)));
                assert_eq!(read(&memory, from, width), fits.then(expected), "{width} bits from {from}");
                if fits {
                    let mut changed = memory.clone();
                    let value = !expected() & u64::MAX >> (64 - width);
                    write(&mut changed, from, width, value);
                    assert_eq!(read(&changed, from, width), Some(value));
                    let same = |at: u64| bit(&changed, at) == bit(&memory, at);
                    assert!((0..192).all(|at| same(at) != (from..from + u64::from(width)).contains(&at)));
                }
            }
        }
        assert_eq!((read(&memory, u64::MAX, 64), read(&[], 0, 1)), (None, None));
    }
}
