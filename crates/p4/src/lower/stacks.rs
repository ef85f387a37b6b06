//! Members of header stacks in parsers: `next`, `last` and `lastIndex` (8.18).

use std::rc::Rc;

use ir::{BinaryOperator as Operator, ErrorId, Expression, PacketStatement, Statement};

use super::Writer;
use super::layout::{LENGTH, ORDINAL};
use super::tree::{LValue, Tree, Value};

impl Writer<'_> {
    /// Returns `stack.next`, the element at the next index. A full stack rejects the packet.
    pub(super) fn stack_next(&mut self, stack: &LValue) -> Option<LValue> {
        let Tree::Stack(own) = stack else { return None };
        let size = Expression::number(LENGTH, own.elements.len() as i64);
        self.require_in_bounds(Expression::binary(Operator::Less, own.next.read(), size));
        next_unchecked(stack)
    }

    /// Returns `stack.last`, the element before the next index. An empty stack rejects the packet.
    pub(super) fn stack_last(&mut self, stack: &LValue) -> Option<LValue> {
        let Tree::Stack(own) = stack else { return None };
        let next = own.next.read();
        self.require_in_bounds(Expression::binary(Operator::Greater, next, Expression::number(LENGTH, 0)));
        let arrays = Rc::clone(own.arrays.as_ref()?);
        let Tree::Scalar(last) = last_index(stack) else { return None };
        Some(arrays.at(&last))
    }

    /// Advances the next index after an extraction.
    pub(super) fn advance_stack(&mut self, stack: &LValue) {
        let Tree::Stack(own) = stack else { return };
        let next = Expression::binary(Operator::Add, own.next.read(), Expression::number(LENGTH, 1));
        self.assign_leaf(&own.next, next);
    }

    fn require_in_bounds(&mut self, condition: Expression) {
        let error = Expression::number(ORDINAL, i64::from(ErrorId::STACK_OUT_OF_BOUNDS.0));
        self.emit(Statement::Packet(PacketStatement::Verify { condition, error }));
    }
}

/// Returns `stack.next` where the extraction itself checks the bounds.
pub(super) fn next_unchecked(stack: &LValue) -> Option<LValue> {
    let Tree::Stack(own) = stack else { return None };
    let arrays = Rc::clone(own.arrays.as_ref()?);
    Some(arrays.at(&own.next.read()))
}

/// Returns `stack.lastIndex`, which is undefined in an empty stack, and wraps here.
pub(super) fn last_index(stack: &LValue) -> Value {
    let Tree::Stack(own) = stack else { return Tree::Nothing };
    Tree::Scalar(Expression::binary(Operator::Subtract, own.next.read(), Expression::number(LENGTH, 1)))
}
