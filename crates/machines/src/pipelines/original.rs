//! Where pipelines hold the state of the program as its author wrote it.

use std::ops::Range;

use ir::{CounterId, Program, RegisterId};
use passes::flatten::{CounterPart, Flattened, RegisterPart};
use runtime::{Count, RegisterFile, State};

/// What each register of a flat program holds of the program as it was written.
#[derive(Clone, Debug)]
pub(super) struct Original {
    parts: Vec<Part>,
    /// True if the program was flat when it was written.
    is_itself: bool,
}

/// What one register of a flat program holds.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// One limb of each value of a register.
    Limb { register: usize, limb: usize },
    /// The number of packets that each place of a counter has counted.
    Packets(CounterId),
    /// The number of bytes that each place of a counter has counted.
    Bytes(CounterId),
    /// Nothing that the written program has.
    Nothing,
}

/// The state of the written program that one flat register holds part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    /// An array of registers.
    Register(usize),
    /// An array of counters.
    Counter(usize),
}

impl Part {
    /// The array of the written program's state that it is part of.
    fn array(self) -> Option<Array> {
        match self {
            Self::Limb { register, .. } => Some(Array::Register(register)),
            Self::Packets(counter) | Self::Bytes(counter) => Some(Array::Counter(counter.index())),
            Self::Nothing => None,
        }
    }
}

impl Original {
    /// A program that was flat when it was written.
    pub(super) fn itself(program: &Program) -> Self {
        let whole = |register| Part::Limb { register, limb: 0 };
        Self { parts: (0..program.registers.len()).map(whole).collect(), is_itself: true }
    }

    /// The program that was flattened.
    pub(super) fn of(flattened: &Flattened) -> Self {
        let mut parts = vec![Part::Nothing; flattened.flat.registers.len()];
        for &RegisterPart { original, register, low, .. } in &flattened.registers {
            debug_assert!(low.is_multiple_of(64), "a piece of a register is one of its limbs");
            parts[register.index()] = Part::Limb { register: original.index(), limb: low as usize / 64 };
        }
        for &CounterPart { counter, packets, bytes } in &flattened.counters {
            for (register, part) in [(packets, Part::Packets(counter)), (bytes, Part::Bytes(counter))] {
                if let Some(register) = register {
                    parts[register.index()] = part;
                }
            }
        }
        Self { parts, is_itself: false }
    }

    /// True if the registers of the flat program are those of the written one.
    pub(super) fn is_itself(&self) -> bool {
        self.is_itself
    }

    /// The flat registers that hold an array, and what they hold of it.
    fn holding(&self, array: Array) -> impl Iterator<Item = (RegisterId, Part)> {
        let parts = self.parts.iter().enumerate().filter(move |(_, part)| part.array() == Some(array));
        parts.map(|(at, part)| (RegisterId::from(at), *part))
    }

    /// Brings an array of the state up to date: all of it, or one index. `value` gives what a flat register holds.
    pub(super) fn fetch(
        &self,
        array: Array,
        index: Option<usize>,
        state: &mut State,
        value: impl Fn(RegisterId, usize) -> u64,
    ) {
        for (register, part) in self.holding(array) {
            for index in places(index, size(state, array)) {
                set(state, part, index, value(register, index));
            }
        }
    }

    /// Tells what the flat registers must hold for an array of the state: all of it, or one index.
    pub(super) fn store(
        &self,
        array: Array,
        index: Option<usize>,
        state: &State,
        mut tell: impl FnMut(RegisterId, usize, u64),
    ) {
        for (register, part) in self.holding(array) {
            for index in places(index, size(state, array)) {
                tell(register, index, get(state, part, index));
            }
        }
    }

    /// Brings all registers and counters of the state up to date.
    pub(super) fn fetch_all(&self, flat: &RegisterFile, state: &mut State) {
        for (at, part) in self.parts.iter().enumerate() {
            let Some(array) = part.array() else { continue };
            for (index, &value) in flat.array(at).iter().enumerate().take(size(state, array)) {
                set(state, *part, index, value);
            }
        }
    }

    /// Makes all flat registers hold what they must for this state.
    pub(super) fn store_all(&self, state: &State, flat: &mut RegisterFile) {
        for (at, part) in self.parts.iter().enumerate() {
            let Some(array) = part.array() else { continue };
            for (index, value) in flat.array_mut(at).iter_mut().enumerate().take(size(state, array)) {
                *value = get(state, *part, index);
            }
        }
    }
}

/// All places of an array of this size, or one of them; none if there is no such place.
fn places(index: Option<usize>, size: usize) -> Range<usize> {
    match index {
        Some(index) if index < size => index..index + 1,
        Some(_) => 0..0,
        None => 0..size,
    }
}

/// The number of places of an array.
fn size(state: &State, array: Array) -> usize {
    match array {
        Array::Register(register) => state.registers.size(register),
        Array::Counter(counter) => state.counters[counter].counts().len(),
    }
}

fn get(state: &State, part: Part, index: usize) -> u64 {
    let count = |counter: CounterId| state.counters[counter.index()].get(index).unwrap_or_default();
    match part {
        Part::Limb { register, limb } => {
            state.registers.array(register)[index * state.registers.stride(register) + limb]
        }
        Part::Packets(counter) => count(counter).packets,
        Part::Bytes(counter) => count(counter).bytes,
        Part::Nothing => 0,
    }
}

fn set(state: &mut State, part: Part, index: usize, value: u64) {
    let mut count = |counter: CounterId, change: fn(&mut Count, u64)| {
        let counters = &mut state.counters[counter.index()];
        let mut count = counters.get(index).unwrap_or_default();
        change(&mut count, value);
        counters.set(index, count);
    };
    match part {
        Part::Limb { register, limb } => {
            let stride = state.registers.stride(register);
            state.registers.array_mut(register)[index * stride + limb] = value;
        }
        Part::Packets(counter) => count(counter, |count, value| count.packets = value),
        Part::Bytes(counter) => count(counter, |count, value| count.bytes = value),
        Part::Nothing => {}
    }
}
