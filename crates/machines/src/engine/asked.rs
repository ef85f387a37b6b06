//! The look-ups and checksums of a pipeline's stages, collected while their code is generated.

use ir::{LookupResult, TableId};
use runtime::checksum::Algorithm;

use super::compile::Operand;
use super::{Checksum, Lookup, Slot};

/// The look-ups and checksums collected so far.
#[derive(Debug, Default)]
pub(super) struct Asked {
    lookups: Vec<AskedLookup>,
    checksums: Vec<AskedChecksum>,
    /// The index of the first look-up of the current stage.
    stage: usize,
}

#[derive(Debug)]
struct AskedLookup {
    table: TableId,
    keys: Vec<Operand>,
    asked: Vec<(LookupResult, Operand)>,
}

#[derive(Debug)]
struct AskedChecksum {
    algorithm: Algorithm,
    parts: Vec<(Operand, u32)>,
    width: u32,
}

impl Asked {
    /// Begins the next stage, in which look-ups are not merged with earlier ones.
    pub(super) fn begin_stage(&mut self) {
        self.stage = self.lookups.len();
    }

    /// Adds a look-up and returns its number if it is the first one with its keys in the stage. Otherwise it is merged
    /// with the earlier one, which then also produces this result, and `None` is returned. Merging is sound because a
    /// pipeline is in single assignment form: the keys have the same values at both places, and no result is read
    /// before the look-up that asks for it.
    pub(super) fn look_up(
        &mut self,
        table: TableId,
        keys: Vec<Operand>,
        result: LookupResult,
        slot: Operand,
    ) -> Option<Slot> {
        // Temporaries are reused, so they have a meaning only at one place.
        let lasts = |operand: &Operand| matches!(operand, Operand::Variable(_) | Operand::Constant(_));
        let same = |known: &&mut AskedLookup| known.table == table && known.keys == keys;
        if keys.iter().chain([&slot]).all(lasts)
            && let Some(known) = self.lookups[self.stage..].iter_mut().find(same)
        {
            known.asked.push((result, slot));
            return None;
        }
        self.lookups.push(AskedLookup { table, keys, asked: vec![(result, slot)] });
        Some((self.lookups.len() - 1) as Slot)
    }

    /// Adds a checksum and returns its number.
    pub(super) fn checksum(&mut self, algorithm: Algorithm, parts: Vec<(Operand, u32)>, width: u32) -> Slot {
        self.checksums.push(AskedChecksum { algorithm, parts, width });
        (self.checksums.len() - 1) as Slot
    }

    /// Returns the keys of a look-up.
    pub(super) fn keys_of(&self, number: Slot) -> Vec<Operand> {
        self.lookups[usize::from(number)].keys.clone()
    }

    /// Returns the parts of a checksum.
    pub(super) fn parts_of(&self, number: Slot) -> Vec<Operand> {
        self.checksums[usize::from(number)].parts.iter().map(|&(part, _)| part).collect()
    }

    /// Returns the number of look-ups or of checksums, whichever is greater.
    pub(super) fn count(&self) -> usize {
        self.lookups.len().max(self.checksums.len())
    }

    /// Returns the number of words of the longest key, or `None` if there are no look-ups.
    pub(super) fn longest_key(&self) -> Option<usize> {
        self.lookups.iter().map(|lookup| lookup.keys.len()).max()
    }

    /// Returns the look-ups by number, with their operands resolved to slots.
    pub(super) fn lookups(&self, place: impl Fn(Operand) -> Slot) -> Vec<Lookup> {
        let placed = |lookup: &AskedLookup| Lookup {
            table: lookup.table,
            keys: lookup.keys.iter().map(|&key| place(key)).collect(),
            asked: lookup.asked.iter().map(|&(result, slot)| (result, place(slot))).collect(),
        };
        self.lookups.iter().map(placed).collect()
    }

    /// Returns the checksums by number, with their operands resolved to slots.
    pub(super) fn checksums(&self, place: impl Fn(Operand) -> Slot) -> Vec<Checksum> {
        let placed = |checksum: &AskedChecksum| Checksum {
            algorithm: checksum.algorithm.clone(),
            parts: checksum.parts.iter().map(|&(part, width)| (place(part), width)).collect(),
            width: checksum.width,
        };
        self.checksums.iter().map(placed).collect()
    }
}
