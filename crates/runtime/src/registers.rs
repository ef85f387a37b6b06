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

    /// Where an index that a program computed lies in an array: the raw bits modulo the length.
    ///
    /// Every index is inside, on the interpreter and on every machine, so that no program needs bounds to be
    /// safe; hardware does the same by using as many bits of an index as the memory has.
    #[inline]
    pub fn wrap(index: u64, length: usize) -> usize {
        if index < length as u64 { index as usize } else { (index % length as u64) as usize }
    }
}
