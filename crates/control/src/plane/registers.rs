//! Execution of requests about registers.

use runtime::{Bits, ProgramState};

use super::Plane;
use super::counters::check_number;
use crate::{EntityKind, Error, Info, Leaf, Register, RegisterNumber, RegisterRequest, Response};

impl Plane {
    pub(super) fn register(
        &self,
        number: RegisterNumber,
        request: &RegisterRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let register = self.info.register(number);
        let leaves = register.data_type.leaves();
        match request {
            RegisterRequest::Read(index) => {
                let read = |index: u32| {
                    let arrays = register.arrays.iter().zip(&leaves);
                    arrays
                        .map(|(array, leaf)| state.registers.read(*array as usize, u64::from(index), leaf.width))
                        .collect()
                };
                Ok(Response::Registers(places(register, *index)?.map(read).collect()))
            }
            RegisterRequest::Write(index, values) => {
                let values = check(register, &leaves, values)?;
                write(register, places(register, *index)?, &values, state);
                Ok(Response::Done)
            }
            RegisterRequest::WriteEach(elements) => {
                let (name, size) = (&register.identity.name, register.size as usize);
                check_number(EntityKind::Register, name, elements.len(), size)?;
                let elements: Vec<Vec<Bits>> =
                    elements.iter().map(|values| check(register, &leaves, values)).collect::<Result<_, _>>()?;
                for (index, values) in (0..).zip(&elements) {
                    write(register, index..index + 1, values, state);
                }
                Ok(Response::Done)
            }
            RegisterRequest::Reset => {
                let zeros: Vec<Bits> = leaves.iter().map(|leaf| Bits::zero(leaf.width)).collect();
                write(register, 0..register.size, &zeros, state);
                Ok(Response::Done)
            }
        }
    }
}

/// Returns the selected elements: one, or all.
fn places(register: &Register, index: Option<u32>) -> Result<std::ops::Range<u32>, Error> {
    let (name, size) = (register.identity.name.clone(), register.size);
    match index {
        None => Ok(0..size),
        Some(index) if index < size => Ok(index..index + 1),
        Some(index) => Err(Error::OutOfRange { kind: EntityKind::Register, name, index, size }),
    }
}

/// Checks that there is a value for each leaf, and resizes each to the width of its leaf.
fn check(register: &Register, leaves: &[Leaf], values: &[Bits]) -> Result<Vec<Bits>, Error> {
    let name = &register.identity.name;
    if values.len() != leaves.len() {
        let leaves = leaves.iter().map(|leaf| leaf.path.clone()).collect();
        return Err(Error::LeafCount { register: name.clone(), leaves, given: values.len() });
    }
    let place = |leaf: &Leaf| match leaf.path.as_str() {
        "" => format!("register `{name}`"),
        path => format!("field `{path}` of register `{name}`"),
    };
    leaves.iter().zip(values).map(|(leaf, value)| Info::fit(value, leaf.width, || place(leaf))).collect()
}

fn write(register: &Register, places: std::ops::Range<u32>, values: &[Bits], state: &mut ProgramState) {
    for index in places {
        for (array, value) in register.arrays.iter().zip(values) {
            state.registers.write(*array as usize, u64::from(index), value);
        }
    }
}
