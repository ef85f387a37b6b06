//! Lists of blocks.

use std::num::NonZeroU128;
use std::ops::Deref;

use ir::Block;

/// The number of bits that a block takes in the number of a list.
const BITS: u32 = 16;

/// Blocks that are run one after the other, and a number that stands for them.
///
/// A switch runs the same few lists on every packet. An executor that has prepared something for a list recognises it by
/// its number, which takes one comparison instead of one for each block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockList {
    blocks: Box<[Block]>,
    number: Option<NonZeroU128>,
}

impl BlockList {
    /// Returns a number that no list of other blocks has; `None` if there is none for this list, because it is empty, has
    /// more than eight blocks, or has a block whose own number is 32,767 or more.
    #[inline]
    pub fn number(&self) -> Option<NonZeroU128> {
        self.number
    }
}

impl From<Vec<Block>> for BlockList {
    fn from(blocks: Vec<Block>) -> Self {
        Self { number: number(&blocks), blocks: blocks.into() }
    }
}

impl Deref for BlockList {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        &self.blocks
    }
}

/// Concatenates the numbers of blocks, none of which is 0.
fn number(blocks: &[Block]) -> Option<NonZeroU128> {
    if blocks.len() as u32 > u128::BITS / BITS {
        return None;
    }
    let mut number = 0;
    for block in blocks {
        let (id, kind) = match block {
            Block::Parser(id) => (id.0, 0),
            Block::Function(id) => (id.0, 1),
        };
        let own = u64::from(id) * 2 + kind + 1;
        number = number << BITS | u128::from(u16::try_from(own).ok()?);
    }
    NonZeroU128::new(number)
}

#[cfg(test)]
mod tests {
    use ir::{FunctionId, ParserId};

    use super::*;

    fn list(blocks: &[Block]) -> BlockList {
        BlockList::from(blocks.to_vec())
    }

    #[test]
    fn lists_of_different_blocks_have_different_numbers() {
        let blocks = [0, 1, 254, 255, 32_766].map(|id| [Block::Parser(ParserId(id)), Block::Function(FunctionId(id))]);
        let blocks = blocks.as_flattened();
        let ones = blocks.iter().map(|&one| list(&[one]));
        let twos = blocks.iter().flat_map(|&one| blocks.iter().map(move |&two| list(&[one, two])));
        let lists: Vec<BlockList> = ones.chain(twos).chain([list(&blocks[..8]), list(&blocks[1..9])]).collect();
        for (place, one) in lists.iter().enumerate() {
            assert!(one.number().is_some(), "{one:?}");
            for other in &lists[..place] {
                assert_ne!(one.number(), other.number(), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn lists_that_are_too_long_or_have_great_numbers_have_none() {
        let one = Block::Function(FunctionId(0));
        assert_eq!(list(&[]).number(), None);
        assert_eq!(list(&[one; 9]).number(), None);
        assert_eq!(list(&[one, Block::Parser(ParserId(32_768))]).number(), None);
        assert_eq!(list(&[one, Block::Function(FunctionId(u32::MAX))]).number(), None);
    }
}
