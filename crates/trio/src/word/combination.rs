//! Combinations of conditions.

/// The greatest number of conditions that are combined.
pub const MOST_INPUTS: usize = 4;

/// A combination of conditions, as a table of truth: "the combination of the condition results used is highly flexible"
/// (section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Combination {
    count: u8,
    inputs: [u8; MOST_INPUTS],
    table: u16,
}

impl Default for Combination {
    fn default() -> Self {
        Self::ALWAYS
    }
}

impl Combination {
    /// What always holds.
    pub const ALWAYS: Self = Self { count: 0, inputs: [0; MOST_INPUTS], table: 1 };

    /// Makes a combination of these condition ALUs. The bit `n` of the table says whether it holds if the bits of `n`, from the
    /// lowest one on, are the conditions. `None` if there are too many, one is there twice, or the table has bits beyond.
    pub fn new(inputs: &[u8], table: u16) -> Option<Self> {
        let mut places = [0; MOST_INPUTS];
        places.get_mut(..inputs.len())?.copy_from_slice(inputs);
        let is_single = |(place, input)| !inputs[..place].contains(input);
        let rows = 1_u32 << inputs.len();
        let is_valid = inputs.iter().enumerate().all(is_single) && u32::from(table) >> (rows - 1) <= 1;
        is_valid.then_some(Self { count: inputs.len() as u8, inputs: places, table })
    }

    /// Returns the numbers of the condition ALUs.
    #[inline]
    pub fn inputs(&self) -> &[u8] {
        &self.inputs[..usize::from(self.count)]
    }

    /// Returns the table of truth.
    pub const fn table(&self) -> u16 {
        self.table
    }

    /// Returns whether the combination holds, given the conditions as bits.
    #[inline]
    pub fn holds(&self, conditions: u32) -> bool {
        let row = self.inputs().iter().rev().fold(0, |row, input| row << 1 | (conditions >> input & 1));
        self.table >> row & 1 == 1
    }

    /// Returns whether one of a set of condition ALUs is an input.
    #[inline]
    pub fn uses(&self, set: u32) -> bool {
        self.inputs().iter().any(|input| set >> input & 1 == 1)
    }
}
