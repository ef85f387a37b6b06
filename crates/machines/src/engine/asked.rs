//! What a pipeline's stages look up and sum up, gathered while their code is made.

use ir::{LookupResult, TableId};
use runtime::checksum::Algorithm;

use super::compile::Operand;
use super::{Checksum, Lookup, Slot};

/// Look-ups and checksums so far.
#[derive(Debug, Default)]
pub(super) struct Asked {
    lookups: Vec<AskedLookup>,
    checksums: Vec<AskedChecksum>,
    /// The first look-up of the stage at hand.
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
    /// The next stage begins: a table is asked anew there.
    pub(super) fn begin_stage(&mut self) {
        self.stage = self.lookups.len();
    }

    /// A look-up; its number if this is the first of its keys in the stage, else `None`: that one finds what is asked
    /// here, too. It may, for a pipeline is in single assignment: the keys are the same at both places, and nobody
    /// reads an answer before it is asked for.
    pub(super) fn look_up(
        &mut self,
        table: TableId,
        keys: Vec<Operand>,
        result: LookupResult,
        slot: Operand,
    ) -> Option<Slot> {
        // Rooms for intermediate values are used again and again, and mean nothing elsewhere.
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

    /// A checksum, and its number.
    pub(super) fn checksum(&mut self, algorithm: Algorithm, parts: Vec<(Operand, u32)>, width: u32) -> Slot {
        self.checksums.push(AskedChecksum { algorithm, parts, width });
        (self.checksums.len() - 1) as Slot
    }

    /// How many there are of the kind of which there are more.
    pub(super) fn count(&self) -> usize {
        self.lookups.len().max(self.checksums.len())
    }

    /// How many words the longest key has; `None` if nothing is looked up.
    pub(super) fn longest_key(&self) -> Option<usize> {
        self.lookups.iter().map(|lookup| lookup.keys.len()).max()
    }

    /// The look-ups by number, their operands placed.
    pub(super) fn lookups(&self, place: impl Fn(Operand) -> Slot) -> Vec<Lookup> {
        let placed = |lookup: &AskedLookup| Lookup {
            table: lookup.table,
            keys: lookup.keys.iter().map(|&key| place(key)).collect(),
            asked: lookup.asked.iter().map(|&(result, slot)| (result, place(slot))).collect(),
        };
        self.lookups.iter().map(placed).collect()
    }

    /// The checksums by number, their operands placed.
    pub(super) fn checksums(&self, place: impl Fn(Operand) -> Slot) -> Vec<Checksum> {
        let placed = |checksum: &AskedChecksum| Checksum {
            algorithm: checksum.algorithm.clone(),
            parts: checksum.parts.iter().map(|&(part, width)| (place(part), width)).collect(),
            width: checksum.width,
        };
        self.checksums.iter().map(placed).collect()
    }
}
