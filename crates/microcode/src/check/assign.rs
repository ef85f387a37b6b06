//! Assignments: what an instruction writes.

use diagnostics::Diagnostic;
use ir::BinaryOperator;
use ir::threads::Move;

use super::Checker;
use super::instruction::{Draft, WriteProblem};
use super::place::Place;
use super::statement::Path;
use crate::syntax::Expression;

impl Checker<'_> {
    /// `target = value`, or `target operator= value`.
    pub(super) fn assign(
        &mut self,
        target: &Expression,
        operator: Option<BinaryOperator>,
        value: &Expression,
        path: &Path,
        draft: &mut Draft,
    ) -> Option<()> {
        let place = self.place(target);
        let right = self.value(value);
        let (place, mut right) = (place?, right?);
        if let Place::Shared { .. } = place.place {
            let error = Diagnostic::error(target.span, "shared memory is written by transactions only");
            self.error(error.hint("write `MemWrite(&variable, value);`"));
            return None;
        }
        if let Some(operator) = operator {
            let old = self.read(&place, target.span)?;
            right = self.binary_value(operator, &old, &right, target.span.to(value.span))?;
        }
        if !place.ty.is_scalar() {
            let error = Diagnostic::error(target.span, format!("`{}` is assigned as a whole", place.ty.describe()));
            self.error(error.hint("assign its fields; an instruction moves values of at most 64 bits"));
            return None;
        }
        if place.ty.bits() > 64 {
            let error = Diagnostic::error(target.span, format!("a field of {} bits is not a value", place.ty.bits()));
            self.error(error.hint("name parts of the field, in a struct or a union"));
            return None;
        }
        let right = self.assigned(&right, &place.ty, value.span)?;
        let width = place.ty.in_ir().width();
        let to = match &place.place {
            Place::Register { variable, is_whole: true, .. } => ir::threads::Place::Variable(*variable),
            Place::Register { variable, low, .. } => {
                let low = *low as u16;
                ir::threads::Place::Bits { variable: *variable, high: low + width as u16 - 1, low }
            }
            Place::Memory { base, offset } => {
                let field = self.memory_field(base.as_ref(), *offset, width, target.span)?;
                ir::threads::Place::Memory(field)
            }
            Place::Shared { .. } => return None,
        };
        if !self.note_write(&place.place, width, target.span) {
            return None;
        }
        self.charge(path.moves.weight.size, target.span)?;
        let is_variable = matches!(to, ir::threads::Place::Variable(_));
        let ty = if is_variable { place.ty.in_ir() } else { ir::Type::Bits(width as u16) };
        let condition = match path.moves.number() {
            Some(0) => return Some(()),
            Some(_) => None,
            None => Some(path.moves.to_ir(ir::Type::Bool)),
        };
        let step = Move { place: to, value: right.to_ir(ty), condition };
        let weight = right.weight.with(path.moves.weight);
        let error = match draft.write(step, weight, self.current.written.last()) {
            Ok(()) => return Some(()),
            Err(WriteProblem::Overlap) => {
                Diagnostic::error(target.span, "two ways through the instruction write overlapping fields")
                    .hint("write the same field on both ways, or begin another instruction")
            }
            Err(WriteProblem::TooLarge) => {
                Diagnostic::error(target.span, "this is too much for one instruction").hint("begin another instruction")
            }
        };
        self.error(error);
        None
    }
}
