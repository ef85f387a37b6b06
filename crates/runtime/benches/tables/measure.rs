//! One row of the output: a table is filled, and keys are looked up in it.

use std::hint::black_box;
use std::time::Instant as WallClock;

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchTable, TableEntry, Target};

use crate::list::List;

/// The number of different keys that are looked up: more than the first-level cache holds.
pub const KEYS: usize = 1 << 15;

/// The number of keys per timed run, which is shorter than the operating system's time slice.
const AT_ONCE: usize = 1 << 10;

/// The number of times that each run is repeated. The fastest counts, because disturbances only make a run slower.
const ROUNDS: usize = 31;

/// A table to measure.
pub struct Case {
    pub fields: Vec<KeyField>,
    /// The match of each entry, with its priority.
    pub entries: Vec<(Vec<FieldMatch>, u32)>,
    pub keys: Vec<Vec<Bits>>,
}

pub fn heading() {
    println!(
        "{:<28} {:>8} {:>9} {:>7} {:>9} {:>10} {:>10} {:>8}",
        "", "ns/key", "ns (Bits)", "hits", "ns (list)", "inserts/s", "deletes/s", "KiB"
    );
}

pub fn row(name: &str, case: &Case, with_list: bool) {
    let mut table = MatchTable::new(case.fields.clone(), None);
    let entry = |(key, priority): &(Vec<FieldMatch>, u32)| TableEntry {
        key: key.clone(),
        priority: *priority,
        target: Target::Action { action: 0, data: Vec::new() },
        is_constant: false,
    };
    let entries: Vec<TableEntry> = case.entries.iter().map(entry).collect();
    let start = WallClock::now();
    // The table refuses duplicates that a generator makes.
    let handles: Vec<_> = entries.into_iter().filter_map(|entry| table.insert(entry).ok()).collect();
    let inserting = start.elapsed().as_secs_f64();
    let count = handles.len() as f64;

    let words: Vec<u64> = case.keys.iter().flat_map(|key| key.iter().flat_map(Bits::limbs).copied()).collect();
    let length = words.len() / case.keys.len();
    let hits = case.keys.iter().filter(|key| table.lookup(key).is_some()).count();
    let keys = case.keys.len();
    let in_words = best(keys, |at| _ = black_box(table.lookup_words(black_box(&words[at * length..][..length]))));
    let in_bits = best(keys, |at| _ = black_box(table.lookup(black_box(&case.keys[at]))));
    let list = with_list.then(|| {
        let list = List::new(&case.fields, &case.entries);
        // A fraction of the keys is enough, because a list is slow.
        best(keys / 8, |at| _ = black_box(list.lookup(black_box(&words[at * length..][..length]))))
    });

    let memory = table.memory() / 1024;
    let start = WallClock::now();
    handles.into_iter().for_each(|handle| _ = black_box(table.delete(handle)));
    let deleting = start.elapsed().as_secs_f64();
    let list = list.map_or(String::new(), |list| format!("{list:.0}"));
    let hits = 100.0 * hits as f64 / case.keys.len() as f64;
    println!(
        "{name:<28} {in_words:>8.1} {in_bits:>9.1} {hits:>6.1}% {list:>9} {:>10.0} {:>10.0} {memory:>8}",
        count / inserting,
        count / deleting
    );
}

/// Returns the nanoseconds of looking up one of `keys` keys; `lookup` is given the index of the key.
fn best(keys: usize, lookup: impl Fn(usize)) -> f64 {
    let mut fastest = vec![f64::INFINITY; keys / AT_ONCE];
    for _ in 0..ROUNDS {
        for (part, fastest) in fastest.iter_mut().enumerate() {
            let start = WallClock::now();
            (part * AT_ONCE..(part + 1) * AT_ONCE).for_each(&lookup);
            *fastest = fastest.min(start.elapsed().as_secs_f64());
        }
    }
    fastest.iter().sum::<f64>() * 1e9 / (fastest.len() * AT_ONCE) as f64
}
