//! The values of a program's registers.

/// Every register array of a program, by register id; a scalar is an array of one. Values are raw bits.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RegisterFile {
    arrays: Vec<Vec<u64>>,
}

impl RegisterFile {
    /// The registers with their first values.
    pub fn new(arrays: Vec<Vec<u64>>) -> Self {
        Self { arrays }
    }

    /// The values of one array.
    pub fn array(&self, register: usize) -> &[u64] {
        &self.arrays[register]
    }

    /// The values of one array, to write.
    pub fn array_mut(&mut self, register: usize) -> &mut [u64] {
        &mut self.arrays[register]
    }

    /// How many arrays there are.
    pub fn len(&self) -> usize {
        self.arrays.len()
    }

    /// True if the program keeps no state.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// A number that stands for all values: FNV-1a of 64 bits (Fowler, Noll and Vo; offset basis and prime as in
    /// RFC 9923) over every value's eight bytes, little-endian, array by array in order. Two files of the same lengths
    /// that differ have the same one with a probability of about 2^-64, unless somebody makes them so.
    pub fn fingerprint(&self) -> u64 {
        const OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01B3;
        let bytes = self.arrays.iter().flatten().flat_map(|value| value.to_le_bytes());
        bytes.fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }

    /// Where an index that a program computed lies in an array: the raw bits modulo the length.
    ///
    /// Every index is inside, on the interpreter and on every machine, so that no program needs bounds to be
    /// safe; hardware does the same by using as many bits of an index as the memory has.
    #[inline]
    pub fn wrap(index: u64, length: usize) -> usize {
        if index < length as u64 { index as usize } else { (index % length as u64) as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_fnv_1a_of_the_bytes_in_order() {
        assert_eq!(RegisterFile::default().fingerprint(), 0xCBF2_9CE4_8422_2325, "no bytes");
        // By another implementation, which gives the published 0x85944171F73967E8 for "foobar".
        let text = u64::from_le_bytes(*b"foobar\0\0");
        let expected = 0x6A8B_FF68_9C36_780F;
        assert_eq!(RegisterFile::new(vec![vec![text, 7]]).fingerprint(), expected);
        assert_eq!(RegisterFile::new(vec![vec![text], vec![7]]).fingerprint(), expected, "arrays follow one another");
        assert_ne!(RegisterFile::new(vec![vec![7, text]]).fingerprint(), expected);
    }
}
