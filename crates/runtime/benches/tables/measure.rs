//! One row: a table is filled, and keys are looked up in it.

use std::hint::black_box;
use std::time::Instant as WallClock;

use runtime::Bits;
use runtime::tables::{Entry, FieldMatch, KeyField, MatchTable, Target};

use crate::list::List;

/// Keys that are looked up in turn: more than the first-level cache remembers.
pub const KEYS: usize = 1 << 15;

/// A round through all keys is timed this often; the best counts, for what disturbs a run only makes it slower.
const ROUNDS: usize = 15;

/// A table to measure.
pub struct Case {
    pub fields: Vec<KeyField>,
    /// What each entry asks for, with its priority.
    pub entries: Vec<(Vec<FieldMatch>, u32)>,
    pub keys: Vec<Vec<Bits>>,
}

pub fn heading() {
    println!(
        "{:<32} {:>9} {:>9} {:>7} {:>9} {:>12} {:>12}",
        "", "ns/key", "ns (Bits)", "hits", "ns (list)", "inserts/s", "deletes/s"
    );
}

pub fn row(name: &str, case: &Case, with_list: bool) {
    let mut table = MatchTable::new(case.fields.clone(), None);
    let entry = |(key, priority): &(Vec<FieldMatch>, u32)| Entry {
        key: key.clone(),
        priority: *priority,
        target: Target::Action { action: 0, data: Vec::new() },
        is_constant: false,
    };
    let entries: Vec<Entry> = case.entries.iter().map(entry).collect();
    let start = WallClock::now();
    // What a generator makes twice the table refuses.
    let handles: Vec<_> = entries.into_iter().filter_map(|entry| table.insert(entry).ok()).collect();
    let inserting = start.elapsed().as_secs_f64();
    let count = handles.len() as f64;

    let words: Vec<u64> = case.keys.iter().flat_map(|key| key.iter().flat_map(Bits::limbs).copied()).collect();
    let length = words.len() / case.keys.len();
    let hits = case.keys.iter().filter(|key| table.lookup(key).is_some()).count();
    let keys = case.keys.len();
    let in_words =
        best(keys, || words.chunks_exact(length).for_each(|key| _ = black_box(table.lookup_words(black_box(key)))));
    let in_bits = best(keys, || case.keys.iter().for_each(|key| _ = black_box(table.lookup(black_box(key)))));
    let list = with_list.then(|| {
        let list = List::new(&case.fields, &case.entries);
        // A tenth of the keys are enough, for a list is slow.
        let some = &words[..words.len() / 10 / length * length];
        best(some.len() / length, || {
            some.chunks_exact(length).for_each(|key| _ = black_box(list.lookup(black_box(key))))
        })
    });

    let start = WallClock::now();
    handles.into_iter().for_each(|handle| _ = black_box(table.delete(handle)));
    let deleting = start.elapsed().as_secs_f64();
    let list = list.map_or(String::new(), |list| format!("{list:.0}"));
    let hits = 100.0 * hits as f64 / case.keys.len() as f64;
    println!(
        "{name:<32} {in_words:>9.1} {in_bits:>9.1} {hits:>6.1}% {list:>9} {:>12.0} {:>12.0}",
        count / inserting,
        count / deleting
    );
}

/// Nanoseconds a key, in the best of several rounds through all keys.
fn best(keys: usize, mut round: impl FnMut()) -> f64 {
    let time = |_| {
        let start = WallClock::now();
        round();
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(time).fold(f64::INFINITY, f64::min) * 1e9 / keys as f64
}
