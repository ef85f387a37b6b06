//! Look-ups in tables and value sets.

use ir::lookup::{self, Found};
use ir::{Program, TableId};
use runtime::Bits;
use runtime::tables::{EntryHandle, Shortcut, TargetWords};

use crate::context::{Context, Words};
use crate::layout::words_of;

/// A flag in the result of [`find`]: an entry matched.
pub(crate) const HIT: u64 = Shortcut::HIT;
/// A flag in the result of [`find`]: no action runs.
pub(crate) const NOTHING_RUNS: u64 = 1 << 33;

#[inline]
fn entry(context: &mut Context<'_, '_>, table: u64, key: Words, words: u64) -> Option<EntryHandle> {
    context.around.state.tables[table as usize].lookup_words(key.read(words))
}

/// Looks up a key of `words` words in a table without an action profile. The lowest 32 bits of the result are the
/// number of the action that runs; [`Context::data`] then points at its data.
pub(super) extern "C" fn find(context: &mut Context<'_, '_>, table: u64, key: Words, words: u64) -> u64 {
    found::<false>(context, table, key, words)
}

/// Does the same as [`find`] for code that found no shortcut in the table ([`runtime::tables::Shortcuts`]).
pub(super) extern "C" fn find_without_shortcut(
    context: &mut Context<'_, '_>,
    table: u64,
    key: Words,
    words: u64,
) -> u64 {
    context.around.state.tables[table as usize].ask_for_shortcuts(&context.plan.tables[table as usize].data_words);
    found::<false>(context, table, key, words)
}

/// Does the same as [`find`] for a table whose entries have counters, meters or slots, or of which the times of hits are
/// recorded.
pub(super) extern "C" fn find_and_count(context: &mut Context<'_, '_>, table: u64, key: Words, words: u64) -> u64 {
    found::<true>(context, table, key, words)
}

#[inline(always)] // A call costs as much as the look-up of a short key.
fn found<const COUNTS: bool>(context: &mut Context<'_, '_>, table: u64, key: Words, words: u64) -> u64 {
    let state = &context.around.state.tables[table as usize];
    // Optional tables, such as access lists, are often empty; then nobody needs to look at the key.
    let (entry, target) = match state.matches().is_empty() {
        true => (None, state.target_words(None)),
        false => state.lookup_target(key.read(words)),
    };
    let TargetWords::Action(action) = target else {
        // Only tables with an action profile have such targets.
        return resolve(context, table, entry, 0);
    };
    let (number, data) = (action.action(), action.words());
    context.data = data.as_ptr();
    checked(context, table, number, data.len());
    if COUNTS {
        context.entry = entry;
        count_and_measure(context, table, entry);
    }
    u64::from(number) | if entry.is_some() { HIT } else { 0 }
}

/// Checks that compiled code may read the data as the parameters of the action.
///
/// # Panics
/// Panics if the data does not have the length of the parameters.
#[inline]
fn checked(context: &Context<'_, '_>, table: u64, number: u32, length: usize) {
    let expected = context.plan.tables[table as usize].data_words.get(number as usize);
    // The message contains no numbers: to print them, they would have to be kept in memory for every packet.
    assert!(
        expected.is_some_and(|&expected| expected == length),
        "the entries of a table carry the data that its actions take"
    );
}

/// Updates the time of the last hit of the entry that was hit, and its direct counter and meter unless they are called.
fn count_and_measure(context: &mut Context<'_, '_>, table: u64, entry: Option<EntryHandle>) {
    let Some(entry) = entry else { return };
    let state = &mut context.around.state.tables[table as usize];
    state.hit(entry, context.around.now);
    if context.plan.tables[table as usize].counts_when_called {
        return;
    }
    state.count(entry, context.around.packets, context.around.length);
    if let Some(unit) = state.meter_unit() {
        context.color = state.mark(entry, context.around.now, unit.amount(context.around.length)).number();
    }
}

/// Looks up a key in a table with an action profile. The lowest 32 bits of the result are the entry. [`HIT`] is set if
/// there is one, and [`NOTHING_RUNS`] if the selector keys are needed to find out what runs, if anything.
pub(super) extern "C" fn asks_selector(context: &mut Context<'_, '_>, table: u64, key: Words, words: u64) -> u64 {
    let entry = entry(context, table, key, words);
    let asks = lookup::asks_selector(context.around.state, TableId(table as u32), entry);
    entry.map_or(0, |entry| HIT | u64::from(entry.0)) | if asks { NOTHING_RUNS } else { 0 }
}

/// Returns what runs, in the form of [`find`], for the result `found` of [`asks_selector`]. If that asked for selector
/// keys, `asked` is not 0 and the keys are in the bit string.
pub(super) extern "C" fn choose(context: &mut Context<'_, '_>, table: u64, found: u64, asked: u64) -> u64 {
    let entry = (found & HIT != 0).then_some(EntryHandle(found as u32));
    let hash = if asked != 0 { selector_hash(context, table) } else { 0 };
    resolve(context, table, entry, hash)
}

fn selector_hash(context: &mut Context<'_, '_>, table: u64) -> u64 {
    let program: &Program = &context.plan.program;
    let profile = program.tables[table as usize].profile;
    let selection = profile.and_then(|profile| program.profiles[profile.index()].selection.as_ref());
    let Some(selection) = selection else { return 0 };
    selection.hash(context.memory.bit_string.bytes(), context.around.random)
}

fn resolve(context: &mut Context<'_, '_>, table: u64, entry: Option<EntryHandle>, hash: u64) -> u64 {
    let plan = context.plan;
    let Found { entry, runs } =
        Found::of(context.around.state, TableId(table as u32), &plan.program.tables[table as usize], entry, hash);
    context.entry = entry;
    let hit = if entry.is_some() { HIT } else { 0 };
    let Some((number, data)) = runs else { return hit | NOTHING_RUNS };
    context.memory.data.clear();
    context.memory.data.extend(data.iter().flat_map(Bits::limbs));
    context.data = context.memory.data.as_ptr();
    checked(context, table, number, context.memory.data.len());
    count_and_measure(context, table, entry);
    hit | u64::from(number)
}

/// Returns the slot of the entry that the last look-up found in a table, given the result `found` of that look-up; all ones
/// in 32 bits if there was none.
pub(super) extern "C" fn slot(context: &mut Context<'_, '_>, table: u64, found: u64) -> u64 {
    let entry = context.entry.filter(|_| found & HIT != 0);
    entry.and_then(|entry| context.around.state.tables[table as usize].slot(entry)).unwrap_or(u32::MAX).into()
}

/// Returns the result of a look-up that is part of an expression, given the number of the look-up and the keys.
pub(super) extern "C" fn look_up(context: &mut Context<'_, '_>, number: u64, keys: Words) -> u64 {
    let plan = context.plan;
    let asked = &plan.lookups[number as usize];
    let keys = keys.read(asked.keys.len() as u64);
    lookup::find(&plan.program, context.around.state, asked.table, keys).answer(asked.result).low()
}

/// Returns true if a value set contains the given keys, which are stored one after the other in as many words as the
/// fields of the set take.
pub(super) extern "C" fn value_set(context: &mut Context<'_, '_>, set: u64, keys: Words) -> u64 {
    let fields = &context.plan.program.value_sets[set as usize].fields;
    let mut words = keys.read(fields.iter().map(|field| u64::from(words_of(field.width))).sum());
    let values: Vec<Bits> = fields
        .iter()
        .map(|field| {
            let (own, others) = words.split_at(words_of(field.width) as usize);
            words = others;
            Bits::from_limbs(own, field.width)
        })
        .collect();
    let asked = |member: &Vec<runtime::tables::FieldMatch>| {
        member.iter().zip(&values).zip(fields).all(|((asked, value), field)| asked.matches(value, field.width))
    };
    context.around.state.value_sets[set as usize].iter().any(asked).into()
}
