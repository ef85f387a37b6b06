//! Restricted forms of programs, which passes establish and which are verified here.
//!
//! The IR itself has blocks and nested expressions. Pipelines need the forms below; run-to-completion machines need
//! none of them. Each form includes all earlier ones.

mod flat;
mod flat_program;

use std::collections::BTreeSet;

use crate::{Expression, Program, Statement, VariableId, VariableKind, print, verify};

pub(crate) use flat::{flat, only_looked_up, statements as flat_statements};
pub use flat_program::{Flat, FlatBlock, FlatCode, FlatStatement};

/// A restricted form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A packet consists of its variables, of at most 64 bits each. There are no headers, parsers, calls, table
    /// applications, loops or effects, and no state but registers. Pipelined machines take programs of this form.
    Flat,
    /// No `if` blocks: conditional statements are predicated or use `?:`.
    StraightLine,
    /// One operation per statement: every operand, index, predicate and written value is a constant or a variable.
    ThreeAddress,
    /// Each local is assigned once and read only after that. Fields are never assigned, so they always stand for the
    /// value on arrival; exports define the values that leave.
    SingleAssignment,
}

impl Form {
    /// Verifies that a program has this form.
    ///
    /// # Errors
    /// Lists everything that keeps the program from having this form or from being well typed.
    pub fn verify(self, program: &Program) -> Result<(), Vec<String>> {
        verify::program(program)?;
        let mut errors = Vec::new();
        flat(program, &mut errors);
        if self >= Self::StraightLine {
            straight_line(program, &program.packet, &mut errors);
        }
        if self >= Self::ThreeAddress {
            three_address(program, &program.packet, &mut errors);
        }
        if self >= Self::SingleAssignment {
            let mut assigned = Assigned::new(program);
            for statement in &program.packet {
                assigned.check_reads(program, statement, &mut errors);
                assigned.assign(program, statement, &mut errors);
            }
            assigned.exports(program, &mut errors);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

pub(crate) fn straight_line(program: &Program, block: &[Statement], errors: &mut Vec<String>) {
    let branches = block.iter().filter(|statement| matches!(statement, Statement::If { .. }));
    errors.extend(
        branches.map(|branch| format!("{}: `if` blocks are not allowed in straight-line code", quote(program, branch))),
    );
}

pub(crate) fn three_address(program: &Program, block: &[Statement], errors: &mut Vec<String>) {
    for statement in block {
        let nested = match statement {
            Statement::Assign { value, .. } => value.children().into_iter().find(|child| !child.is_operand()),
            // An `if` is reported as a block, and the others are reported as not flat.
            Statement::If { .. } | Statement::AssignElement { .. } => None,
            Statement::Flow(_) | Statement::Packet(_) | Statement::Shared(_) => None,
            Statement::Write { .. } => statement.expressions().into_iter().find(|value| !value.is_operand()),
        };
        if let Some(nested) = nested {
            let nested = print::expression(program, nested);
            errors.push(format!("{}: `{nested}` is neither a constant nor a variable", quote(program, statement)));
        }
    }
}

/// The variables that have a value so far, in single-assignment code.
#[derive(Clone)]
pub(crate) struct Assigned {
    variables: BTreeSet<VariableId>,
}

impl Assigned {
    /// Starts with the fields, which have values on arrival.
    pub fn new(program: &Program) -> Self {
        Self { variables: program.fields().map(|(id, _)| id).collect() }
    }

    /// Returns true if all variables of an operand have a value.
    pub fn knows(&self, operand: &Expression) -> bool {
        operand.variables().iter().all(|id| self.variables.contains(id))
    }

    /// Reports variables that a statement reads before they have a value.
    pub fn check_reads(&self, program: &Program, statement: &Statement, errors: &mut Vec<String>) {
        for unknown in statement.expressions().iter().flat_map(|expression| expression.variables()) {
            if !self.variables.contains(&unknown) {
                let name = print::variable(program, unknown);
                errors.push(format!("{}: `{name}` has no value yet", quote(program, statement)));
            }
        }
    }

    /// Records the variable that a statement assigns, and reports it if it has a value already.
    pub fn assign(&mut self, program: &Program, statement: &Statement, errors: &mut Vec<String>) {
        if let Statement::Assign { variable, .. } = statement
            && !self.variables.insert(*variable)
        {
            let name = print::variable(program, *variable);
            let what = match program.variable(*variable).kind {
                VariableKind::Field => format!("the field `{name}` is assigned; it must be exported instead"),
                VariableKind::Local => format!("`{name}` is assigned a second time"),
            };
            errors.push(format!("{}: {what}", quote(program, statement)));
        }
    }

    /// Reports exports of variables that have no value.
    pub fn exports(&self, program: &Program, errors: &mut Vec<String>) {
        for export in program.exports.iter().filter(|export| !self.knows(&export.value)) {
            let field = print::variable(program, export.field);
            let value = print::expression(program, &export.value);
            errors.push(format!("export `{field}`: `{value}` is never assigned"));
        }
    }
}

/// The first line of a statement in backquotes, with which messages begin.
pub(crate) fn quote(program: &Program, statement: &Statement) -> String {
    let text = print::statement(program, statement).to_string();
    format!("`{}`", text.lines().next().unwrap_or_default())
}
