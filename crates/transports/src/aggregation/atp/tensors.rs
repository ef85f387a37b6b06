//! Which fragment is which part of which tensor.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::aggregation::Tensor;

/// The tensors of a worker whose fragments may still be sent, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tensors {
    values: u64,
    list: VecDeque<Placed>,
    /// The number of fragments of all tensors that were begun.
    end: u64,
}

/// A tensor, and the fragments that it takes. A tensor begins with a fragment of its own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Placed {
    tensor: Tensor,
    first: u64,
    fragments: u64,
    /// The fragments whose sums were not reported.
    open: u64,
}

/// The part of a tensor that a fragment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub tensor: u32,
    /// The position of the first value.
    pub first: u64,
    /// The number of values; those that a packet has besides are zeros.
    pub length: usize,
}

impl Tensors {
    /// No tensors, for packets of so many values.
    pub fn new(values: usize) -> Self {
        Self { values: values as u64, list: VecDeque::new(), end: 0 }
    }

    /// Returns the number of fragments of all tensors that were begun.
    pub fn end(&self) -> u64 {
        self.end
    }

    pub fn begin(&mut self, tensor: Tensor) {
        let fragments = tensor.length.div_ceil(self.values);
        self.list.push_back(Placed { tensor, first: self.end, fragments, open: fragments });
        self.end += fragments;
    }

    /// Returns the part that a fragment has; `None` if its tensor is forgotten or was not begun.
    pub fn part(&self, fragment: u64) -> Option<Part> {
        let placed = &self.list[self.place(fragment)?];
        let first = (fragment - placed.first) * self.values;
        let length = (placed.tensor.length - first).min(self.values) as usize;
        Some(Part { tensor: placed.tensor.number, first, length })
    }

    /// Notes that the sums of a fragment were reported. Returns true if they were the last ones of the tensor.
    pub fn reported(&mut self, fragment: u64) -> bool {
        let Some(at) = self.place(fragment) else { return false };
        self.list[at].open -= 1;
        self.list[at].open == 0
    }

    /// Forgets tensors all of whose fragments lie before this one.
    pub fn forget(&mut self, before: u64) {
        while self.list.front().is_some_and(|placed| placed.first + placed.fragments <= before && placed.open == 0) {
            self.list.pop_front();
        }
    }

    fn place(&self, fragment: u64) -> Option<usize> {
        let after = self.list.partition_point(|placed| placed.first <= fragment);
        let at = after.checked_sub(1)?;
        let placed = &self.list[at];
        (fragment - placed.first < placed.fragments).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tensor_begins_with_a_fragment_of_its_own() {
        let mut tensors = Tensors::new(62);
        for (number, length) in [(0, 100), (1, 62), (2, 1)] {
            tensors.begin(Tensor { number, length });
        }
        let part = |tensor, first, length| Some(Part { tensor, first, length });
        let parts: Vec<_> = (0..5).map(|fragment| tensors.part(fragment)).collect();
        assert_eq!(parts, [part(0, 0, 62), part(0, 62, 38), part(1, 0, 62), part(2, 0, 1), None]);
        assert_eq!([0, 2, 1].map(|fragment| tensors.reported(fragment)), [false, true, true]);
        tensors.forget(4);
        assert_eq!((tensors.part(1), tensors.part(2), tensors.part(3), tensors.end()), (None, None, part(2, 0, 1), 4));
    }
}
