//! Statements (section 12; `for` and `+=`: later drafts).

use ir::{BinaryOperator as Operator, Expression, Flow, Statement};

use super::frame::Bound;
use super::tree::{Tree, Value};
use super::{Lowering, Writer};
use crate::ast::{self, AssignmentOperator, DeclarationKind, ExpressionKind, StatementKind};
use crate::types::Types;

/// The most cases of a `switch` that become nested `else if`.
const MOST_NESTED_CASES: usize = 64;

impl<'a> Lowering<'a> {
    pub(super) fn statements(&mut self, statements: &'a [ast::Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, node: &'a ast::Statement) {
        self.limits.here = Some(node.span);
        if self.limits.is_over {
            return;
        }
        match &node.kind {
            StatementKind::Empty => {}
            StatementKind::Declare(declaration) => self.declaration_in_block(declaration),
            StatementKind::Assign { target, operator, value } => self.assignment(target, *operator, value),
            StatementKind::Call(call) => {
                self.call(call);
            }
            StatementKind::Block(block) => self.statements(&block.statements),
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.scalar(condition);
                // Arguments of constructors decide here, and what they exclude is not part of the instance.
                if let Some(known) = self.output.known_bits(&condition) {
                    let chosen = if known.is_zero() { otherwise.as_deref() } else { Some(&**then) };
                    chosen.into_iter().for_each(|chosen| self.statement(chosen));
                    return;
                }
                let then = self.block_of(|lowering| lowering.statement(then));
                let otherwise = self.block_of(|lowering| {
                    if let Some(otherwise) = otherwise {
                        lowering.statement(otherwise);
                    }
                });
                self.writer().emit(Statement::If { condition, then, otherwise });
            }
            StatementKind::Switch { value, cases } => self.switch(value, cases),
            StatementKind::For { first, condition, step, body, .. } => {
                self.statements(first);
                self.repeat(condition, step, body);
            }
            StatementKind::ForIn { variable, collection, body, .. } => self.for_in(variable, collection, body),
            StatementKind::Break => self.writer().emit(Statement::Flow(Flow::Break)),
            StatementKind::Continue => self.writer().emit(Statement::Flow(Flow::Continue)),
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.value(value);
                    if let Some(l_value) = self.scopes.frame().result.clone() {
                        self.writer().assign_l_value(&l_value, value);
                    }
                }
                self.writer().emit(Statement::Flow(Flow::Return));
            }
            StatementKind::Exit => self.writer().emit(Statement::Flow(Flow::Exit)),
        }
    }

    /// Writes a declaration among statements.
    pub(super) fn declaration_in_block(&mut self, node: &'a ast::Declaration) {
        match &node.kind {
            DeclarationKind::Variable(variable) => {
                let of = self.written(&variable.variable_type);
                let name = format!("{}{}", self.scopes.prefix(), variable.name.text);
                let value = variable.value.as_ref().map(|value| self.value(value));
                let l_value = self.storage().make_l_value(&name, of, variable.name.span);
                match value {
                    Some(value) => {
                        let value = self.storage().convert(value, of);
                        self.writer().assign_l_value(&l_value, value);
                    }
                    None => self.writer().make_undefined(&l_value),
                }
                self.scopes.bind(&self.nodes, &variable.name, Bound::LValue(l_value));
            }
            DeclarationKind::Constant(constant) => {
                let of = self.written(&constant.constant_type);
                let value = self.value(&constant.value);
                let value = self.storage().convert(value, of);
                self.scopes.bind(&self.nodes, &constant.name, Bound::Value(value));
            }
            DeclarationKind::Instantiation(_) => self.instance(node),
            _ => {}
        }
    }

    fn assignment(&mut self, target: &'a ast::Expression, operator: AssignmentOperator, value: &'a ast::Expression) {
        // The target is evaluated before the value (12.1), so its indices are kept in variables.
        let Some(l_value) = self.target(target) else {
            self.found.unsupported(target.span, "an assignment to this");
            return;
        };
        let mark = self.writer().mark();
        let value = match operator {
            AssignmentOperator::Plain => self.value(value),
            AssignmentOperator::With(operator) => {
                let mut old = l_value.l_value.read();
                if let (Some((high, low)), Tree::Scalar(whole)) = (l_value.slice, &old) {
                    old = Tree::Scalar(Expression::Slice { value: Box::new(whole.clone()), high, low });
                }
                let value = self.value(value);
                self.writer().keep(mark, &mut [&mut old]);
                self.output.binary(operator, old, value)
            }
        };
        self.refuse_field(target, &value);
        self.writer().assign(&l_value, value);
    }

    /// Reports an assignment of something else than 0 to a field of intrinsic metadata that has no meaning here.
    fn refuse_field(&mut self, target: &'a ast::Expression, value: &Value) {
        let ExpressionKind::Member(object, name) = &target.kind else { return };
        if self.architecture.refused_fields.is_empty()
            || value.scalar().and_then(|value| self.output.known_bits(value)).is_some_and(|known| known.is_zero())
        {
            return;
        }
        let of = self.nodes.expression(object).map_or(Types::UNKNOWN, |known| known.of);
        let of = self.shapes().resolve(of);
        let Some((definition, ..)) = self.types.named(of) else { return };
        let of = &self.types.definitions.get(definition).name;
        if let Some(reason) = self.architecture.refused_field(of, &name.text) {
            let message = format!("`{}` cannot be assigned here: {reason}", name.text);
            self.found.error(target.span, message);
        }
    }

    /// Writes `switch` (12.7), which runs the first case whose label equals the value. A case without a block shares
    /// the next block.
    fn switch(&mut self, value: &'a ast::Expression, cases: &'a [ast::SwitchCase]) {
        let table = match &value.kind {
            ExpressionKind::Member(object, name) if &*name.text == "action_run" => {
                self.scopes.table_applied(&self.nodes, object)
            }
            _ => None,
        };
        let decides = match table {
            Some(table) => {
                let action = self.writer().temporary("$action", super::layout::ORDINAL);
                self.apply_table(table, None, Some(action));
                Tree::Scalar(Expression::Variable(action))
            }
            None => self.value(value),
        };
        let mut branches: Vec<(Option<Expression>, Vec<Statement>)> = Vec::new();
        let mut labels: Vec<Option<Expression>> = Vec::new();
        for case in cases {
            labels.push(match (&case.label, table) {
                (ast::SwitchLabel::Default(_), _) => None,
                (ast::SwitchLabel::Value(label), Some(table)) => {
                    let place = self.action_number(table, label).unwrap_or(u32::MAX);
                    let label = Tree::Scalar(Expression::number(super::layout::ORDINAL, i64::from(place)));
                    Some(self.output.equality(&decides, &label))
                }
                (ast::SwitchLabel::Value(label), None) => {
                    let label = self.value(label);
                    Some(self.output.equality(&decides, &label))
                }
            });
            if let Some(block) = &case.block {
                let body = self.block_of(|lowering| lowering.statements(&block.statements));
                let condition = std::mem::take(&mut labels)
                    .into_iter()
                    .reduce(|one, other| Some(Expression::binary(Operator::Or, one?, other?)));
                branches.push((condition.flatten(), body));
            }
        }
        // `default` is taken if no other case is, wherever it stands.
        let (last, conditional): (Vec<_>, Vec<_>) =
            branches.into_iter().partition(|(condition, _)| condition.is_none());
        let mut chain = last.into_iter().next().map_or(vec![], |(_, body)| body);
        if conditional.len() > MOST_NESTED_CASES {
            return self.writer().flat_switch(conditional, chain);
        }
        for (condition, then) in conditional.into_iter().rev() {
            let condition = condition.unwrap_or_else(|| Expression::bool(true));
            chain = vec![Statement::If { condition, then, otherwise: chain }];
        }
        self.writer().emit_all(chain);
    }

    /// Returns the index, in the list of a table, of the action that a label names.
    fn action_number(&mut self, table: ir::TableId, label: &'a ast::Expression) -> Option<u32> {
        let ExpressionKind::Name(path) = &label.kind else { return None };
        let action = self.lowered_action(self.nodes.definition(&path.name)?)?;
        let actions = &self.output.program.tables[table.index()].actions;
        actions.iter().position(|own| own.function == action.function).map(|place| place as u32)
    }

    /// Writes `for (...; condition; step) body` (later drafts).
    fn repeat(&mut self, condition: &'a ast::Expression, step: &'a [ast::Statement], body: &'a ast::Statement) {
        let mut holds = Expression::bool(true);
        let effects = self.block_of(|lowering| holds = lowering.scalar(condition));
        let inner = self.block_of(|lowering| lowering.statement(body));
        let step = self.block_of(|lowering| lowering.statements(step));
        let statement = if effects.is_empty() {
            Flow::Loop { condition: holds, body: inner, step }
        } else {
            // Calls in the condition are made in each iteration.
            let end = vec![Statement::Flow(Flow::Break)];
            let mut body = effects;
            body.push(Statement::If { condition: super::operators::not(holds), then: end, otherwise: vec![] });
            body.extend(inner);
            Flow::Loop { condition: Expression::bool(true), body, step }
        };
        self.writer().emit(Statement::Flow(statement));
    }

    /// Writes `for (type name in collection) body` (later drafts).
    fn for_in(
        &mut self,
        variable: &'a ast::LoopVariable,
        collection: &'a ast::KeysetElement,
        body: &'a ast::Statement,
    ) {
        let of = self.written(&variable.variable_type);
        let name = format!("{}{}", self.scopes.prefix(), variable.name.text);
        match &collection.kind {
            ast::KeysetElementKind::Range(first, last) => {
                let mut ends = self.values(&[first, last]).into_iter();
                let l_value = self.storage().make_l_value(&name, of, variable.name.span);
                self.scopes.bind(&self.nodes, &variable.name, Bound::LValue(l_value.clone()));
                if let (Some(first), Some(last), Tree::Scalar(leaf)) = (ends.next(), ends.next(), &l_value) {
                    self.for_range((first, last), leaf.clone(), of, body);
                }
            }
            ast::KeysetElementKind::Value(values) => {
                let elements = match self.value(values) {
                    Tree::Stack(stack) => stack.elements,
                    Tree::Struct(parts) => parts.into_iter().map(|(_, part)| part).collect(),
                    _ => {
                        self.found.unsupported(collection.span, "a loop over this");
                        return;
                    }
                };
                self.for_elements(&name, variable, of, elements, body);
            }
            _ => self.found.unsupported(collection.span, "a loop over this"),
        }
    }

    fn for_range(
        &mut self,
        (first, last): (super::tree::Value, super::tree::Value),
        leaf: super::tree::Leaf,
        of: crate::types::Type,
        body: &'a ast::Statement,
    ) {
        let (Tree::Scalar(first), Tree::Scalar(last)) =
            (self.storage().convert(first, of), self.storage().convert(last, of))
        else {
            return;
        };
        let ty = self.output.leaf_type(&leaf);
        // The end may be the largest number of the type, and the body may change the variable. So the loop has a
        // counter of its own, and ends after the iteration of the last number.
        let (at, end) = (self.writer().temporary("$at", ty), self.writer().temporary("$end", ty));
        let more = self.writer().temporary("$more", ir::Type::Bool);
        let read = Expression::Variable;
        self.writer().emit(Statement::Assign { variable: at, value: first });
        self.writer().emit(Statement::Assign { variable: end, value: last });
        let some = Expression::binary(Operator::LessEqual, read(at), read(end));
        self.writer().emit(Statement::Assign { variable: more, value: some });
        let body = self.block_of(|lowering| {
            lowering.writer().assign_leaf(&leaf, read(at));
            lowering.statement(body);
        });
        let unfinished = Expression::binary(Operator::Less, read(at), read(end));
        let next = Expression::binary(Operator::Add, read(at), super::constants::number(ty, &1.into()));
        let step = vec![
            Statement::Assign { variable: more, value: unfinished },
            Statement::Assign { variable: at, value: next },
        ];
        self.writer().emit(Statement::Flow(Flow::Loop { condition: read(more), body, step }));
    }

    fn for_elements(
        &mut self,
        name: &str,
        variable: &'a ast::LoopVariable,
        of: crate::types::Type,
        elements: Vec<super::tree::Value>,
        body: &'a ast::Statement,
    ) {
        let l_value = self.storage().make_l_value(name, of, variable.name.span);
        self.scopes.bind(&self.nodes, &variable.name, Bound::LValue(l_value.clone()));
        let copies: Vec<super::tree::LValue> = elements
            .into_iter()
            .enumerate()
            .map(|(number, element)| {
                let copy = self.storage().make_l_value(&format!("{name}$of[{number}]"), of, variable.name.span);
                let element = self.storage().convert(element, of);
                self.writer().assign_l_value(&copy, element);
                copy
            })
            .collect();
        let at = self.writer().temporary("$at", super::layout::LENGTH);
        let count = Expression::number(super::layout::LENGTH, copies.len() as i64);
        let Some(arrays) = self.output.make_arrays(&format!("{name}$of"), at, &copies.iter().collect::<Vec<_>>())
        else {
            return;
        };
        let read = Expression::Variable(at);
        self.writer().emit(Statement::Assign { variable: at, value: Expression::number(super::layout::LENGTH, 0) });
        let body = self.block_of(|lowering| {
            lowering.writer().assign_l_value(&l_value, arrays.at(&read).read());
            lowering.statement(body);
        });
        let condition = Expression::binary(Operator::Less, read.clone(), count);
        let next = Expression::binary(Operator::Add, read, Expression::number(super::layout::LENGTH, 1));
        let step = vec![Statement::Assign { variable: at, value: next }];
        self.writer().emit(Statement::Flow(Flow::Loop { condition, body, step }));
    }
}

impl Writer<'_> {
    /// Writes the cases of a `switch` one behind the other, which avoids deep nesting if there are many.
    fn flat_switch(&mut self, cases: Vec<(Option<Expression>, Vec<Statement>)>, otherwise: Vec<Statement>) {
        let variable = self.temporary("$open", ir::Type::Bool);
        let is_open = Expression::Variable(variable);
        self.emit(Statement::Assign { variable, value: Expression::bool(true) });
        for (condition, mut then) in cases {
            then.insert(0, Statement::Assign { variable, value: Expression::bool(false) });
            let condition =
                super::operators::both(is_open.clone(), condition.unwrap_or_else(|| Expression::bool(true)));
            self.emit(Statement::If { condition, then, otherwise: vec![] });
        }
        self.emit(Statement::If { condition: is_open, then: otherwise, otherwise: vec![] });
    }
}
