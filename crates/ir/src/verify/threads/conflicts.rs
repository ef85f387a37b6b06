//! Verification that an instruction writes no bit twice.

use crate::threads::{MemoryField, Move, Place};
use crate::{Expression, Program, VariableId, print};

/// Says which earlier move surely writes a bit that this one writes too. Two fields of local memory are compared if their
/// addresses are the same expression, or both constants; for others that is only known at run time.
pub(super) fn conflict(program: &Program, earlier: &[Move], step: &Move) -> Option<String> {
    let place = earlier.iter().position(|other| overlap(program, &other.place, &step.place))?;
    let first = print::threads::step(program, &earlier[place]).to_string();
    Some(format!("the instruction writes these bits twice: `{first}` does too"))
}

fn overlap(program: &Program, one: &Place, other: &Place) -> bool {
    match (bits(program, one), bits(program, other), one, other) {
        (Some((one, low, high)), Some((other, from, to)), ..) => one == other && low <= to && from <= high,
        (_, _, Place::Memory(one), Place::Memory(other)) => fields_overlap(one, other),
        _ => false,
    }
}

/// The bits of a variable that a place is: the variable, the lowest and the highest bit.
fn bits(program: &Program, place: &Place) -> Option<(VariableId, u32, u32)> {
    match place {
        Place::Variable(id) => {
            let width = program.variables.get(id.index()).map_or(0, |variable| variable.ty.width());
            Some((*id, 0, width.saturating_sub(1)))
        }
        Place::Bits { variable, high, low } => Some((*variable, u32::from(*low), u32::from(*high))),
        Place::Memory(_) => None,
    }
}

fn fields_overlap(one: &MemoryField, other: &MemoryField) -> bool {
    let bases = match (&one.address, &other.address) {
        (Expression::Constant(one), Expression::Constant(other)) => [one.value, other.value],
        (one, other) if one == other => [0, 0],
        _ => return false,
    };
    let first = |base: u64, field: &MemoryField| u128::from(base) * 8 + u128::from(field.offset);
    let (from, to) = (first(bases[0], one), first(bases[1], other));
    from < to + u128::from(other.width) && to < from + u128::from(one.width)
}
