//! Instructions of the dense code.

use ir::{BinaryOperator, RegisterId, Type, UnaryOperator};
use runtime::arithmetic;
use runtime::hash::HashFunction;

use super::{Code, Memory, Seen, Slot};
use crate::trace::Access;

/// An operation and the slots it works on; [`Operation`] says what each slot means.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The operation.
    pub operation: Operation,
    /// The width in bits of the left operand, or of the value that is cast.
    pub width: u8,
    /// A mask of that width.
    pub mask: u64,
    /// The slot of the result, or for writes that of the value.
    pub result: Slot,
    /// The first operand.
    pub a: Slot,
    /// The second operand.
    pub b: Slot,
    /// The third operand.
    pub c: Slot,
}

/// The operation of an instruction. Unless stated otherwise, `a`, `b`, `c` and `result` are the values in its slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `result = a`
    Copy,
    /// `result = operator a`; unary operators do the same for signed and unsigned types.
    Unary(UnaryOperator),
    /// `result = a + b`. This operation and the following ones up to `Equal` are the most frequent, and do the same for
    /// signed and unsigned types.
    Add,
    /// `result = a - b`
    Subtract,
    /// `result = a * b`
    Multiply,
    /// `result = a & b`
    And,
    /// `result = a == b`
    Equal,
    /// `result = a * b + c`
    MultiplyAdd,
    /// `result = a operator b` for unsigned values or booleans.
    Unsigned(BinaryOperator),
    /// `result = a operator b` for signed values.
    Signed(BinaryOperator),
    /// `result = a ? b : c`
    Select,
    /// `result = function(a, b, c)`; functions of two words ignore `c`.
    Hash(HashFunction),
    /// `result = a != 0`
    ToBool,
    /// `result = a`, sign-extended and truncated; `b` is not a slot but the width of the result.
    CutSigned,
    /// `result = a`, truncated; `b` is not a slot but the width of the result.
    Cut,
    /// `result = register[a] if b else 0`; `c` is not a slot but the number of the register.
    Read,
    /// `register[a] = result if b`; `c` is not a slot but the number of the register.
    Write,
    /// Does what `Read` does, and if `b` is false, nothing else in the stage; `c` is the number of the [`Leave`].
    ReadOrLeave,
    /// Does what `Write` does, at the place that was read last.
    WriteWhereRead,
    /// `result` is the checksum whose number is `a`, which is not a slot.
    Checksum,
    /// Performs the look-up whose number is `a`, which is not a slot. The look-up says where its results go.
    LookUp,
}

/// What is left to do in a stage whose access, which is its first instruction, does not happen.
#[derive(Clone, Copy, Debug)]
pub struct Leave {
    /// The register that is accessed.
    pub register: Slot,
    /// The slot that is written.
    pub to: Slot,
    /// The slot that has the value to be written.
    pub from: Slot,
    /// The number of instructions that follow in the stage.
    pub rest: usize,
}

impl Instruction {
    /// Executes the instruction and returns the number of those behind it that are not to be executed. `place` is the
    /// cell that was read last. The most frequent operations are here, so that the loop over instructions contains them
    /// and keeps frame and memory in registers; calls of the others cost more than what they compute.
    #[inline(always)]
    pub(super) fn execute(&self, frame: &mut [u64], memory: &mut Memory, code: &Code, place: &mut usize) -> usize {
        let at = |slot: Slot| frame[usize::from(slot)];
        let value = match self.operation {
            Operation::Copy => at(self.a),
            Operation::Add => at(self.a).wrapping_add(at(self.b)) & self.mask,
            Operation::Subtract => at(self.a).wrapping_sub(at(self.b)) & self.mask,
            Operation::Multiply => at(self.a).wrapping_mul(at(self.b)) & self.mask,
            Operation::And => at(self.a) & at(self.b),
            Operation::Equal => u64::from(at(self.a) == at(self.b)),
            Operation::MultiplyAdd => at(self.a).wrapping_mul(at(self.b)).wrapping_add(at(self.c)) & self.mask,
            Operation::Select => at(if at(self.a) != 0 { self.b } else { self.c }),
            Operation::ToBool => u64::from(at(self.a) != 0),
            Operation::Read => {
                if at(self.b) != 0 {
                    *place = code.layout.cell(usize::from(self.c), at(self.a));
                    memory.read(*place)
                } else {
                    0
                }
            }
            Operation::ReadOrLeave => {
                let leave = &code.leaves[usize::from(self.c)];
                if at(self.b) == 0 {
                    frame[usize::from(leave.to)] = at(leave.from);
                    return leave.rest;
                }
                *place = code.layout.cell(usize::from(leave.register), at(self.a));
                memory.read(*place)
            }
            Operation::Write => {
                if at(self.b) != 0 {
                    memory.write(code.layout.cell(usize::from(self.c), at(self.a)), at(self.result));
                }
                return 0;
            }
            Operation::WriteWhereRead => {
                if at(self.b) != 0 {
                    memory.write(*place, at(self.result));
                }
                return 0;
            }
            _ => {
                self.execute_rare(frame, code);
                return 0;
            }
        };
        frame[usize::from(self.result)] = value;
        0
    }

    /// Executes an instruction whose operation is not among the frequent ones.
    #[inline(never)]
    fn execute_rare(&self, frame: &mut [u64], code: &Code) {
        let at = |slot: Slot| frame[usize::from(slot)];
        let width = u32::from(self.width);
        let value = match self.operation {
            Operation::Unary(operator) => operator.apply(Type::Bits(self.width.into()), at(self.a)),
            Operation::Unsigned(operator) => operator.apply(Type::Bits(self.width.into()), at(self.a), at(self.b)),
            Operation::Signed(operator) => operator.apply(Type::Int(self.width.into()), at(self.a), at(self.b)),
            Operation::Hash(function) => {
                let words = [at(self.a), at(self.b), at(self.c)];
                function.of(&words[..function.arity()])
            }
            Operation::CutSigned => {
                arithmetic::truncate(arithmetic::sign_extend(at(self.a), width) as u64, u32::from(self.b))
            }
            Operation::Cut => arithmetic::truncate(at(self.a), u32::from(self.b)),
            Operation::Checksum => code.checksum(usize::from(self.a), frame),
            Operation::LookUp => return code.look_up(usize::from(self.a), frame),
            _ => unreachable!("`execute` does the others itself"),
        };
        frame[usize::from(self.result)] = value;
    }

    /// Returns the access or look-up that the instruction, which was just executed, has made, if any.
    pub(super) fn saw<'c>(self, frame: &[u64], memory: &Memory, code: &'c Code) -> Option<Seen<'c>> {
        let at = |slot: Slot| frame[usize::from(slot)];
        let access = match self.operation {
            Operation::Read => Access::Read,
            Operation::Write => Access::Write,
            Operation::LookUp => return code.lookups[usize::from(self.a)].saw(frame, code.tables.as_ref()?),
            _ => return None,
        };
        let register = RegisterId::from(usize::from(self.c));
        let cell = code.layout.cell(register.index(), at(self.a));
        let index = cell - code.layout.cells(register).start;
        // Nothing is accessed if the predicate does not hold.
        (at(self.b) != 0).then(|| Seen::Register { register, index, access, value: memory.read(cell) })
    }
}
