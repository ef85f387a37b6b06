//! Statements (section 12).

use std::collections::HashSet;
use std::rc::Rc;

use diagnostics::Span;

use super::{Called, Checker, Target, Within};
use crate::ast::{self, AssignmentOperator, ExpressionKind, KeysetElementKind, StatementKind, SwitchLabel};
use crate::types::{Definition, Sort, Type, TypeForm, Types};

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a ast::Block) {
        self.expressions().annotations(&block.annotations);
        self.names.open();
        let before = self.uninitialized.before();
        for statement in &block.statements {
            self.statement(statement);
        }
        self.uninitialized.leave_block(&before);
        self.names.close();
    }

    fn nested(&mut self, statement: &'a ast::Statement) {
        self.names.open();
        self.statement(statement);
        self.names.close();
    }

    pub(super) fn statement(&mut self, statement: &'a ast::Statement) {
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Declare(declaration) => self.declaration(declaration),
            StatementKind::Assign { target, operator, value } => self.assign(statement.span, target, *operator, value),
            StatementKind::Call(call) => {
                self.expressions().value(call);
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.expressions().condition(condition, "the condition");
                let before = self.uninitialized.before();
                self.nested(then);
                let after = self.uninitialized.take_another_way(&before);
                if let Some(otherwise) = otherwise {
                    self.nested(otherwise);
                }
                self.uninitialized.join(after);
            }
            StatementKind::Switch { value, cases } => self.switch(statement.span, value, cases),
            StatementKind::For { annotations, first, condition, step, body } => {
                self.expressions().annotations(annotations);
                self.names.open();
                for statement in first {
                    self.statement(statement);
                }
                self.expressions().condition(condition, "the condition of the loop");
                self.repeated(body);
                for statement in step {
                    self.statement(statement);
                }
                self.names.close();
            }
            StatementKind::ForIn { annotations, variable, collection, body } => {
                self.expressions().annotations(annotations);
                self.expressions().annotations(&variable.annotations);
                self.for_in(variable, collection, body);
            }
            StatementKind::Break | StatementKind::Continue => {
                if !self.context.in_loop {
                    let word = if statement.kind == StatementKind::Break { "break" } else { "continue" };
                    self.found.error(statement.span, format!("`{word}` is only for loops"));
                }
                self.uninitialized.end_way();
            }
            StatementKind::Return(value) => {
                self.give_back(statement.span, value.as_ref());
                self.uninitialized.end_way();
            }
            StatementKind::Exit => {
                self.uninitialized.end_way();
                if matches!(self.context.within, Within::Function | Within::State) {
                    self.found.hinted(statement.span, "`exit` cannot stand here", "actions and controls exit");
                }
            }
        }
    }

    fn repeated(&mut self, body: &'a ast::Statement) {
        let around = std::mem::replace(&mut self.context.in_loop, true);
        // The body may not run at all.
        let before = self.uninitialized.before();
        self.nested(body);
        self.uninitialized.join(before);
        self.context.in_loop = around;
    }

    fn assign(
        &mut self,
        span: Span,
        target: &'a ast::Expression,
        operator: AssignmentOperator,
        value: &'a ast::Expression,
    ) {
        let to = self.expressions().target(target);
        let typed = self.expressions().value(value);
        if operator != AssignmentOperator::Plain {
            self.uninitialized.note_place_read(&self.types, &self.nodes, &mut self.found, target);
        }
        self.uninitialized.note_written(&self.types, &self.nodes, target);
        match operator {
            AssignmentOperator::Plain => {
                let is_thing = matches!(
                    self.types.named(to.of),
                    Some((_, _, Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_)))
                );
                if is_thing {
                    let message = format!("{} cannot be assigned to", self.types.describe(to.of));
                    self.found.error(target.span, message);
                    return;
                }
                self.typing().convert(value, typed, to.of, "the value");
            }
            AssignmentOperator::With(binary) => {
                let result = self.typing().combine(span, binary, (target, to.clone()), (value, typed));
                self.typing().coerce(target, to.of);
                let under = self.types.underlying(to.of);
                if !self.conversions.converts(&mut self.types, result.of, under) {
                    let (shown, wanted) = (self.types.show(result.of), self.types.show(to.of));
                    self.found.error(span, format!("the result is of type `{shown}`, and `{wanted}` is assigned to"));
                }
            }
        }
    }

    fn give_back(&mut self, span: Span, value: Option<&'a ast::Expression>) {
        match (self.context.result, value) {
            (None, _) => self.found.error(span, "`return` is only for functions, actions and controls"),
            (Some(Types::VOID), Some(value)) => {
                self.expressions().value(value);
                self.found.error(value.span, "nothing is returned here");
            }
            (Some(Types::VOID), None) => {}
            (Some(of), Some(value)) => {
                self.expressions().value_of(value, of, "what is returned");
            }
            (Some(of), None) => {
                let message = format!("`return` needs a value of type `{}`", self.types.show(of));
                self.found.error(span, message);
            }
        }
    }

    fn for_in(
        &mut self,
        variable: &'a ast::LoopVariable,
        collection: &'a ast::KeysetElement,
        body: &'a ast::Statement,
    ) {
        let of = self.expressions().written(&variable.variable_type);
        match &collection.kind {
            KeysetElementKind::Range(first, last) => {
                self.expressions().value_of(first, of, "the first value");
                self.expressions().value_of(last, of, "the last value");
            }
            KeysetElementKind::Value(value) => {
                let typed = self.expressions().value(value);
                let kind = self.types.shared(typed.of);
                let parts: Vec<Type> = match &*kind {
                    TypeForm::List(part) | TypeForm::Stack(part, _) | TypeForm::Set(part) => vec![*part],
                    TypeForm::Tuple(parts) | TypeForm::Listed(parts) => parts.clone(),
                    TypeForm::Unknown => vec![],
                    _ => {
                        let message = format!("a loop does not go through {}", self.types.describe(typed.of));
                        self.found.hinted(
                            value.span,
                            message,
                            "it goes through lists, stacks and ranges such as `1 .. 9`",
                        );
                        vec![]
                    }
                };
                if let Some(&wrong) = parts.iter().find(|&&part| !self.conversions.converts(&mut self.types, part, of))
                {
                    let (shown, wanted) = (self.types.show(wrong), self.types.show(of));
                    self.found.error(
                        value.span,
                        format!("the elements are of type `{shown}`, the variable of type `{wanted}`"),
                    );
                }
            }
            _ => self.found.error(collection.span, "a loop goes through a list, a stack or a range"),
        }
        self.names.open();
        self.declare(&variable.name, Sort::Variable(of));
        self.repeated(body);
        self.names.close();
    }

    fn switch(&mut self, span: Span, value: &'a ast::Expression, cases: &'a [ast::SwitchCase]) {
        let typed = self.expressions().value(value);
        if matches!(
            self.types.kind(typed.of),
            TypeForm::String | TypeForm::Default | TypeForm::Invalid | TypeForm::Void | TypeForm::Applied(_)
        ) {
            let message = format!("`switch` does not decide by {}", self.types.describe(typed.of));
            self.found.hinted(
                value.span,
                message,
                "it decides by `table.apply().action_run`, numbers, `bool`, enumerations and errors",
            );
        }
        let table = match *self.types.kind(typed.of) {
            // `Applied` was reported; its labels may still be right.
            TypeForm::ActionRun(table) | TypeForm::Applied(table) => Some(table),
            _ => None,
        };
        if self.context.within == Within::State && table.is_some() {
            self.found.error(span, "tables are not applied in parsers");
        }
        let mut default: Option<Span> = None;
        let mut seen: HashSet<Rc<str>> = HashSet::new();
        let before = self.uninitialized.before();
        let mut after = super::uninitialized::Before::new();
        for case in cases {
            if let Some(default) = default {
                let error = diagnostics::Diagnostic::error(case.span, "nothing comes after `default`");
                self.found.report(error.related(default, "`default` is here"));
            }
            match &case.label {
                SwitchLabel::Default(place) => default = Some(*place),
                SwitchLabel::Value(label) => match table {
                    Some(table) => self.action_label(label, table, &mut seen),
                    None => {
                        let given = self.expressions().value(label);
                        let known = given.known;
                        if typed.of != Types::UNKNOWN {
                            let given = self.typing().convert(label, given, typed.of, "the label");
                            if let Some(number) = given.value.as_deref().filter(|value| known && value.is_simple())
                                && !seen.insert(format!("{number:?}").into())
                            {
                                self.found.error(label.span, "this label appears twice");
                            }
                        }
                        if !known {
                            self.found.error(label.span, "a label must be known when the program is compiled");
                        }
                    }
                },
            }
            if let Some(block) = &case.block {
                self.block(block);
                after.extend(self.uninitialized.take_another_way(&before));
            }
        }
        if default.is_some() {
            self.uninitialized.end_way();
        }
        self.uninitialized.join(after);
    }

    fn action_label(&mut self, label: &'a ast::Expression, table: Definition, seen: &mut HashSet<Rc<str>>) {
        let ExpressionKind::Name(path) = &label.kind else {
            self.found.error(label.span, "the label must be an action of the table");
            return;
        };
        let actions = match self.types.sort(table) {
            Sort::Table(own) => own.actions.clone(),
            _ => vec![],
        };
        let found = actions.iter().copied().find(|&action| self.types.definitions.get(action).name == path.name.text);
        match found {
            Some(action) => {
                self.nodes.note_name(&path.name, action);
                let called = Called { target: Target::Action(action), type_arguments: vec![], arguments: vec![] };
                self.nodes.note_call(label, called);
            }
            None => {
                let name = Rc::clone(&self.types.definitions.get(table).name);
                let message = format!("`{}` is not an action of table `{name}`", path.name.text);
                self.found.error(label.span, message);
            }
        }
        if !seen.insert(Rc::clone(&path.name.text)) {
            self.found.error(label.span, format!("the label `{}` appears twice", path.name.text));
        }
    }
}
