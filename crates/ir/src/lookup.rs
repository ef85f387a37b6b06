//! Look-ups: what a table says of keys, without running anything.
//!
//! A table that only the control plane writes is a pure function for every packet between two of its changes. Programs
//! for run-to-completion machines apply tables ([`crate::Flow::Apply`]); pipelines, in which everything is an operation
//! on values, ask them by [`crate::Expression::Lookup`]. Both find by the same rules, which are here.

use basis::Random;
use runtime::checksum::BitString;
use runtime::tables::{EntryHandle, Target};
use runtime::{Bits, State};

use crate::{Expression, Program, Table, TableId, Type};

/// What one look-up asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lookup {
    /// Which table. Its keys and selector say widths here, and nothing else.
    pub table: TableId,
    /// The values of the keys, and behind them those of the selector, as words: for each as many as its width takes,
    /// of 64 bits but the last, the lowest bits first. Numbers and bools of at most 64 bits.
    pub keys: Vec<Expression>,
    /// What is asked.
    pub result: LookupResult,
}

/// What of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LookupResult {
    /// Whether an entry matched: a bool.
    Hit,
    /// Whether this action of the table's list is the one that runs: a bool. At most one of them does.
    Runs(u32),
    /// Bits of the data that the entry gives to an action; 0 if another one runs.
    Data {
        /// The action, by its place in the table's list.
        action: u32,
        /// The parameter, by its place.
        parameter: u32,
        /// Where in it the bits begin, from the lowest.
        low: u16,
        /// As what: of at most 64 bits.
        ty: Type,
    },
}

impl LookupResult {
    /// The type of the answer.
    pub const fn ty(self) -> Type {
        match self {
            Self::Hit | Self::Runs(_) => Type::Bool,
            Self::Data { ty, .. } => ty,
        }
    }
}

/// What a table says of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'s> {
    /// The entry that matched.
    pub entry: Option<EntryHandle>,
    /// The action that runs, by its place in the table's list, and its data; a default whose member is gone runs
    /// nothing.
    pub runs: Option<(u32, &'s [Bits])>,
}

impl<'s> Found<'s> {
    /// What an entry leads to, or the default if none matched. `hash` is that of the selector keys, and means nothing
    /// unless [`asks_selector`] says so.
    pub fn of(state: &'s State, id: TableId, table: &Table, entry: Option<EntryHandle>, hash: u64) -> Self {
        let resolve = |entry| match target(state, id, entry) {
            Target::Action { action, data } => Some((*action, data.as_slice())),
            leads => {
                let profile = &state.profiles[table.profile?.index()];
                let member = match leads {
                    Target::Group(group) => profile.choose(*group, hash)?,
                    Target::Member(member) => *member,
                    Target::Action { .. } => unreachable!("seen above"),
                };
                profile.member(member).map(|member| (member.action, member.data.as_slice()))
            }
        };
        match (entry, resolve(entry)) {
            // An entry that leads nowhere, such as to an empty group, is as if it did not match: v1model does not say
            // what happens then.
            (Some(_), None) => Self { entry: None, runs: resolve(None) },
            (entry, runs) => Self { entry, runs },
        }
    }

    /// The answer to a look-up.
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

/// True if the hash of the selector keys may decide where an entry, or the default, leads.
pub fn asks_selector(state: &State, id: TableId, entry: Option<EntryHandle>) -> bool {
    let is_group = |entry| matches!(target(state, id, entry), Target::Group(_));
    is_group(entry) || is_group(None)
}

/// What a table says of keys given as words: [`Lookup::keys`].
pub fn find<'s>(program: &Program, state: &'s State, id: TableId, words: &[u64]) -> Found<'s> {
    let table = &program.tables[id.index()];
    let (keys, selector) = words.split_at(key_words(program, table));
    let entry = state.tables[id.index()].lookup_words(keys);
    let hash = if asks_selector(state, id, entry) { selector_hash(program, table, selector) } else { 0 };
    Found::of(state, id, table, entry, hash)
}

/// How many words the keys of a table take.
pub fn key_words(program: &Program, table: &Table) -> usize {
    table.keys.iter().map(|key| words_of(program.type_of(&key.value))).sum()
}

/// How many words a value of a type takes.
pub const fn words_of(ty: Type) -> usize {
    ty.width().div_ceil(64) as usize
}

/// The hash of selector keys given as words.
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
    // Nobody gave a seed: an algorithm that draws is for those who carry one.
    selection.hash(data.bytes(), &mut Random::new(0))
}

/// What happens to a packet that an entry matches, or none.
pub(crate) fn target(state: &State, id: TableId, entry: Option<EntryHandle>) -> &Target {
    let table = &state.tables[id.index()];
    entry.and_then(|entry| table.matches().get(entry)).map_or(table.default_target(), |entry| &entry.target)
}
