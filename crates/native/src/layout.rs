//! The layout of a packet's variables in its words.

use ir::{Program, VariableId};

/// The places of all variables: one after the other, each with as many 64-bit words as its width needs, least
/// significant first.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The places by variable number.
    places: Box<[VariableWords]>,
    /// The total number of words.
    words: usize,
}

/// The words that a variable occupies.
#[derive(Clone, Copy, Debug)]
struct VariableWords {
    start: u32,
    words: u32,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Self {
        let mut end = 0;
        let widths = program.variables.iter().map(|variable| variable.ty.width());
        let places = widths.map(|width| {
            let place = VariableWords { start: end, words: words_of(width) };
            end += place.words;
            place
        });
        let places = places.collect();
        Self { places, words: end as usize }
    }

    /// Returns the total number of words.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Returns the range of words of a variable.
    #[inline]
    pub(crate) fn place(&self, variable: VariableId) -> std::ops::Range<usize> {
        let VariableWords { start, words } = self.places[variable.index()];
        start as usize..(start + words) as usize
    }

    /// Returns the index of the least significant word of a variable.
    #[inline]
    pub(crate) fn low(&self, variable: VariableId) -> usize {
        self.places[variable.index()].start as usize
    }
}

/// Returns the number of 64-bit words that a value of `width` bits needs.
pub(crate) const fn words_of(width: u32) -> u32 {
    width.div_ceil(64)
}
