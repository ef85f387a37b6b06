//! Where each variable lies in a packet's words.

use ir::{Program, VariableId};

/// Where each variable lies: one after the other, each as many words of 64 bits as its width takes, the lowest first.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The places of the variables, by number.
    places: Box<[Place]>,
    /// How many words all of them take.
    words: usize,
}

/// The words of a variable.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    words: u32,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Self {
        let mut end = 0;
        let widths = program.variables.iter().map(|variable| variable.ty.width());
        let places = widths.map(|width| {
            let place = Place { start: end, words: words_of(width) };
            end += place.words;
            place
        });
        let places = places.collect();
        Self { places, words: end as usize }
    }

    /// How many words all variables take.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The words of a variable.
    #[inline]
    pub(crate) fn place(&self, variable: VariableId) -> std::ops::Range<usize> {
        let Place { start, words } = self.places[variable.index()];
        start as usize..(start + words) as usize
    }

    /// The lowest word of a variable.
    #[inline]
    pub(crate) fn low(&self, variable: VariableId) -> usize {
        self.places[variable.index()].start as usize
    }
}

/// How many words a width takes.
pub(crate) const fn words_of(width: u32) -> u32 {
    width.div_ceil(64)
}
