//! What an instruction of a thread compares, and how its packet would have to be for another outcome.

use ir::evaluate::{self, Environment};
use ir::interpret::threads::Thread;
use ir::threads::{Instruction, MemoryField};
use ir::{BinaryOperator, Expression, Program, RegisterId, VariableId};
use runtime::{Bits, read_bits, write_bits};

/// A value of a packet that was compared with another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// The bit of the packet at which it begins; `None` if it was computed or copied before.
    from: Option<usize>,
    width: u32,
    found: u64,
    wanted: u64,
    /// The number of the condition, which may compare several values.
    pub(super) condition: usize,
}

/// The number of leading bits of a packet that are searched for a value whose place is not known.
const SEARCHED_BITS: usize = 1024;

/// Appends the comparisons of the instruction that a thread executes next, each with the values that change its outcome. The
/// first condition has the number `first`.
pub(super) fn comparisons(
    program: &Program,
    instruction: &Instruction,
    thread: &Thread,
    first: usize,
    compared: &mut Vec<Compared>,
) {
    let conditions = instruction.moves.iter().flat_map(|step| &step.condition);
    for (condition, expression) in (first..).zip(conditions.chain(instruction.branch.expressions())) {
        expression.walk(&mut |part| {
            let Expression::Binary(operator, left, right) = part else { return };
            use BinaryOperator as B;
            let is_equality = matches!(operator, B::Equal | B::NotEqual);
            if !is_equality && !matches!(operator, B::Less | B::LessEqual | B::Greater | B::GreaterEqual) {
                return;
            }
            let mut now = Now { thread, is_outside: false };
            let (ty, left_value) = evaluate::value(program, left, &mut now);
            let (_, right_value) = evaluate::value(program, right, &mut now);
            if now.is_outside {
                return;
            }
            let width = ty.width();
            for (side, found, other) in [(left, left_value, right_value), (right, right_value, left_value)] {
                let from = place(program, side, thread, width);
                let mask = u64::MAX >> (64 - width.clamp(1, 64));
                let near = [other, other.wrapping_add(1) & mask, other.wrapping_sub(1) & mask];
                let wanted = if is_equality { &near[..1] } else { &near[..] };
                compared.extend(wanted.iter().filter(|wanted| **wanted != found).map(|&wanted| Compared {
                    from,
                    width,
                    found,
                    wanted,
                    condition,
                }));
            }
        });
    }
}

impl Compared {
    /// Returns whether the place of the value in the packet is known.
    pub(super) fn has_place(&self) -> bool {
        self.from.is_some()
    }

    /// Writes the wanted value to a packet. `choose` chooses among so many places, if that is not certain. Returns whether
    /// there is a place.
    pub(super) fn grant(&self, bytes: &mut [u8], choose: impl FnOnce(u64) -> u64) -> bool {
        let bits = bytes.len() * 8;
        let width = self.width as usize;
        let is_there = |at: usize| at + width <= bits && read_bits(bytes, at, self.width).low() == self.found;
        let at = match self.from {
            Some(at) => is_there(at).then_some(at),
            None => {
                let places: Vec<usize> = (0..bits.min(SEARCHED_BITS)).step_by(4).filter(|at| is_there(*at)).collect();
                if places.is_empty() { None } else { places.get(choose(places.len() as u64) as usize).copied() }
            }
        };
        if let Some(at) = at {
            write_bits(bytes, at, self.width, &Bits::from_u64(self.wanted, self.width));
        }
        at.is_some()
    }
}

/// Returns the bit of the packet at which a value lies, if it is a field of the head.
fn place(program: &Program, expression: &Expression, thread: &Thread, width: u32) -> Option<usize> {
    let field = match expression {
        Expression::Memory(field) => field,
        Expression::Cast(_, value) => return place(program, value, thread, width),
        _ => return None,
    };
    let MemoryField { address, offset, width: own } = &**field;
    let (_, address) = evaluate::value(program, address, &mut Now { thread, is_outside: false });
    let head = program.threads.as_ref()?.head;
    let from = address.checked_mul(8)?.checked_add((*offset).into())?.checked_sub(u64::from(head.address) * 8)?;
    (u32::from(*own) == width && from + u64::from(width) <= u64::from(head.bytes) * 8).then_some(from as usize)
}

/// The values that a thread has before an instruction.
struct Now<'t> {
    thread: &'t Thread,
    is_outside: bool,
}

impl Environment for Now<'_> {
    type Value = u64;

    fn variable(&mut self, id: VariableId) -> u64 {
        self.thread.variables()[id.index()]
    }

    fn read(&mut self, _: RegisterId, _: usize) -> u64 {
        0
    }

    fn memory(&mut self, from: Option<u64>, width: u16) -> u64 {
        let memory = self.thread.local_memory();
        let inside = |from: &u64| from.checked_add(width.into()).is_some_and(|end| end <= memory.len() as u64 * 8);
        let Some(from) = from.filter(inside) else {
            self.is_outside = true;
            return 0;
        };
        read_bits(memory, from as usize, width.into()).low()
    }
}
