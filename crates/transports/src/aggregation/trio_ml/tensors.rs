//! The tensors of a job as blocks.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::aggregation::Tensor;

/// The tensors that are under way, in the order of their numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tensors {
    under_way: VecDeque<Begun>,
    /// The number of blocks of all tensors that were begun.
    end: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Begun {
    tensor: Tensor,
    /// The number of the first block, and that behind the last one.
    first: u32,
    end: u32,
    /// How many of the blocks have no result yet.
    open: u32,
}

/// Which part of which tensor a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub tensor: u32,
    /// The position of its first value.
    pub first: u64,
    /// The number of values.
    pub length: u16,
    /// Whether it is the last block of the tensor.
    pub is_final: bool,
}

impl Tensors {
    /// Appends a tensor, of which a block has so many values.
    pub fn begin(&mut self, tensor: Tensor, gradients: u16) {
        // 2^32 blocks are more than 16 TB of gradients; `TrioMl::begin` says so.
        let blocks =
            u32::try_from(tensor.length.div_ceil(gradients.into())).expect("a tensor has less than 2^32 blocks");
        let end = self.end.checked_add(blocks).expect("a job has less than 2^32 blocks");
        self.under_way.push_back(Begun { tensor, first: self.end, end, open: blocks });
        self.end = end;
    }

    /// Returns the number behind the last block.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Returns what a block is; `None` if its tensor is finished or not begun.
    pub fn part(&self, block: u32, gradients: u16) -> Option<Part> {
        let place = self.under_way.partition_point(|begun| begun.end <= block);
        let begun = self.under_way.get(place).filter(|begun| begun.first <= block)?;
        let first = u64::from(block - begun.first) * u64::from(gradients);
        let length = (begun.tensor.length - first).min(gradients.into()) as u16;
        Some(Part { tensor: begun.tensor.number, first, length, is_final: block + 1 == begun.end })
    }

    /// Notes that a block has a result, or will have none. Returns true if it was the last one of its tensor that was open.
    pub fn close(&mut self, block: u32) -> bool {
        let place = self.under_way.partition_point(|begun| begun.end <= block);
        let Some(begun) = self.under_way.get_mut(place) else { return false };
        begun.open -= 1;
        let is_finished = begun.open == 0;
        while self.under_way.front().is_some_and(|begun| begun.open == 0) {
            self.under_way.pop_front();
        }
        is_finished
    }

    /// Returns the tensors that are under way, each with how many of its blocks have no result yet.
    pub fn open(&self) -> impl Iterator<Item = (u32, u32)> {
        self.under_way.iter().filter(|begun| begun.open > 0).map(|begun| (begun.tensor.number, begun.open))
    }
}
