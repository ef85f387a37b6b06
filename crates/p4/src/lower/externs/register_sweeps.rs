//! `clear` of registers and `sweep` of register actions, which work on every place of a register.
//!
//! On the chip they take a time during which actions read `busy`; how long is not public. Here they take none: all of it
//! is done before anybody else looks, and `busy` is never read.

use std::rc::Rc;

use diagnostics::Diagnostic;
use ir::{BinaryOperator as Operator, Expression, Flow, RegisterId, Statement};

use crate::lower::ExternCall;
use crate::lower::frame::Instance;
use crate::lower::layout::LENGTH;
use crate::lower::tree::{Tree, Value};

/// The most places that are worked on in one call, so that a packet that asks for it several times still ends
/// ([`ir::interpret::STEPS`]). A register of the chip has fewer places of whole bytes in one stage.
const MOST_PLACES: usize = 1 << 18;

impl<'a> ExternCall<'_, 'a> {
    /// Writes `clear(value, busy)`: every place gets the value.
    pub(super) fn clear_registers(&mut self, registers: &Tree<RegisterId>) {
        let [value] = self.argument_values([0]);
        if value.leaves().iter().any(|leaf| self.lowering.output.known_bits(leaf).is_none()) {
            // p4lang/p4c, bf-p4c/mau/instruction_selection.cpp: "clear value must be a constant".
            let error = Diagnostic::error(
                self.arguments.span,
                "`clear` takes a value that is known when the program is compiled",
            );
            self.lowering.found.report(error.hint("write a constant, or a register action with `sweep`"));
            return;
        }
        if let Some(&&first) = registers.leaves().first() {
            self.lowering.switch.accesses.note(first, self.arguments.span);
        }
        self.at_every_place(registers, |call, place| {
            _ = call.exchange(registers, place, None, &value);
        });
    }

    /// Writes `sweep(busy)`: `apply` runs on every place, in order, and nobody gets its results.
    pub(super) fn sweep(&mut self, instance: &Rc<Instance<'a>>, registers: &Tree<RegisterId>) -> Value {
        self.at_every_place(registers, |call, place| {
            _ = call.execute_at(instance, "apply", registers, (place.clone(), None), None);
        });
        Tree::Nothing
    }

    /// Writes what happens at one place for all places of a register.
    fn at_every_place(
        &mut self,
        registers: &Tree<RegisterId>,
        write: impl FnOnce(&mut ExternCall<'_, 'a>, &Expression),
    ) {
        let Some(&&first) = registers.leaves().first() else { return };
        let size = self.lowering.output.program.register(first).size();
        if size > MOST_PLACES {
            let error = format!("a register of {size} places, which is more than {MOST_PLACES} to work on at once");
            self.lowering.found.unsupported(self.arguments.span, error);
            return;
        }
        let variable = self.lowering.writer().temporary("$place", LENGTH);
        let place = Expression::Variable(variable);
        let number = |value: usize| Expression::number(LENGTH, value as i64);
        self.lowering.writer().emit(Statement::Assign { variable, value: number(0) });
        let body = self.lowering.block_of(|lowering| {
            write(&mut ExternCall { lowering, arguments: self.arguments }, &place);
        });
        let condition = Expression::binary(Operator::Less, place.clone(), number(size));
        let step = vec![Statement::Assign { variable, value: Expression::binary(Operator::Add, place, number(1)) }];
        self.lowering.writer().emit(Statement::Flow(Flow::Loop { condition, body, step }));
    }
}
