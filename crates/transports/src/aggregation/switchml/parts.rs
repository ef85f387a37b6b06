//! The parts of a job's tensors, numbered across all of them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::aggregation::Tensor;

/// The parts of the tensors that are under way. A tensor begins with a part of its own, and its last part may be short.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Parts {
    open: VecDeque<Open>,
    /// The number of the part behind the last tensor.
    end: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Open {
    tensor: Tensor,
    first: u64,
    end: u64,
    missing: u64,
}

/// A part of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) tensor: u32,
    /// The position of its first value in the tensor.
    pub(super) first: u64,
    /// The number of its values.
    pub(super) length: usize,
}

impl Parts {
    /// Appends the parts of a tensor.
    pub(super) fn begin(&mut self, tensor: Tensor, values: usize) {
        let missing = tensor.length.div_ceil(values as u64);
        let first = self.end;
        self.end += missing;
        self.open.push_back(Open { tensor, first, end: self.end, missing });
    }

    /// Returns the number of the part behind the last one that has begun.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Returns a part of a tensor under way.
    pub(super) fn part(&self, number: u64, values: usize) -> Option<Part> {
        let open = &self.open[self.find(number)?];
        let first = (number - open.first) * values as u64;
        Some(Part {
            tensor: open.tensor.number,
            first,
            length: (open.tensor.length - first).min(values as u64) as usize,
        })
    }

    /// Notes that the sum of a part has come. Returns the tensor if it is complete by that.
    pub(super) fn complete(&mut self, number: u64) -> Option<u32> {
        let at = self.find(number)?;
        self.open[at].missing -= 1;
        if self.open[at].missing > 0 {
            return None;
        }
        self.open.remove(at).map(|open| open.tensor.number)
    }

    /// Returns the tensors under way, each with the number of parts whose sums are missing, and of its first part.
    pub(super) fn missing(&self) -> impl Iterator<Item = (Tensor, u64, u64)> + '_ {
        self.open.iter().map(|open| (open.tensor, open.missing, open.first))
    }

    /// Tensors are complete in about their order, so the one in question is among the first.
    fn find(&self, number: u64) -> Option<usize> {
        self.open.iter().position(|open| (open.first..open.end).contains(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_across_tensors() {
        let mut parts = Parts::default();
        parts.begin(Tensor { number: 3, length: 130 }, 64);
        parts.begin(Tensor { number: 4, length: 64 }, 64);
        assert_eq!(parts.end(), 4);
        assert_eq!(parts.part(2, 64), Some(Part { tensor: 3, first: 128, length: 2 }));
        assert_eq!(parts.part(3, 64), Some(Part { tensor: 4, first: 0, length: 64 }));
        assert_eq!(parts.part(4, 64), None);
        assert_eq!((parts.complete(0), parts.complete(3), parts.complete(1)), (None, Some(4), None));
        assert_eq!(parts.part(3, 64), None);
        assert_eq!(parts.complete(2), Some(3));
        assert_eq!(parts.missing().count(), 0);
    }
}
