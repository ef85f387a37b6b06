//! The memory of a match-action stage that a table or a register takes.
//!
//! The model is that of RMT (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013, section 5.1):
//!
//! - An exact match is a cuckoo hash table of at least four ways in SRAM. Of the 112 bits of a word, 80 hold the key;
//!   the others hold pointers to the action's data and instruction, the next table, and an error-correcting code.
//! - All other match kinds use TCAM, with 40 bits per word. Each TCAM word points to its action through a third of an
//!   SRAM word.
//! - Action data is stored in SRAM, 96 bits of data per word, with one record per entry, or one per member if the table
//!   has an action profile.
//! - A range is expanded into prefixes: at most 2 w - 2 of them for a range of w bits, and the product of these for
//!   several ranges (Srinivasan et al., "Fast and Scalable Layer Four Switching", SIGCOMM 1998). For constant entries
//!   the prefixes that they actually need are counted.
//! - Registers are stored in SRAM, with as many values side by side in a word as fit into 96 bits.

use ir::{Program, Register, RegisterId, Table, TableId};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

/// The number of entries assumed for a table whose program does not give a size.
pub const USUAL_SIZE: u32 = 1024;

/// The number of words in an SRAM block.
const SRAM_WORDS: u64 = 1024;
/// The number of words in a TCAM block.
const TCAM_WORDS: u64 = 2048;
/// The number of key bits in an SRAM word.
const EXACT_BITS: u64 = 80;
/// The number of key bits in a TCAM word.
const TERNARY_BITS: u64 = 40;
/// The number of bits of action data, or of registers, in an SRAM word.
const DATA_BITS: u64 = 96;
/// The minimum number of ways of a cuckoo hash table.
const WAYS: u64 = 4;
/// The number of pointers from TCAM words to actions that fit into an SRAM word.
const POINTERS: u64 = 3;

/// The kind of memory in which a table matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMemory {
    /// No memory: the table has no keys and runs its default action for every packet.
    Nowhere,
    /// SRAM: all keys are exact.
    Sram,
    /// TCAM: at least one key is not exact.
    Tcam,
}

/// The resources that a table needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    /// The kind of memory in which the table matches.
    pub memory: MatchMemory,
    /// The total width of the keys, in bits.
    pub key_bits: u32,
    /// The width of the largest action data of any of the actions, in bits.
    pub action_data_bits: u32,
    /// The number of entries that the table can hold.
    pub entries: u64,
    /// The maximum number of TCAM words that an entry takes because of its ranges.
    pub words_per_entry: u64,
    /// The number of members that the action profile can hold, if there is one.
    pub members: Option<u64>,
    /// Whether a hash chooses among the members of a group.
    pub selects: bool,
}

/// A number of memory blocks of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Blocks {
    /// The number of SRAM blocks.
    pub sram: u64,
    /// The number of TCAM blocks.
    pub tcam: u64,
}

impl TableShape {
    /// Returns the resources that a table needs.
    ///
    /// # Panics
    ///
    /// Panics if `id` is not a table of `program`.
    pub fn of(program: &Program, id: TableId) -> Self {
        let table = &program.tables[id.index()];
        let memory = match table.keys.as_slice() {
            [] => MatchMemory::Nowhere,
            keys if keys.iter().all(|key| key.kind == MatchKind::Exact) => MatchMemory::Sram,
            _ => MatchMemory::Tcam,
        };
        let data = table.actions.iter().filter(|action| !action.only_default).map(|action| {
            let parameters = &program.functions[action.function.index()].parameters;
            parameters.iter().map(|&parameter| program.variable(parameter).ty.width()).sum()
        });
        let profile = table.profile.map(|profile| &program.profiles[profile.index()]);
        Self {
            memory,
            key_bits: table.keys.iter().map(|key| program.type_of(&key.value).width()).sum(),
            action_data_bits: data.max().unwrap_or(0),
            entries: match memory {
                MatchMemory::Nowhere => 0,
                _ if table.is_constant => table.entries.len() as u64,
                _ => u64::from(table.size.unwrap_or(USUAL_SIZE)).max(table.entries.len() as u64),
            },
            words_per_entry: words_per_entry(program, table),
            members: profile.map(|profile| u64::from(profile.size)),
            selects: profile.is_some_and(|profile| profile.selection.is_some()),
        }
    }

    /// Returns the blocks taken by a part of the table that holds the given number of entries, excluding the members of
    /// its action profile.
    pub fn blocks(&self, entries: u64) -> Blocks {
        let data = match self.members {
            Some(_) => 0,
            None => self.data_blocks(entries),
        };
        match self.memory {
            MatchMemory::Nowhere => Blocks::default(),
            MatchMemory::Sram => {
                let wide = u64::from(self.key_bits).div_ceil(EXACT_BITS).max(1);
                Blocks { sram: wide * entries.div_ceil(SRAM_WORDS).max(WAYS) + data, tcam: 0 }
            }
            MatchMemory::Tcam => {
                let wide = u64::from(self.key_bits).div_ceil(TERNARY_BITS).max(1);
                let words = entries.saturating_mul(self.words_per_entry);
                let pointers = words.div_ceil(POINTERS * SRAM_WORDS);
                Blocks { sram: pointers.saturating_add(data), tcam: wide.saturating_mul(words.div_ceil(TCAM_WORDS)) }
            }
        }
    }

    /// Returns the SRAM blocks taken by the members of the action profile; 0 if there is none.
    pub fn member_blocks(&self) -> u64 {
        self.members.map_or(0, |members| self.data_blocks(members))
    }

    fn data_blocks(&self, records: u64) -> u64 {
        u64::from(self.action_data_bits).div_ceil(DATA_BITS) * records.div_ceil(SRAM_WORDS)
    }

    /// Returns the maximum number of entries, up to `at_most`, that a part of the table can hold in the blocks left of
    /// a stage.
    pub fn entries_in(&self, left: Blocks, at_most: u64) -> u64 {
        let fits = |entries| {
            let blocks = self.blocks(entries);
            blocks.sram <= left.sram && blocks.tcam <= left.tcam
        };
        if fits(at_most) {
            return at_most;
        }
        // The number of blocks never falls as entries are added, so that a binary search finds the maximum.
        let (mut low, mut high) = (0, at_most);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if fits(middle) { low = middle } else { high = middle }
        }
        low
    }
}

/// Returns the number of SRAM blocks that registers in the same stage take.
///
/// # Panics
///
/// Panics if one of `registers` is not a register of `program`.
pub fn register_blocks(program: &Program, registers: &[RegisterId]) -> u64 {
    registers.iter().map(|&id| blocks_of_register(program.register(id))).sum()
}

fn blocks_of_register(register: &Register) -> u64 {
    let side_by_side = (DATA_BITS / u64::from(register.ty.width())).max(1);
    (register.size() as u64).div_ceil(side_by_side).div_ceil(SRAM_WORDS)
}

/// Returns the maximum number of TCAM words that the ranges of an entry take.
fn words_per_entry(program: &Program, table: &Table) -> u64 {
    let ranges = || table.keys.iter().enumerate().filter(|(_, key)| key.kind == MatchKind::Range);
    let width = |place: usize| program.type_of(&table.keys[place].value).width();
    if table.is_constant {
        let words = |field: &FieldMatch, place| match field {
            FieldMatch::Range { low, high } => prefixes(low, high, width(place)),
            _ => 1,
        };
        let each = table
            .entries
            .iter()
            .map(|entry| ranges().map(|(place, _)| words(&entry.key[place], place)).fold(1u64, u64::saturating_mul));
        return each.max().unwrap_or(1);
    }
    ranges().map(|(place, _)| worst(width(place))).fold(1, u64::saturating_mul)
}

/// Returns the maximum number of prefixes that a range of `width` bits takes.
fn worst(width: u32) -> u64 {
    u64::from(2 * width).saturating_sub(2).max(1)
}

/// Returns the number of prefixes that a range takes: repeatedly, the largest aligned block that begins at its low end
/// and fits into it.
fn prefixes(low: &Bits, high: &Bits, width: u32) -> u64 {
    let (Some(mut low), Some(high)) = (low.to_u64(), high.to_u64()) else { return worst(width) };
    if (low, high) == (0, u64::MAX) {
        return 1;
    }
    let mut count = 0;
    while low <= high {
        count += 1;
        let mut size = low.trailing_zeros().min(63);
        while size > 0 && low.checked_add((1 << size) - 1).is_none_or(|last| last > high) {
            size -= 1;
        }
        match low.checked_add(1 << size) {
            Some(next) => low = next,
            None => break,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_expand_to_the_fewest_prefixes() {
        let count = |low: u64, high: u64| prefixes(&Bits::Narrow(low), &Bits::Narrow(high), 16);
        assert_eq!(count(0, 0xffff), 1);
        assert_eq!(count(80, 80), 1);
        assert_eq!(count(1024, 0xffff), 6);
        // The worst case for 16 bits.
        assert_eq!(count(1, 0xfffe), worst(16));
        assert_eq!(count(0, u64::MAX), 1);
    }

    #[test]
    fn parts_of_a_table_fill_the_blocks_left() {
        let exact = TableShape {
            memory: MatchMemory::Sram,
            key_bits: 100,
            action_data_bits: 97,
            entries: 100_000,
            words_per_entry: 1,
            members: None,
            selects: false,
        };
        // 1,024 entries take two blocks of keys and two of data, and no part has less than four ways.
        assert_eq!(exact.blocks(1), Blocks { sram: 8 + 2, tcam: 0 });
        assert_eq!(exact.blocks(10_240), Blocks { sram: 40, tcam: 0 });
        assert_eq!(exact.entries_in(Blocks { sram: 42, tcam: 0 }, 100_000), 10_240);
        assert_eq!(exact.entries_in(Blocks { sram: 9, tcam: 0 }, 100_000), 0);
        assert_eq!(exact.entries_in(Blocks { sram: 1000, tcam: 0 }, 100_000), 100_000);
    }
}
