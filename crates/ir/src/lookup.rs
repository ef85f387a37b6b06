//! Table look-ups as pure functions of their keys.
//!
//! A table that only the control plane writes is a pure function for every packet between two of its changes. Programs
//! for run-to-completion machines apply tables ([`crate::Flow::Apply`]). In pipelines, where everything is an operation
//! on values, tables are queried by [`crate::Expression::Lookup`]. Both follow the rules defined here.

use basis::Random;
use runtime::checksum::BitString;
use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, ProgramState};

use crate::{Expression, Program, Table, TableId, Type};

/// One query of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lookup {
    /// The table. Only the widths of its keys and of its selector matter here, not the expressions.
    pub table: TableId,
    /// The values of the keys followed by those of the selector, as words. Each value takes one word for every 64 bits
    /// of its width, the least significant word first; only the last word may be narrower than 64 bits. Words are
    /// numbers or bools of at most 64 bits.
    pub keys: Vec<Expression>,
    /// The part of the result that is asked for.
    pub result: LookupResult,
}

/// The part of a look-up's result that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LookupResult {
    /// Whether an entry matched, as a bool.
    Hit,
    /// Whether the action at this index of the table's list runs, as a bool. At most one of them does.
    Runs(u32),
    /// Bits of the data that the entry passes to an action; 0 if another action runs.
    Data {
        /// The index of the action in the table's list.
        action: u32,
        /// The index of the parameter.
        parameter: u32,
        /// The lowest bit, counted from the least significant bit of the parameter.
        low: u16,
        /// The type of the result, of at most 64 bits.
        ty: Type,
    },
}

impl LookupResult {
    /// The type of the result.
    pub const fn ty(self) -> Type {
        match self {
            Self::Hit | Self::Runs(_) => Type::Bool,
            Self::Data { ty, .. } => ty,
        }
    }
}

/// The result of looking up a packet's keys in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'s> {
    /// The entry that matched; `None` on a miss.
    pub entry: Option<EntryHandle>,
    /// The index in the table's list of the action that runs, and its data. `None` if the default leads to a member
    /// that does not exist: then no action runs.
    pub runs: Option<(u32, &'s [Bits])>,
}

impl<'s> Found<'s> {
    /// Resolves an entry, or the default if none matched, to an action. `hash` is the hash of the selector keys; it is
    /// used only if [`asks_selector`] returns true.
    pub fn of(state: &'s ProgramState, id: TableId, table: &Table, entry: Option<EntryHandle>, hash: u64) -> Self {
        let resolve = |entry| match target(state, id, entry) {
            Target::Action { action, data } => Some((*action, data.as_slice())),
            leads => {
                let profile = &state.profiles[table.profile?.index()];
                let member = match leads {
                    Target::Group(group) => profile.member(profile.choose(*group, hash, &state.registers)?),
                    Target::ActionSet(set) => profile.choose_of_set(*set, hash),
                    Target::Member(member) => profile.member(*member),
                    Target::Action { .. } => unreachable!("seen above"),
                };
                member.map(|member| (member.action, member.data.as_slice()))
            }
        };
        match (entry, resolve(entry)) {
            // An entry that leads nowhere, such as to an empty group, is treated as a miss: v1model leaves this case
            // open.
            (Some(_), None) => Self { entry: None, runs: resolve(None) },
            (entry, runs) => Self { entry, runs },
        }
    }

    /// Returns the part of the result that a look-up asks for.
    pub fn answer(&self, result: LookupResult) -> Bits {
        match (result, self.runs) {
            (LookupResult::Hit, _) => Bits::from(self.entry.is_some()),
            (LookupResult::Runs(action), runs) => Bits::from(runs.is_some_and(|(runs, _)| runs == action)),
            (LookupResult::Data { action, parameter, low, ty }, Some((runs, data))) if runs == action => {
                let (low, width) = (u32::from(low), ty.width());
                data[parameter as usize].slice(low + width - 1, low)
            }
            (LookupResult::Data { ty, .. }, _) => Bits::zero(ty.width()),
        }
    }
}

/// Returns true if the hash of the selector keys may decide where an entry, or the default, leads.
pub fn asks_selector(state: &ProgramState, id: TableId, entry: Option<EntryHandle>) -> bool {
    let is_group = |entry| matches!(target(state, id, entry), Target::Group(_) | Target::ActionSet(_));
    is_group(entry) || is_group(None)
}

/// Looks up keys that are given as words, as in [`Lookup::keys`].
///
/// # Panics
/// If the table does not exist, or if there are fewer words than its keys take.
pub fn find<'s>(program: &Program, state: &'s ProgramState, id: TableId, words: &[u64]) -> Found<'s> {
    let table = &program.tables[id.index()];
    let (keys, selector) = words.split_at(key_words(program, table));
    let entry = state.tables[id.index()].lookup_words(keys);
    let hash = if asks_selector(state, id, entry) { selector_hash(program, table, selector) } else { 0 };
    Found::of(state, id, table, entry, hash)
}

/// The number of words that the keys of a table take.
pub fn key_words(program: &Program, table: &Table) -> usize {
    table.keys.iter().map(|key| words_of(program.type_of(&key.value))).sum()
}

/// The number of words that a value of a type takes.
pub const fn words_of(ty: Type) -> usize {
    ty.width().div_ceil(64) as usize
}

/// The hash of selector keys that are given as words.
fn selector_hash(program: &Program, table: &Table, mut words: &[u64]) -> u64 {
    let selection = table.profile.and_then(|profile| program.profiles[profile.index()].selection.as_ref());
    let Some(selection) = selection else { return 0 };
    let mut data = BitString::new();
    for key in &table.selector {
        let ty = program.type_of(key);
        let (own, others) = words.split_at(words_of(ty));
        data.push(&Bits::from_limbs(own, ty.width()), ty.width());
        words = others;
    }
    // No seed is given here: an algorithm that draws random numbers always draws the same ones.
    selection.hash(data.bytes(), &mut Random::new(0))
}

/// The target of an entry, or of the default if no entry matched.
pub(crate) fn target(state: &ProgramState, id: TableId, entry: Option<EntryHandle>) -> &Target {
    let table = &state.tables[id.index()];
    entry.and_then(|entry| table.matches().get(entry)).map_or(table.default_target(), |entry| &entry.target)
}
