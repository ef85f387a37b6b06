//! The mapping between the state of the program as written and the registers of the pipelines.

use std::ops::Range;

use ir::{CounterId, Program, RegisterId};
use passes::flatten::{CounterPart, Flattened, RegisterPart};
use runtime::{Count, ProgramState, RegisterFile};

/// The parts of the original program's state that the registers of a flat program hold.
#[derive(Clone, Debug)]
pub(super) struct Original {
    parts: Vec<StatePart>,
    /// Whether the original program was already flat.
    is_itself: bool,
}

/// The part of the state that one register of a flat program holds.
#[derive(Clone, Copy, Debug)]
enum StatePart {
    /// One limb of each value of a register.
    Limb { register: usize, limb: usize },
    /// The packet counts of a counter array.
    Packets(CounterId),
    /// The byte counts of a counter array.
    Bytes(CounterId),
    /// Nothing that exists in the original program.
    Nothing,
}

/// An array of the original program's state, of which flat registers hold parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    /// An array of register values.
    Register(usize),
    /// An array of counters.
    Counter(usize),
}

impl StatePart {
    /// Returns the array to which the part belongs.
    fn array(self) -> Option<Array> {
        match self {
            Self::Limb { register, .. } => Some(Array::Register(register)),
            Self::Packets(counter) | Self::Bytes(counter) => Some(Array::Counter(counter.index())),
            Self::Nothing => None,
        }
    }
}

impl Original {
    /// Creates the identity mapping, for a program that was already flat.
    pub(super) fn itself(program: &Program) -> Self {
        let whole = |register| StatePart::Limb { register, limb: 0 };
        Self { parts: (0..program.registers.len()).map(whole).collect(), is_itself: true }
    }

    /// Creates the mapping of a flattened program.
    pub(super) fn of(flattened: &Flattened) -> Self {
        let mut parts = vec![StatePart::Nothing; flattened.flat.registers.len()];
        for &RegisterPart { original, register, low, .. } in &flattened.registers {
            debug_assert!(low.is_multiple_of(64), "a piece of a register is one of its limbs");
            parts[register.index()] = StatePart::Limb { register: original.index(), limb: low as usize / 64 };
        }
        for &CounterPart { counter, packets, bytes } in &flattened.counters {
            for (register, part) in [(packets, StatePart::Packets(counter)), (bytes, StatePart::Bytes(counter))] {
                if let Some(register) = register {
                    parts[register.index()] = part;
                }
            }
        }
        Self { parts, is_itself: false }
    }

    /// Returns true if the flat program is the original program.
    pub(super) fn is_itself(&self) -> bool {
        self.is_itself
    }

    /// Returns the flat registers that hold parts of an array, with these parts.
    fn holding(&self, array: Array) -> impl Iterator<Item = (RegisterId, StatePart)> {
        let parts = self.parts.iter().enumerate().filter(move |(_, part)| part.array() == Some(array));
        parts.map(|(at, part)| (RegisterId::from(at), *part))
    }

    /// Updates an array of the state, completely or at one index. `value` returns the value of a flat register.
    pub(super) fn fetch(
        &self,
        array: Array,
        index: Option<usize>,
        state: &mut ProgramState,
        value: impl Fn(RegisterId, usize) -> u64,
    ) {
        for (register, part) in self.holding(array) {
            for index in places(index, size(state, array)) {
                set(state, part, index, value(register, index));
            }
        }
    }

    /// Reports the values that flat registers must have for an array of the state, completely or at one index.
    pub(super) fn store(
        &self,
        array: Array,
        index: Option<usize>,
        state: &ProgramState,
        mut tell: impl FnMut(RegisterId, usize, u64),
    ) {
        for (register, part) in self.holding(array) {
            for index in places(index, size(state, array)) {
                tell(register, index, get(state, part, index));
            }
        }
    }

    /// Updates all registers and counters of the state from the flat registers.
    pub(super) fn fetch_all(&self, flat: &RegisterFile, state: &mut ProgramState) {
        for (at, part) in self.parts.iter().enumerate() {
            let Some(array) = part.array() else { continue };
            for (index, &value) in flat.array(at).iter().enumerate().take(size(state, array)) {
                set(state, *part, index, value);
            }
        }
    }

    /// Sets all flat registers to the values that correspond to the state.
    pub(super) fn store_all(&self, state: &ProgramState, flat: &mut RegisterFile) {
        for (at, part) in self.parts.iter().enumerate() {
            let Some(array) = part.array() else { continue };
            for (index, value) in flat.array_mut(at).iter_mut().enumerate().take(size(state, array)) {
                *value = get(state, *part, index);
            }
        }
    }
}

/// Returns the indices of an array of `size` elements: all, or only `index`, or none if it is out of bounds.
fn places(index: Option<usize>, size: usize) -> Range<usize> {
    match index {
        Some(index) if index < size => index..index + 1,
        Some(_) => 0..0,
        None => 0..size,
    }
}

/// Returns the number of elements of an array.
fn size(state: &ProgramState, array: Array) -> usize {
    match array {
        Array::Register(register) => state.registers.size(register),
        Array::Counter(counter) => state.counters[counter].counts().len(),
    }
}

fn get(state: &ProgramState, part: StatePart, index: usize) -> u64 {
    let count = |counter: CounterId| state.counters[counter.index()].get(index).unwrap_or_default();
    match part {
        StatePart::Limb { register, limb } => {
            state.registers.array(register)[index * state.registers.stride(register) + limb]
        }
        StatePart::Packets(counter) => count(counter).packets,
        StatePart::Bytes(counter) => count(counter).bytes,
        StatePart::Nothing => 0,
    }
}

fn set(state: &mut ProgramState, part: StatePart, index: usize, value: u64) {
    let mut count = |counter: CounterId, change: fn(&mut Count, u64)| {
        let counters = &mut state.counters[counter.index()];
        let mut count = counters.get(index).unwrap_or_default();
        change(&mut count, value);
        counters.set(index, count);
    };
    match part {
        StatePart::Limb { register, limb } => {
            let stride = state.registers.stride(register);
            state.registers.array_mut(register)[index * stride + limb] = value;
        }
        StatePart::Packets(counter) => count(counter, |count, value| count.packets = value),
        StatePart::Bytes(counter) => count(counter, |count, value| count.bytes = value),
        StatePart::Nothing => {}
    }
}
