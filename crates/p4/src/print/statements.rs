//! Printing of statements.

use super::Printer;
use crate::ast::{AssignmentOperator, Block, Statement, StatementKind, SwitchCase, SwitchLabel};

impl Printer {
    /// Prints a block, without the end of the line.
    pub(super) fn block(&mut self, block: &Block) {
        self.annotations(&block.annotations);
        self.braces(&block.statements, Self::statement);
    }

    /// Prints a statement on lines of its own.
    pub(super) fn statement(&mut self, statement: &Statement) {
        if let StatementKind::Declare(declaration) = &statement.kind {
            return self.declaration(declaration);
        }
        self.line();
        self.statement_in_line(statement);
        self.push("\n");
    }

    /// Prints a statement without the beginning and the end of its line.
    fn statement_in_line(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Empty => self.push(";"),
            StatementKind::Declare(_) | StatementKind::Assign { .. } | StatementKind::Call(_) => {
                self.step(statement);
                self.push(";");
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.push("if (");
                self.expression(condition);
                self.push(") ");
                self.statement_in_line(then);
                if let Some(otherwise) = otherwise {
                    self.push(" else ");
                    self.statement_in_line(otherwise);
                }
            }
            StatementKind::Switch { value, cases } => {
                self.push("switch (");
                self.expression(value);
                self.push(") ");
                self.braces(cases, Self::switch_case);
            }
            StatementKind::For { annotations, first, condition, step, body } => {
                self.annotations(annotations);
                self.push("for (");
                self.joined(first, ", ", Self::step);
                self.push("; ");
                self.expression(condition);
                self.push("; ");
                self.joined(step, ", ", Self::step);
                self.push(") ");
                self.statement_in_line(body);
            }
            StatementKind::ForIn { annotations, variable, collection, body } => {
                self.annotations(annotations);
                self.push("for (");
                self.annotations(&variable.annotations);
                self.type_reference(&variable.variable_type);
                self.push(" ");
                self.push(&variable.name.text);
                self.push(" in ");
                self.keyset_element(collection);
                self.push(") ");
                self.statement_in_line(body);
            }
            StatementKind::Break => self.push("break;"),
            StatementKind::Continue => self.push("continue;"),
            StatementKind::Return(None) => self.push("return;"),
            StatementKind::Return(Some(value)) => {
                self.push("return ");
                self.expression(value);
                self.push(";");
            }
            StatementKind::Exit => self.push("exit;"),
        }
    }

    /// Prints a declaration, an assignment or a call, without the `;`.
    fn step(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Declare(declaration) => {
                self.annotations(&declaration.annotations);
                self.declared(&declaration.kind);
            }
            StatementKind::Assign { target, operator, value } => {
                self.expression(target);
                self.push(" ");
                if let AssignmentOperator::With(operator) = operator {
                    self.push(operator.symbol());
                }
                self.push("= ");
                self.expression(value);
            }
            StatementKind::Call(call) => self.expression(call),
            _ => self.statement_in_line(statement),
        }
    }

    fn switch_case(&mut self, case: &SwitchCase) {
        self.line();
        match &case.label {
            SwitchLabel::Default(_) => self.push("default"),
            SwitchLabel::Value(value) => {
                let start = self.text.len();
                self.expression_before_colon(value);
                // A brace begins a block here.
                if self.text[start..].starts_with('{') {
                    self.text.insert(start, '(');
                    self.push(")");
                }
            }
        }
        self.push(":");
        if let Some(block) = &case.block {
            self.push(" ");
            self.block(block);
        }
        self.push("\n");
    }
}
