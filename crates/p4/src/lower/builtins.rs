//! Built-in methods of headers, header unions and stacks (8.17 to 8.19).

use std::rc::Rc;

use ir::{BinaryOperator as Operator, Expression};

use super::assign::validity;
use super::layout::LENGTH;
use super::tree::{StackTree, Tree, Value};
use super::{Lowering, Writer};
use crate::ast;

impl<'a> Lowering<'a> {
    pub(super) fn built_in(
        &mut self,
        object: &'a ast::Expression,
        name: &Rc<str>,
        arguments: &'a [ast::Argument],
    ) -> Value {
        match &**name {
            "isValid" => {
                let value = self.value(object);
                return Tree::Scalar(validity(&value));
            }
            "setValid" | "setInvalid" => match self.target(object) {
                Some(target) if &**name == "setValid" && self.architecture.keeps_fields => {
                    self.writer().make_target_valid(&target);
                }
                Some(target) => self.writer().set_target_valid(&target, &**name == "setValid"),
                None => self.found.unsupported(object.span, "a header that is nowhere"),
            },
            "push_front" | "pop_front" => {
                let count = match arguments.first().map(|argument| &argument.value) {
                    Some(ast::ArgumentValue::Given(count)) => self.known_index(count),
                    _ => None,
                };
                match (self.target(object).map(|target| target.l_value), count) {
                    (Some(Tree::Stack(stack)), Some(count)) => {
                        self.writer().shift(&stack, count.min(stack.elements.len()), &**name == "push_front");
                    }
                    _ => self.found.unsupported(object.span, "a stack that moves by what is only known at run time"),
                }
            }
            // The methods that return sizes have known values.
            _ => {}
        }
        Tree::Nothing
    }
}

impl Writer<'_> {
    /// Moves the elements of a stack up or down; new elements are invalid (8.18).
    fn shift(&mut self, stack: &StackTree<super::tree::Leaf>, count: usize, up: bool) {
        let size = stack.elements.len();
        for step in 0..size {
            let place = if up { size - 1 - step } else { step };
            let from = if up { place.checked_sub(count) } else { Some(place + count).filter(|&from| from < size) };
            match from {
                Some(from) => self.assign_l_value(&stack.elements[place], stack.elements[from].read()),
                None => self.make_undefined(&stack.elements[place]),
            }
        }
        let number = |number: usize| Expression::number(LENGTH, number as i64);
        let next = stack.next.read();
        // The next index moves with the elements, within the bounds of the stack.
        let (condition, moved, end) = if up {
            let condition = Expression::binary(Operator::Less, next.clone(), number(size - count));
            (condition, Expression::binary(Operator::Add, next, number(count)), number(size))
        } else {
            let condition = Expression::binary(Operator::Greater, next.clone(), number(count));
            (condition, Expression::binary(Operator::Subtract, next, number(count)), number(0))
        };
        self.assign_leaf(&stack.next, Expression::select(condition, moved, end));
    }
}
