//! Comparison of the final state of a program with that of a machine: registers, counters and meters, by name.

use ir::{Counter, CounterUnit, Program, Type};
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
