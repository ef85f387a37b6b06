//! Where each variable lies in a packet's words.

use ir::{Program, VariableId};

/// Where each variable lies: one after the other, each as many words of 64 bits as its width takes, the lowest first.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Where each variable begins, and where the last one ends.
    starts: Box<[u32]>,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Self {
        let mut end = 0;
        let widths = program.variables.iter().map(|variable| variable.ty.width());
        let ends = widths.map(|width| {
            end += words_of(width);
            end
        });
        Self { starts: std::iter::once(0).chain(ends).collect() }
    }

    /// How many words all variables take.
    pub(crate) fn words(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// The words of a variable.
    #[inline]
    pub(crate) fn place(&self, variable: VariableId) -> std::ops::Range<usize> {
        self.starts[variable.index()] as usize..self.starts[variable.index() + 1] as usize
    }
}

/// How many words a width takes.
pub(crate) const fn words_of(width: u32) -> u32 {
    width.div_ceil(64)
}
