//! Verification of instructions.

use super::super::ids;
use super::super::item::Item;
use super::{Operands, conflicts, operations};
use crate::threads::{Destination, Instruction, InstructionId, MAX_MOVES, Move, Next, Place, Transaction};
use crate::{Type, typing};

pub(super) fn instruction(operands: &mut Operands<'_>, id: InstructionId, instruction: &Instruction) {
    if instruction.moves.len() > MAX_MOVES {
        let message = format!("an instruction has at most {MAX_MOVES} moves, not {}", instruction.moves.len());
        return operands.findings.push(Item::Instruction(id), message);
    }
    for (place, step) in instruction.moves.iter().enumerate() {
        let item = Item::Move(id, place);
        operands.step(item, step);
        if let Some(message) = conflicts::conflict(operands.program, &instruction.moves[..place], step) {
            operands.findings.push(item, message);
        }
    }
    if let Some(transaction) = &instruction.transaction {
        operands.transaction(Item::Transaction(id), transaction);
    }
    for (place, (condition, next)) in instruction.branch.cases.iter().enumerate() {
        operands.condition(Item::Way(id, place), "a condition", condition);
        operands.way(Item::Way(id, place), next);
    }
    operands.way(Item::Way(id, instruction.branch.cases.len()), &instruction.branch.otherwise);
}

impl Operands<'_> {
    fn step(&mut self, item: Item, step: &Move) {
        let expected = self.place(item, &step.place);
        let found = self.value(item, &step.value);
        if let Some((expected, found)) = expected.zip(found) {
            self.check(item, typing::assigned("the place", expected, found));
        }
        if let Some(condition) = &step.condition {
            self.condition(item, "a predicate", condition);
        }
    }

    /// Returns the type of a place.
    fn place(&mut self, item: Item, place: &Place) -> Option<Type> {
        match place {
            Place::Variable(id) => self.check(item, ids::variable(self.program, *id)),
            Place::Bits { variable, high, low } => {
                let ty = self.check(item, ids::variable(self.program, *variable))?;
                self.check(item, typing::slice(ty, *high, *low))
            }
            Place::Memory(field) => {
                self.number(item, "an address", &field.address);
                let inside = self.inside(field);
                self.check(item, inside)?;
                self.check(item, typing::field(self.program, field.width))
            }
        }
    }

    fn transaction(&mut self, item: Item, transaction: &Transaction) {
        if !operations::operation(self, item, &transaction.operation) {
            // Without right operands the size of the reply is not known.
            return;
        }
        let bytes = transaction.operation.reply_bytes(self.program, |operand| self.program.type_of(operand).width());
        match &transaction.reply {
            Destination::Nothing => (),
            _ if bytes == 0 => self.findings.push(item, "the operation has no reply"),
            Destination::Memory(address) => self.number(item, "an address", address),
            Destination::Variables(variables) => {
                let words = bytes.div_ceil(8) as usize;
                if variables.len() > words || variables.is_empty() {
                    let given = variables.len();
                    let message = format!("a reply of {bytes} bytes goes into 1 to {words} variables, not {given}");
                    self.findings.push(item, message);
                }
                let mut seen = std::collections::HashSet::new();
                for &variable in variables.iter().flatten() {
                    self.check(item, ids::variable(self.program, variable));
                    if !seen.insert(variable) {
                        self.findings.push(item, "the reply goes into one variable twice");
                    }
                }
            }
        }
    }

    fn way(&mut self, item: Item, next: &Next) {
        match next {
            Next::Goto(to) => self.findings.check(item, super::instruction(self.threads, *to)),
            Next::Call { to, then } => {
                self.findings.check(item, super::instruction(self.threads, *to));
                self.findings.check(item, super::instruction(self.threads, *then));
            }
            Next::Jump(to) => self.number(item, "the target of a jump", to),
            Next::Return | Next::End => (),
        }
    }
}
