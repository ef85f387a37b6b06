//! How much of a match-action stage a table or a register takes.
//!
//! The model is that of RMT (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013, section 5.1):
//!
//! - An exact match is a cuckoo hash table of at least four ways in SRAM. Of a word's 112 bits, 80 are key; the others
//!   are pointers to the action's data and instruction, the next table, and error correction.
//! - All other kinds of match are in TCAM, 40 bits a word. Each word points to its action through a third of a word of
//!   SRAM.
//! - Action data is in SRAM, 96 bits of data a word, one record an entry; with an action profile one a member.
//! - A range is what it takes of prefixes: at most 2 w - 2 for w bits, and for several ranges the product (Srinivasan et
//!   al., "Fast and Scalable Layer Four Switching", SIGCOMM 1998). Entries that stay are counted as they are.
//! - Registers are in SRAM, values side by side in 96 bits of a word as many as there is room for.

use ir::{Program, Register, RegisterId, Table, TableId};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

/// The size of a table whose author does not say one.
pub const USUAL_SIZE: u32 = 1024;

/// Words of a block of SRAM.
const SRAM_WORDS: u64 = 1024;
/// Words of a block of TCAM.
const TCAM_WORDS: u64 = 2048;
/// Bits of key in a word of SRAM.
const EXACT_BITS: u64 = 80;
/// Bits of key in a word of TCAM.
const TERNARY_BITS: u64 = 40;
/// Bits of action data, or of registers, in a word of SRAM.
const DATA_BITS: u64 = 96;
/// The least ways of a cuckoo hash table.
const WAYS: u64 = 4;
/// Pointers of TCAM words in a word of SRAM.
const POINTERS: u64 = 3;

/// Where a table matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMemory {
    /// It has no keys, and does its default for every packet.
    Nowhere,
    /// All keys are exact.
    Sram,
    /// Some are not.
    Tcam,
}

/// What a table asks of stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    /// Where it matches.
    pub memory: MatchMemory,
    /// The widths of its keys together.
    pub key_bits: u32,
    /// The most data that one of its actions takes.
    pub action_data_bits: u32,
    /// How many entries it can hold.
    pub entries: u64,
    /// How many words of TCAM an entry may take, for its ranges.
    pub words_per_entry: u64,
    /// How many members its action profile can hold, if it has one.
    pub members: Option<u64>,
    /// Whether a hash chooses among members.
    pub selects: bool,
}

/// Blocks of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Blocks {
    /// Of SRAM.
    pub sram: u64,
    /// Of TCAM.
    pub tcam: u64,
}

impl TableShape {
    /// What a table asks of stages.
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

    /// The blocks of a part of the table that holds some of its entries, the members of its profile not counted.
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

    /// The blocks of the members of its profile.
    pub fn member_blocks(&self) -> u64 {
        self.members.map_or(0, |members| self.data_blocks(members))
    }

    fn data_blocks(&self, records: u64) -> u64 {
        u64::from(self.action_data_bits).div_ceil(DATA_BITS) * records.div_ceil(SRAM_WORDS)
    }

    /// The most entries, at most `at_most`, that a part can hold in what is left of a stage.
    pub fn entries_in(&self, left: Blocks, at_most: u64) -> u64 {
        let fits = |entries| {
            let blocks = self.blocks(entries);
            blocks.sram <= left.sram && blocks.tcam <= left.tcam
        };
        if fits(at_most) {
            return at_most;
        }
        // Blocks grow with entries.
        let (mut low, mut high) = (0, at_most);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if fits(middle) { low = middle } else { high = middle }
        }
        low
    }
}

/// The blocks of SRAM of registers that lie together.
pub fn register_blocks(program: &Program, registers: &[RegisterId]) -> u64 {
    registers.iter().map(|&id| blocks_of_register(program.register(id))).sum()
}

fn blocks_of_register(register: &Register) -> u64 {
    let side_by_side = (DATA_BITS / u64::from(register.ty.width())).max(1);
    (register.size() as u64).div_ceil(side_by_side).div_ceil(SRAM_WORDS)
}

/// How many words of TCAM the ranges of an entry take at most.
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

/// The most prefixes that a range of some bits takes.
fn worst(width: u32) -> u64 {
    u64::from(2 * width).saturating_sub(2).max(1)
}

/// The prefixes that a range takes: the greatest aligned block that begins at its low end and ends inside, and so on.
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
    fn a_range_is_as_many_prefixes_as_it_takes() {
        let count = |low: u64, high: u64| prefixes(&Bits::Narrow(low), &Bits::Narrow(high), 16);
        assert_eq!(count(0, 0xffff), 1);
        assert_eq!(count(80, 80), 1);
        assert_eq!(count(1024, 0xffff), 6);
        // The worst one of 16 bits.
        assert_eq!(count(1, 0xfffe), worst(16));
        assert_eq!(count(0, u64::MAX), 1);
    }

    #[test]
    fn parts_take_what_is_left() {
        let exact = TableShape {
            memory: MatchMemory::Sram,
            key_bits: 100,
            action_data_bits: 97,
            entries: 100_000,
            words_per_entry: 1,
            members: None,
            selects: false,
        };
        // Two words of key and two of data for each 1,024 entries, and no part of less than four ways.
        assert_eq!(exact.blocks(1), Blocks { sram: 8 + 2, tcam: 0 });
        assert_eq!(exact.blocks(10_240), Blocks { sram: 40, tcam: 0 });
        assert_eq!(exact.entries_in(Blocks { sram: 42, tcam: 0 }, 100_000), 10_240);
        assert_eq!(exact.entries_in(Blocks { sram: 9, tcam: 0 }, 100_000), 0);
        assert_eq!(exact.entries_in(Blocks { sram: 1000, tcam: 0 }, 100_000), 100_000);
    }
}
