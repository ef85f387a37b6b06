//! Verification of the types of expressions.

use super::ids;
use super::statements::Checker;
use crate::threads::MemoryField;
use crate::{Checksum, Expression, Lookup, RegisterId, Type, typing};

impl Checker<'_> {
    /// Checks an access to a register and returns the register's type.
    pub(super) fn access(
        &mut self,
        id: RegisterId,
        index: Option<&Expression>,
        predicate: Option<&Expression>,
    ) -> Option<Type> {
        let accessed = self.check(ids::register(self.program, id));
        if let Some(accessed) = accessed {
            self.check(typing::indexing(accessed, index.is_some()));
        }
        if let Some(found) = index.and_then(|index| self.expression(index)) {
            self.check(typing::index(found));
        }
        if let Some(found) = predicate.and_then(|predicate| self.expression(predicate)) {
            self.check(typing::condition("a predicate", found));
        }
        accessed.map(|register| register.ty)
    }

    /// Returns the type of an expression, unless something in it is wrong.
    pub(super) fn expression(&mut self, expression: &Expression) -> Option<Type> {
        match expression {
            Expression::Constant(constant) => self.check(typing::constant(*constant)),
            Expression::Wide(ty, value) => self.check(typing::wide(*ty, value)),
            Expression::Variable(id) => self.check(ids::variable(self.program, *id)),
            Expression::Read { register, index, predicate } => {
                self.access(*register, index.as_deref(), predicate.as_deref())
            }
            Expression::Unary(operator, operand) => {
                let operand = self.expression(operand)?;
                self.check(typing::unary(*operator, operand))
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                self.check(typing::binary(*operator, left?, right?))
            }
            Expression::Select(condition, if_true, if_false) => {
                self.condition("the condition of a choice", condition);
                let (if_true, if_false) = (self.expression(if_true), self.expression(if_false));
                self.check(typing::sides(if_true?, if_false?))
            }
            Expression::Hash(function, arguments) => {
                self.check(typing::arity(*function, arguments.len()));
                arguments.iter().for_each(|argument| {
                    self.expression(argument);
                });
                Some(Type::INT32)
            }
            Expression::Cast(ty, operand) => {
                let operand = self.expression(operand);
                self.check(typing::width(*ty))?;
                operand.map(|_| *ty)
            }
            Expression::Slice { value, high, low } => {
                let value = self.expression(value)?;
                self.check(typing::slice(value, *high, *low))
            }
            Expression::Concatenate(high, low) => {
                let (high, low) = (self.expression(high), self.expression(low));
                self.check(typing::concatenation(high?, low?))
            }
            Expression::Element { array, index } => {
                self.index(index);
                self.element(*array)
            }
            Expression::Undefined(ty) => self.check(typing::width(*ty)).map(|()| *ty),
            Expression::Checksum(checksum) => self.checksum(checksum),
            Expression::Lookup(lookup) => self.lookup(lookup),
            Expression::Memory(field) => self.field(field),
        }
    }

    /// Checks a bit field of local memory and returns its type.
    pub(super) fn field(&mut self, field: &MemoryField) -> Option<Type> {
        self.number("an address", &field.address);
        self.check(typing::field(self.program, field.width))
    }

    fn lookup(&mut self, lookup: &Lookup) -> Option<Type> {
        let keys: Option<Vec<Type>> = lookup.keys.iter().map(|key| self.expression(key)).collect();
        keys?;
        let wrong = super::lookup(self.program, lookup);
        wrong.is_empty().then_some(lookup.result.ty()).or_else(|| {
            wrong.into_iter().for_each(|message| {
                self.check::<()>(Err(message));
            });
            None
        })
    }

    fn checksum(&mut self, checksum: &Checksum) -> Option<Type> {
        for part in &checksum.data {
            self.expression(&part.value);
            if let Some(length) = &part.length {
                self.number("a length", length);
            }
        }
        self.check(typing::algorithm(&checksum.algorithm));
        self.check(typing::checksum(checksum.result))
    }
}
