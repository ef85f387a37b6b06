//! All state of a running program.

mod table;

pub use table::{DirectError, TableState};

use crate::tables::FieldMatch;
use crate::{Bits, CounterArray, MeterArray, Profile, RegisterFile};

/// A parser's value set: its members, each with what it asks of the fields that a `select` compares, in their order
/// (P4_16 specification 1.2.5, section 13.11).
pub type ValueSet = Vec<Vec<FieldMatch>>;

/// All state of a running program, by the numbers that the IR gives: register 0, table 0 and so on. It knows no names;
/// those are the control plane's.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Registers.
    pub registers: RegisterFile,
    /// Counters; direct ones are with their tables.
    pub counters: Vec<CounterArray>,
    /// Meters; direct ones are with their tables.
    pub meters: Vec<MeterArray>,
    /// Tables.
    pub tables: Vec<TableState>,
    /// Action profiles and selectors.
    pub profiles: Vec<Profile>,
    /// Value sets.
    pub value_sets: Vec<ValueSet>,
}

impl State {
    /// The same state with other registers, of which these may be many: they are not copied.
    pub fn with_registers(&self, registers: RegisterFile) -> Self {
        let Self { registers: _, counters, meters, tables, profiles, value_sets } = self;
        Self {
            registers,
            counters: counters.clone(),
            meters: meters.clone(),
            tables: tables.clone(),
            profiles: profiles.clone(),
            value_sets: value_sets.clone(),
        }
    }
}

basis::snapshot!(State { values value_sets; parts registers, counters, meters, tables, profiles; });

/// True if a value set has a member that asks for these values, which are as wide as `widths` says.
#[inline]
pub fn value_set_contains(set: &[Vec<FieldMatch>], values: &[Bits], widths: &[u32]) -> bool {
    set.iter().any(|member| {
        member.len() == values.len()
            && member.iter().zip(values).zip(widths).all(|((asked, value), &width)| asked.matches(value, width))
    })
}
