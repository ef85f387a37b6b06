//! Discarded packets by reason and by the last block that each was in, as they are saved.

use arch::Architecture;
use basis::snapshot::{Loader, Saver, Unfit};
use measure::Counts;
use node::Reason;

/// The numbers of discarded packets by reason and by block, which is empty for packets that were in none.
pub(crate) type DiscardsInBlocks = Counts<(Reason, &'static str)>;

/// Saves the numbers.
pub(crate) fn save_discards(discards: &DiscardsInBlocks, into: &mut Saver) -> Result<(), Unfit> {
    let all: Vec<_> = discards.iter().collect();
    into.put(&all.len())?;
    all.into_iter().try_for_each(|((reason, block), count)| {
        into.put(block)?;
        into.put(&(reason, count))
    })
}

/// Restores the numbers of a machine of an architecture. Also returns them by reason alone.
pub(crate) fn restore_discards(
    architecture: &Architecture,
    from: &mut Loader<'_>,
) -> Result<(Counts<Reason>, DiscardsInBlocks), Unfit> {
    let (mut by_reason, mut in_blocks) = (Counts::default(), DiscardsInBlocks::default());
    for _ in 0..from.take::<usize>()? {
        let block = restore_block(architecture, from)?;
        let (reason, count): (Reason, u64) = from.take()?;
        by_reason.add_many(reason, count);
        in_blocks.add_many((reason, block), count);
    }
    Ok((by_reason, in_blocks))
}

/// Restores the name of a block of an architecture, which is empty if there is none.
pub(crate) fn restore_block(architecture: &Architecture, from: &mut Loader<'_>) -> Result<&'static str, Unfit> {
    let name: String = from.take()?;
    let mut names = [""].into_iter().chain(architecture.blocks.iter().map(|block| block.name));
    names.find(|known| *known == name).ok_or_else(|| Unfit(format!("the program has no block `{name}`")))
}
