//! Expressions (section 8). Their side effects become statements before them.

use std::rc::Rc;

use ir::{BinaryOperator as Operator, Expression, Statement};

use super::Lowering;
use super::frame::Bound;
use super::operators::unary;
use super::stacks::last_index;
use super::tree::{Tree, Value};
use crate::ast::{self, ExpressionKind, SliceKind};
use crate::types::{Type, TypeForm, Types};

impl<'a> Lowering<'a> {
    /// Returns the value of an expression in the type that it is coerced to.
    pub(super) fn value(&mut self, node: &'a ast::Expression) -> Value {
        let Some(expressed) = self.nodes.expression(node).cloned() else { return Tree::Nothing };
        let coerced = self.shapes().resolve(expressed.coerced);
        let value = match &expressed.value {
            Some(known) => self.storage().constant(known, known_type(expressed.of, coerced)),
            None => self.value_as_written(node),
        };
        if coerced == Types::UNKNOWN || coerced == Types::INTEGER {
            value
        } else {
            self.storage().convert(value, coerced)
        }
    }

    /// Returns the value of an expression that is a scalar.
    pub(super) fn scalar(&mut self, node: &'a ast::Expression) -> Expression {
        match self.value(node) {
            Tree::Scalar(scalar) => scalar,
            _ => {
                self.found.unsupported(node.span, "a value that is not a number here");
                Expression::bool(false)
            }
        }
    }

    /// Returns the values of expressions, evaluated from left to right whatever their side effects (8.1).
    pub(super) fn values(&mut self, nodes: &[&'a ast::Expression]) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mark = self.writer().mark();
            let value = self.value(node);
            self.writer().keep(mark, &mut values.iter_mut().collect::<Vec<_>>());
            values.push(value);
        }
        values
    }

    fn value_as_written(&mut self, node: &'a ast::Expression) -> Value {
        match &node.kind {
            ExpressionKind::Name(path) => {
                match self.nodes.definition(&path.name).and_then(|own| self.scopes.bound(own)) {
                    Some(Bound::LValue(l_value)) => l_value.read(),
                    Some(Bound::Value(value)) => value,
                    _ => Tree::Nothing,
                }
            }
            ExpressionKind::Member(object, name) => self.member(node, object, name),
            ExpressionKind::Index(object, index) => match self.readable_l_value(node) {
                Some(l_value) => l_value.read(),
                None => self.element(object, index),
            },
            ExpressionKind::Slice(slice) => self.slice(slice),
            ExpressionKind::Call { .. } => self.call(node),
            ExpressionKind::Cast(to, value) => {
                let to = self.written(to);
                let value = self.value(value);
                self.storage().convert(value, to)
            }
            ExpressionKind::Unary(operator, value) => {
                let value = self.value(value);
                unary(*operator, value)
            }
            ExpressionKind::Binary(operator, left, right) => match operator {
                ast::BinaryOperator::And | ast::BinaryOperator::Or => self.short_circuit(*operator, left, right),
                _ => {
                    let mut sides = self.values(&[left, right]).into_iter();
                    let (left_value, right_value) =
                        (sides.next().unwrap_or(Tree::Nothing), sides.next().unwrap_or(Tree::Nothing));
                    let result = self.output.binary(*operator, left_value, right_value);
                    self.among_valid(*operator, [left, right], result)
                }
            },
            ExpressionKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no),
            ExpressionKind::List(values) => {
                let nodes: Vec<&'a ast::Expression> = values.iter().collect();
                let values = self.values(&nodes).into_iter().enumerate();
                // `...` is not an element: missing elements get their default values.
                let given = values.filter(|(place, _)| nodes[*place].kind != ExpressionKind::Default);
                Tree::Struct(given.map(|(place, value)| (place.to_string().into(), value)).collect())
            }
            ExpressionKind::Record { fields, .. } => {
                let nodes: Vec<&'a ast::Expression> = fields.iter().map(|field| &field.value).collect();
                let values = self.values(&nodes);
                Tree::Struct(fields.iter().map(|field| Rc::clone(&field.name.text)).zip(values).collect())
            }
            ExpressionKind::String(text) => Tree::Text(Rc::clone(text)),
            // `convert` gives `{#}` and `...` their values.
            _ => Tree::Nothing,
        }
    }

    fn member(&mut self, node: &'a ast::Expression, object: &'a ast::Expression, name: &'a ast::Name) -> Value {
        let of = self.nodes.expression(object).map_or(Types::UNKNOWN, |known| known.of);
        match *self.types.kind(of) {
            TypeForm::Applied(_) => return self.applied(object, &name.text),
            TypeForm::Stack(..) if &*name.text == "lastIndex" => {
                let Some(stack) = self.readable_l_value(object) else { return Tree::Nothing };
                return last_index(&stack);
            }
            _ => {}
        }
        match self.readable_l_value(node) {
            Some(l_value) => l_value.read(),
            None => self.value(object).part(&name.text).cloned().unwrap_or(Tree::Nothing),
        }
    }

    /// Applies a table, and returns `hit` or `miss`.
    fn applied(&mut self, object: &'a ast::Expression, name: &str) -> Value {
        let Some(table) = self.scopes.table_applied(&self.nodes, object) else { return Tree::Nothing };
        let hit = self.writer().temporary("$hit", ir::Type::Bool);
        self.apply_table(table, Some(hit), None);
        let hit = Expression::Variable(hit);
        Tree::Scalar(if name == "miss" { super::operators::not(hit) } else { hit })
    }

    /// Returns an element of a value that is no l-value: of a result, or of a constant.
    fn element(&mut self, object: &'a ast::Expression, index: &'a ast::Expression) -> Value {
        let mut sides = self.values(&[object, index]).into_iter();
        let (whole, at) = (sides.next().unwrap_or(Tree::Nothing), sides.next().unwrap_or(Tree::Nothing));
        let known = self.known_index(index);
        let elements: Vec<Value> = match whole {
            Tree::Stack(stack) => stack.elements,
            Tree::Struct(parts) => parts.into_iter().map(|(_, part)| part).collect(),
            _ => return Tree::Nothing,
        };
        if let Some(known) = known {
            return elements.get(known).cloned().unwrap_or(Tree::Nothing);
        }
        let Tree::Scalar(at) = at else { return Tree::Nothing };
        let ty = self.output.program.type_of(&at);
        // Beyond the end, the value is undefined (8.18).
        let mut chosen = elements.first().map_or(Tree::Nothing, |first| {
            first.map(&mut |leaf| Expression::Undefined(self.output.program.type_of(leaf)))
        });
        for (place, element) in elements.iter().enumerate().rev() {
            let here = Expression::binary(Operator::Equal, at.clone(), Expression::number(ty, place as i64));
            chosen = choose(&here, element, &chosen);
        }
        chosen
    }

    fn slice(&mut self, slice: &'a ast::Slice) -> Value {
        let second = self.known_index(&slice.second);
        if slice.kind == SliceKind::Width && self.known_index(&slice.first).is_none() {
            let mut sides = self.values(&[&slice.value, &slice.first]).into_iter();
            let (Some(Tree::Scalar(value)), Some(Tree::Scalar(low)), Some(width)) =
                (sides.next(), sides.next(), second)
            else {
                return Tree::Nothing;
            };
            let shifted = Expression::binary(Operator::ShiftRight, value, low);
            return Tree::Scalar(Expression::Slice { value: Box::new(shifted), high: width as u16 - 1, low: 0 });
        }
        let value = Box::new(self.scalar(&slice.value));
        match self.slice_bounds(slice) {
            Some((high, low)) => Tree::Scalar(Expression::Slice { value, high, low }),
            None => Tree::Nothing,
        }
    }

    /// Writes `&&` and `||`, which evaluate their right side only if it decides (8.5).
    fn short_circuit(
        &mut self,
        operator: ast::BinaryOperator,
        left: &'a ast::Expression,
        right: &'a ast::Expression,
    ) -> Value {
        let left = self.scalar(left);
        let mut other = Expression::bool(false);
        let effects = self.block_of(|lowering| other = lowering.scalar(right));
        if effects.is_empty() {
            return self.output.binary(operator, Tree::Scalar(left), Tree::Scalar(other));
        }
        let variable = self.writer().temporary("$decided", ir::Type::Bool);
        self.writer().emit(Statement::Assign { variable, value: left });
        let mut then = effects;
        then.push(Statement::Assign { variable, value: other });
        let decided = Expression::Variable(variable);
        let condition =
            if operator == ast::BinaryOperator::And { decided.clone() } else { super::operators::not(decided.clone()) };
        self.writer().emit(Statement::If { condition, then, otherwise: vec![] });
        Tree::Scalar(decided)
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expression,
        yes: &'a ast::Expression,
        no: &'a ast::Expression,
    ) -> Value {
        let condition = self.scalar(condition);
        let (mut one, mut other) = (Tree::Nothing, Tree::Nothing);
        let mut then = self.block_of(|lowering| one = lowering.value(yes));
        let mut otherwise = self.block_of(|lowering| other = lowering.value(no));
        if then.is_empty() && otherwise.is_empty() {
            return choose(&condition, &one, &other);
        }
        let result = one.map(&mut |leaf| {
            let ty = self.output.program.type_of(leaf);
            self.writer().temporary("$chosen", ty)
        });
        for (block, value) in [(&mut then, &one), (&mut otherwise, &other)] {
            for (variable, value) in result.leaves().into_iter().zip(value.leaves()) {
                block.push(Statement::Assign { variable: *variable, value: value.clone() });
            }
        }
        self.writer().emit(Statement::If { condition, then, otherwise });
        result.map(&mut |variable| Expression::Variable(*variable))
    }
}

/// Returns the type in which a known value is made: for an `int`, which has no width, the type that it is coerced to.
fn known_type(of: Type, coerced: Type) -> Type {
    if of == Types::INTEGER { coerced } else { of }
}

/// Selects one of two values of one type.
fn choose(condition: &Expression, one: &Value, other: &Value) -> Value {
    let leaves: Vec<Expression> = other.leaves().into_iter().cloned().collect();
    let mut rest = leaves.into_iter();
    one.map(&mut |leaf| {
        let other = rest.next().unwrap_or_else(|| leaf.clone());
        Expression::select(condition.clone(), leaf.clone(), other)
    })
}
