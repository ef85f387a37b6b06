//! Lists of blocks.

use std::num::NonZeroU128;
use std::ops::Deref;

use ir::Block;

use super::gate::Gate;

/// The number of bits that a block takes in the number of a list.
const BITS: u32 = 16;
/// What stands for a gate in the number of a list.
const GATE: u16 = u16::MAX;

/// Blocks that are run one after the other, perhaps with a gate between two of them, and a number that stands for them.
///
/// A switch runs the same few lists on every packet. An executor that has prepared something for a list recognises it by
/// its number, which takes one comparison instead of one for each block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockList {
    blocks: Box<[Block]>,
    /// The gate, and the index of the first block behind it. A box is one word to look at in the many lists without a gate.
    gate: Option<Box<(usize, Gate)>>,
    number: Option<NonZeroU128>,
}

impl BlockList {
    /// Creates a list of blocks with a gate before the one at index `place`.
    ///
    /// # Panics
    /// Panics if there is no block in front of the gate, or none behind it.
    pub fn with_gate(blocks: Vec<Block>, place: usize, gate: Gate) -> Self {
        assert!((1..blocks.len()).contains(&place), "a gate is between two blocks");
        Self { number: number(&blocks, Some(place)), blocks: blocks.into(), gate: Some(Box::new((place, gate))) }
    }

    /// Returns the index of the first block behind the gate, and the gate, if there is one.
    #[inline]
    pub fn gate(&self) -> Option<&(usize, Gate)> {
        self.gate.as_deref()
    }

    /// Returns a number that no list of other blocks, or with a gate at another place, has; `None` if there is none for this list,
    /// because it is empty, has more than eight blocks (a gate counts as one), or has a block whose own number is 32,767 or more.
    /// What the gate asks for is not part of the number.
    #[inline]
    pub fn number(&self) -> Option<NonZeroU128> {
        self.number
    }
}

impl From<Vec<Block>> for BlockList {
    fn from(blocks: Vec<Block>) -> Self {
        Self { number: number(&blocks, None), blocks: blocks.into(), gate: None }
    }
}

impl Deref for BlockList {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        &self.blocks
    }
}

/// Concatenates the numbers of blocks and of the gate before one of them, none of which is 0.
fn number(blocks: &[Block], gate: Option<usize>) -> Option<NonZeroU128> {
    if blocks.len() as u32 + u32::from(gate.is_some()) > u128::BITS / BITS {
        return None;
    }
    let mut number = 0;
    for (place, block) in blocks.iter().enumerate() {
        if gate == Some(place) {
            number = number << BITS | u128::from(GATE);
        }
        let (id, kind) = match block {
            Block::Parser(id) => (id.0, 0),
            Block::Function(id) => (id.0, 1),
        };
        let own = u64::from(id) * 2 + kind + 1;
        number = number << BITS | u128::from(u16::try_from(own).ok().filter(|&own| own != GATE)?);
    }
    NonZeroU128::new(number)
}

#[cfg(test)]
mod tests {
    use ir::{FunctionId, ParserId, VariableId};

    use super::*;

    fn list(blocks: &[Block]) -> BlockList {
        BlockList::from(blocks.to_vec())
    }

    fn gate() -> Gate {
        Gate { port: VariableId(0), ports: 1, conditions: Vec::new(), assignments: Vec::new() }
    }

    #[test]
    fn lists_of_different_blocks_have_different_numbers() {
        let blocks = [0, 1, 254, 255, 32_766].map(|id| [Block::Parser(ParserId(id)), Block::Function(FunctionId(id))]);
        let blocks = blocks.as_flattened();
        let ones = blocks.iter().map(|&one| list(&[one]));
        let twos = blocks.iter().flat_map(|&one| blocks.iter().map(move |&two| list(&[one, two])));
        let gates = (1..6).map(|place| BlockList::with_gate(blocks[..6].to_vec(), place, gate()));
        let longest = [list(&blocks[..6]), list(&blocks[..8]), list(&blocks[1..9])];
        let lists: Vec<BlockList> = ones.chain(twos).chain(gates).chain(longest).collect();
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
        assert_eq!(BlockList::with_gate(vec![one; 8], 4, gate()).number(), None);
        assert_eq!(list(&[one, Block::Parser(ParserId(32_767))]).number(), None);
        assert_eq!(list(&[one, Block::Function(FunctionId(u32::MAX))]).number(), None);
    }
}
