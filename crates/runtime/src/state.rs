//! All state of a running program.

mod ages;
mod attributes;
mod direct;
mod kept;
mod snapshot;
mod table;

pub use direct::DirectError;
pub use kept::KeptEntry;
pub use table::TableState;

use basis::Instant;

use crate::tables::FieldMatch;
use crate::{Bits, CounterArray, MeterArray, Profile, RegisterFile};

/// A parser value set: its members, each with one match for every field that a `select` compares, in order (P4_16
/// specification 1.2.5, section 13.11).
pub type ValueSet = Vec<Vec<FieldMatch>>;

/// All state of a running program, indexed by the ids of the IR. It knows no names; those belong to the control plane.
#[derive(Clone, Debug, Default)]
pub struct ProgramState {
    /// The registers.
    pub registers: RegisterFile,
    /// The counters, except direct ones, which are in their tables.
    pub counters: Vec<CounterArray>,
    /// The meters, except direct ones, which are in their tables.
    pub meters: Vec<MeterArray>,
    /// The tables.
    pub tables: Vec<TableState>,
    /// The action profiles and selectors.
    pub profiles: Vec<Profile>,
    /// The value sets.
    pub value_sets: Vec<ValueSet>,
}

impl ProgramState {
    /// Returns a copy of the state with other registers. The registers of this state, of which there may be many, are
    /// not copied.
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

impl ProgramState {
    /// Says whether a port is up, for members of groups that depend on it.
    pub fn set_port(&mut self, port: u32, is_up: bool) {
        self.profiles.iter_mut().for_each(|profile| profile.set_port(port, is_up));
    }

    /// Finds the entries of all tables that have not been hit for as long as their idle timeouts say.
    pub fn expire(&mut self, now: Instant) {
        self.tables.iter_mut().for_each(|table| table.expire(now));
    }

    /// Returns the next time at which [`ProgramState::expire`] has something to do.
    pub fn next_idle(&self) -> Option<Instant> {
        self.tables.iter().filter_map(TableState::next_idle).min()
    }
}

basis::snapshot!(ProgramState { values value_sets; parts registers, counters, meters, tables, profiles; });

/// Returns true if a member of the value set matches these values, which have the given widths in bits.
#[inline]
pub fn value_set_contains(set: &[Vec<FieldMatch>], values: &[Bits], widths: &[u32]) -> bool {
    set.iter().any(|member| {
        member.len() == values.len()
            && member.iter().zip(values).zip(widths).all(|((asked, value), &width)| asked.matches(value, width))
    })
}
