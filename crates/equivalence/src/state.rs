//! Comparison of the final state of a program with that of a machine: registers, counters, meters, and the memory and records of
//! threads, by name.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Counter, CounterUnit, Program, Threads, Type};
use runtime::memory::SharedMemory;
use runtime::records::RecordTable;
use runtime::{Count, ProgramState, RegisterFile};

use crate::difference::{RegisterDifference, number};

/// Calls `found` for each difference between two states of a program, in the order of the program.
pub(crate) fn differences(
    program: &Program,
    expected: &ProgramState,
    machine: &ProgramState,
    mut found: impl FnMut(RegisterDifference),
) {
    registers(program, &expected.registers, &machine.registers, &mut found);
    if let Some(threads) = &program.threads {
        memory(threads, &expected.memory, &machine.memory, &mut found);
        for (at, table) in threads.records.iter().enumerate() {
            records(&table.name, expected.records.get(at), machine.records.get(at), &mut found);
        }
    }
    for (at, counter) in program.counters.iter().enumerate() {
        if let Some(ours) = expected.counters.get(at) {
            let theirs = machine.counters.get(at);
            for (index, count) in ours.counts().iter().enumerate() {
                let theirs = theirs.and_then(|theirs| theirs.get(index));
                counts(counter, index as u64, *count, theirs, &mut found);
            }
        }
    }
    for (at, meter) in program.meters.iter().enumerate() {
        let Some(ours) = expected.meters.get(at) else { continue };
        let theirs = machine.meters.get(at);
        for index in 0..ours.len() {
            let theirs = theirs.and_then(|theirs| theirs.tokens(index));
            tokens(&meter.name, index as u64, ours.tokens(index), theirs, &mut found);
        }
    }
    for (at, table) in program.tables.iter().enumerate() {
        let (ours, theirs) = (&expected.tables[at], machine.tables.get(at));
        for (entry, _) in ours.matches().entries() {
            if let Some(counter) = table.counter {
                let theirs = theirs.and_then(|theirs| theirs.counter(entry));
                let count = ours.counter(entry).unwrap_or_default();
                counts(&program.counters[counter.index()], entry.0.into(), count, theirs, &mut found);
            }
            if let Some((meter, _)) = table.meter {
                let theirs = theirs.and_then(|theirs| theirs.meter_tokens(entry));
                let name = &program.meters[meter.index()].name;
                tokens(name, entry.0.into(), ours.meter_tokens(entry), theirs, &mut found);
            }
        }
    }
}

/// Compares registers. Those of more than 64 bits are compared limb by limb, the least significant first.
fn registers(
    program: &Program,
    expected: &RegisterFile,
    machine: &RegisterFile,
    found: &mut impl FnMut(RegisterDifference),
) {
    for (id, register) in program.registers.iter().enumerate() {
        let theirs = if id < machine.len() { machine.array(id) } else { &[] };
        let stride = expected.stride(id);
        for (place, &value) in expected.array(id).iter().enumerate() {
            if theirs.get(place) == Some(&value) {
                continue;
            }
            let (index, limb) = (place / stride, place % stride);
            let (name, ty) = match stride {
                1 => (register.name.clone(), register.ty),
                _ => (format!("{}.{}", register.name, 64 * limb), Type::Bits(64)),
            };
            found(RegisterDifference {
                register: name,
                index: register.length.map(|_| index as u64),
                expected: number(ty, value),
                machine: theirs.get(place).map(|&value| number(ty, value)),
            });
        }
    }
}

/// Compares the words of shared memory. The index of a word is its distance from the beginning of its segment, in bytes.
fn memory(
    threads: &Threads,
    expected: &SharedMemory,
    machine: &SharedMemory,
    found: &mut impl FnMut(RegisterDifference),
) {
    for (number, segment) in threads.segments.iter().enumerate() {
        for (address, ours, theirs) in expected.differences(machine, number) {
            found(RegisterDifference {
                register: segment.name.clone(),
                index: Some(address - segment.address),
                expected: ours.into(),
                machine: Some(theirs.into()),
            });
        }
    }
}

/// Compares the records of a table: which places have one, their keys by words of 8 bytes, and their flags.
fn records(
    name: &str,
    expected: Option<&RecordTable>,
    machine: Option<&RecordTable>,
    found: &mut impl FnMut(RegisterDifference),
) {
    let all = |table: Option<&RecordTable>| -> BTreeMap<u32, (Vec<u8>, bool)> {
        let records = table.into_iter().flat_map(RecordTable::records);
        records.map(|(place, key, is_referenced)| (place, (key.to_vec(), is_referenced))).collect()
    };
    let (ours, theirs) = (all(expected), all(machine));
    let places: BTreeSet<u32> = ours.keys().chain(theirs.keys()).copied().collect();
    for place in places {
        let mut differ = |part: &str, expected: u64, machine: Option<u64>| {
            if machine != Some(expected) {
                found(RegisterDifference {
                    register: format!("{name}.{part}"),
                    index: Some(place.into()),
                    expected: expected.into(),
                    machine: machine.map(i128::from),
                });
            }
        };
        match (ours.get(&place), theirs.get(&place)) {
            (Some((key, is_referenced)), Some((other_key, other_is_referenced))) => {
                for (number, (word, other)) in key.chunks(8).zip(other_key.chunks(8)).enumerate() {
                    let value = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
                    differ(&format!("key.{}", 8 * number), value(word), Some(value(other)));
                }
                differ("is_referenced", (*is_referenced).into(), Some((*other_is_referenced).into()));
            }
            (ours, theirs) => differ("exists", ours.is_some().into(), Some(theirs.is_some().into())),
        }
    }
}

/// Compares the tokens in the buckets of meters; a meter without rates has none.
fn tokens(
    name: &str,
    index: u64,
    expected: Option<[u128; 2]>,
    machine: Option<[u128; 2]>,
    found: &mut impl FnMut(RegisterDifference),
) {
    if expected == machine {
        return;
    }
    for (at, bucket) in ["committed", "peak"].into_iter().enumerate() {
        let number = |tokens: Option<[u128; 2]>| tokens.map(|tokens| i128::try_from(tokens[at]).unwrap_or(i128::MAX));
        if number(expected) != number(machine) {
            found(RegisterDifference {
                register: format!("{name}.{bucket}"),
                index: Some(index),
                expected: number(expected).unwrap_or(0),
                machine: number(machine),
            });
        }
    }
}

/// The values that counters hold, with the kinds of counters that hold them.
type Shown = (&'static str, [CounterUnit; 2], fn(&Count) -> u64);

const SHOWN: [Shown; 2] = [
    ("packets", [CounterUnit::Packets, CounterUnit::PacketsAndBytes], |count| count.packets),
    ("bytes", [CounterUnit::Bytes, CounterUnit::PacketsAndBytes], |count| count.bytes),
];

fn counts(
    counter: &Counter,
    index: u64,
    expected: Count,
    machine: Option<Count>,
    found: &mut impl FnMut(RegisterDifference),
) {
    for (what, shown, of) in SHOWN {
        if shown.contains(&counter.unit) && machine.as_ref().map(of) != Some(of(&expected)) {
            found(RegisterDifference {
                register: format!("{}.{what}", counter.name),
                index: Some(index),
                expected: of(&expected).into(),
                machine: machine.as_ref().map(|count| of(count).into()),
            });
        }
    }
}
