//! The values of a program's registers.

use crate::Bits;

/// Every register array of a program, by register id; a scalar is an array of one. Values are raw bits.
///
/// A register of at most 64 bits has one limb at each index. A wider one has `width.div_ceil(64)` limbs there, the
/// least significant first: its *stride*; the limbs of index `i` start at `i * stride` of its array.
///
/// Methods that take a register id panic if the program has no such register.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RegisterFile {
    arrays: Vec<Vec<u64>>,
    /// The stride of each register, at least 1.
    strides: Vec<usize>,
}

impl RegisterFile {
    /// Creates registers of at most 64 bits from their initial values.
    pub fn new(arrays: Vec<Vec<u64>>) -> Self {
        let strides = vec![1; arrays.len()];
        Self { arrays, strides }
    }

    /// Adds a register array of `width` bits from its initial values, which have that width. A width of at most 64 bits
    /// has the same result as [`RegisterFile::new`].
    pub fn push(&mut self, width: u32, values: impl IntoIterator<Item = Bits>) {
        let mut array = Vec::new();
        for value in values {
            debug_assert_eq!(value.limbs().len(), stride(width), "a value of the register's width");
            array.extend_from_slice(value.limbs());
        }
        self.arrays.push(array);
        self.strides.push(stride(width));
    }

    /// Adds a register array of at most 64 bits from its initial values. Zeros that have not been touched take no
    /// physical memory.
    pub fn push_narrow(&mut self, values: Vec<u64>) {
        self.arrays.push(values);
        self.strides.push(1);
    }

    /// Returns the number of limbs per index; 1 for a width of at most 64 bits.
    pub fn stride(&self, register: usize) -> usize {
        self.strides[register]
    }

    /// Returns the number of indices of an array.
    pub fn size(&self, register: usize) -> usize {
        self.arrays[register].len() / self.strides[register]
    }

    /// Returns the value at an index of a register of `width` bits; 0 if the index is outside of the array, where
    /// v1model leaves the value undefined.
    #[inline]
    pub fn read(&self, register: usize, index: u64, width: u32) -> Bits {
        match self.place(register, index) {
            Some(place) => Bits::from_limbs(&self.arrays[register][place], width),
            None => Bits::zero(width),
        }
    }

    /// Sets the value at an index; `value` must have the register's width. An index outside of the array has no effect
    /// (v1model: "If index >= size, no register state will be updated").
    #[inline]
    pub fn write(&mut self, register: usize, index: u64, value: &Bits) {
        if let Some(place) = self.place(register, index) {
            debug_assert_eq!(value.limbs().len(), self.strides[register], "a value of the register's width");
            for (limb, value) in self.arrays[register][place].iter_mut().zip(value.limbs()) {
                *limb = *value;
            }
        }
    }

    /// The range of the limbs of an index.
    #[inline]
    fn place(&self, register: usize, index: u64) -> Option<std::ops::Range<usize>> {
        let stride = self.strides[register];
        let start = usize::try_from(index).ok()?.checked_mul(stride)?;
        (start < self.arrays[register].len()).then(|| start..start + stride)
    }

    /// Returns the values of one array; for registers of more than 64 bits, their limbs.
    pub fn array(&self, register: usize) -> &[u64] {
        &self.arrays[register]
    }

    /// Returns the values of one array for modification; see [`RegisterFile::array`].
    pub fn array_mut(&mut self, register: usize) -> &mut [u64] {
        &mut self.arrays[register]
    }

    /// Returns the number of arrays.
    pub fn len(&self) -> usize {
        self.arrays.len()
    }

    /// Returns true if the program has no registers.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// Returns a fingerprint of all values: 64-bit FNV-1a (Fowler, Noll and Vo; offset basis and prime as in RFC 9923)
    /// over the eight little-endian bytes of every value, array by array in order. Two different files of the same
    /// lengths have the same fingerprint with a probability of about 2^-64, unless they are constructed to collide.
    pub fn fingerprint(&self) -> u64 {
        const OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01B3;
        let bytes = self.arrays.iter().flatten().flat_map(|value| value.to_le_bytes());
        bytes.fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }

    /// Returns the position in an array that a computed index refers to: the raw bits modulo the length.
    ///
    /// On the interpreter and on every machine this maps every index into the array, so no program needs bounds checks.
    /// Hardware has the same effect when it uses only as many bits of an index as the memory has.
    ///
    /// # Panics
    /// If `length` is 0.
    #[inline]
    pub fn wrap(index: u64, length: usize) -> usize {
        if index < length as u64 { index as usize } else { (index % length as u64) as usize }
    }
}

/// The number of limbs of a value of `width` bits.
fn stride(width: u32) -> usize {
    width.div_ceil(64).max(1) as usize
}

basis::snapshot!(RegisterFile { values arrays; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_keep_their_limbs_together() {
        let mut file = RegisterFile::default();
        let value = |low, high| Bits::from_limbs(&[low, high], 100);
        file.push(100, [value(1, 2), value(3, 4)]);
        file.push(8, [Bits::Narrow(5), Bits::Narrow(6)]);
        assert_eq!((file.array(0), file.array(1)), (&[1, 2, 3, 4][..], &[5, 6][..]));
        assert_eq!((file.stride(0), file.size(0), file.stride(1), file.size(1)), (2, 2, 1, 2));
        file.write(0, 1, &value(7, 8));
        file.write(1, 0, &Bits::Narrow(9));
        assert_eq!((file.read(0, 0, 100), file.read(0, 1, 100)), (value(1, 2), value(7, 8)));
        assert_eq!(file.read(1, 0, 8), Bits::Narrow(9));
        // Indices out of range read zero and write nothing, however large they are.
        let before = file.clone();
        for index in [2, u64::MAX / 2 + 1, u64::MAX] {
            file.write(0, index, &value(1, 1));
            file.write(1, index, &Bits::Narrow(1));
            assert_eq!(file.read(0, index, 100), Bits::zero(100));
        }
        assert_eq!(file, before);
        let mut pushed = RegisterFile::default();
        pushed.push(64, [Bits::Narrow(1), Bits::Narrow(2)]);
        assert_eq!(pushed, RegisterFile::new(vec![vec![1, 2]]));
    }

    #[test]
    fn the_fingerprint_is_fnv_1a_of_all_bytes_in_order() {
        assert_eq!(RegisterFile::default().fingerprint(), 0xCBF2_9CE4_8422_2325, "no bytes");
        // Computed by another implementation, which gives the published 0x85944171F73967E8 for "foobar".
        let text = u64::from_le_bytes(*b"foobar\0\0");
        let expected = 0x6A8B_FF68_9C36_780F;
        assert_eq!(RegisterFile::new(vec![vec![text, 7]]).fingerprint(), expected);
        assert_eq!(RegisterFile::new(vec![vec![text], vec![7]]).fingerprint(), expected, "arrays follow one another");
        assert_ne!(RegisterFile::new(vec![vec![7, text]]).fingerprint(), expected);
    }
}
