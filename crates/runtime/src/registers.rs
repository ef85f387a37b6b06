//! The values of a program's registers.

use crate::Bits;

/// Every register array of a program, by register id; a scalar is an array of one. Values are raw bits.
///
/// A register of at most 64 bits has one limb at each index. A wider one has `width.div_ceil(64)` limbs there, the
/// least significant first: its *stride*; the limbs of index `i` start at `i * stride` of its array.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RegisterFile {
    arrays: Vec<Vec<u64>>,
    /// By register, 1 or more.
    strides: Vec<usize>,
}

impl RegisterFile {
    /// Registers of at most 64 bits with their first values.
    pub fn new(arrays: Vec<Vec<u64>>) -> Self {
        let strides = vec![1; arrays.len()];
        Self { arrays, strides }
    }

    /// Adds registers of `width` bits with their first values, by index, each of that width. A width of at most 64
    /// gives what [`RegisterFile::new`] does.
    pub fn push(&mut self, width: u32, values: impl IntoIterator<Item = Bits>) {
        let mut array = Vec::new();
        for value in values {
            debug_assert_eq!(value.limbs().len(), stride(width), "a value of the register's width");
            array.extend_from_slice(value.limbs());
        }
        self.arrays.push(array);
        self.strides.push(stride(width));
    }

    /// Adds a register of at most 64 bits with its first values. Zeros that nobody has touched yet take no memory.
    pub fn push_narrow(&mut self, values: Vec<u64>) {
        self.arrays.push(values);
        self.strides.push(1);
    }

    /// How many limbs each index of an array has; 1 for a width of at most 64.
    pub fn stride(&self, register: usize) -> usize {
        self.strides[register]
    }

    /// How many indices an array has.
    pub fn size(&self, register: usize) -> usize {
        self.arrays[register].len() / self.strides[register]
    }

    /// The value at an index of a register of `width` bits. 0 outside of the array, where v1model leaves it open.
    #[inline]
    pub fn read(&self, register: usize, index: u64, width: u32) -> Bits {
        match self.place(register, index) {
            Some(place) => Bits::from_limbs(&self.arrays[register][place], width),
            None => Bits::zero(width),
        }
    }

    /// Changes the value at an index to one of the register's width. Outside of the array nothing changes (v1model: "If
    /// index >= size, no register state will be updated").
    #[inline]
    pub fn write(&mut self, register: usize, index: u64, value: &Bits) {
        if let Some(place) = self.place(register, index) {
            debug_assert_eq!(value.limbs().len(), self.strides[register], "a value of the register's width");
            for (limb, value) in self.arrays[register][place].iter_mut().zip(value.limbs()) {
                *limb = *value;
            }
        }
    }

    /// The limbs of an index.
    #[inline]
    fn place(&self, register: usize, index: u64) -> Option<std::ops::Range<usize>> {
        let stride = self.strides[register];
        let start = usize::try_from(index).ok()?.checked_mul(stride)?;
        (start < self.arrays[register].len()).then(|| start..start + stride)
    }

    /// The values of one array; of registers above 64 bits, their limbs.
    pub fn array(&self, register: usize) -> &[u64] {
        &self.arrays[register]
    }

    /// The same, to write.
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

/// The limbs of a width.
fn stride(width: u32) -> usize {
    width.div_ceil(64).max(1) as usize
}

basis::snapshot!(RegisterFile { values arrays; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_keep_their_limbs_side_by_side_and_narrow_ones_are_as_ever() {
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
        // Outside: nothing there, nothing changed, however far.
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
