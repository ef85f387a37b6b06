//! The registers of a program by name and index, for those who look into a machine.

use std::ops::Range;

use control::Info;
use node::RegisterValue;
use runtime::ProgramState;

/// Reports the values of a register in the states of all pipes, as [`node::Station::register`] says. Returns false if
/// the program has no register, or its register no field, of this name.
pub(crate) fn report<'s>(
    info: &Info,
    states: impl IntoIterator<Item = &'s ProgramState>,
    name: &str,
    indices: Range<u32>,
    tell: &mut dyn FnMut(RegisterValue),
) -> bool {
    let Some(array) = array_named(info, name) else { return false };
    for (state, pipe) in states.into_iter().zip(0..) {
        let registers = &state.registers;
        let end = indices.end.min(u32::try_from(registers.size(array)).unwrap_or(u32::MAX));
        let stride = registers.stride(array);
        for index in indices.start..end {
            // The least significant limb comes first.
            tell(RegisterValue { pipe, index, value: registers.array(array)[index as usize * stride] });
        }
    }
    true
}

/// Returns the number of the array in the state that holds a register, or a field of its structs.
fn array_named(info: &Info, name: &str) -> Option<usize> {
    let find = |name: &str| info.register_named(name).ok().map(|number| info.register(number));
    if let Some(register) = find(name) {
        return register.arrays.first().map(|&array| array as usize);
    }
    // Names of registers have dots, too: what lies behind the last ones is a field.
    name.match_indices('.').find_map(|(dot, _)| {
        let register = find(&name[..dot])?;
        let leaves = register.data_type.leaves();
        let place = leaves.iter().position(|leaf| leaf.path == name[dot + 1..])?;
        register.arrays.get(place).map(|&array| array as usize)
    })
}
