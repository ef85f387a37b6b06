//! Restricted forms of a program, each promised by a pass and verified here.
//!
//! The IR itself has blocks and nested expressions. Pipelines need the forms below; run-to-completion machines never
//! ask for one. Each form includes those before it.

mod flat;
mod flat_program;

use std::collections::BTreeSet;

use crate::{Expression, Program, Statement, VariableId, VariableKind, print, verify};

pub(crate) use flat::{flat, statements as flat_statements};
pub use flat_program::{Flat, FlatBlock, FlatCode, FlatStatement};

/// A restricted form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A packet is its variables, of at most 64 bits each: no headers, parsers, calls, tables, loops or effects, and of
    /// state only registers. What machines with pipelines take.
    Flat,
    /// No `if` blocks: what happens under a condition is predicated or chosen.
    StraightLine,
    /// One operation a statement: every operand, index, predicate and written value is a constant or a variable.
    ThreeAddress,
    /// Each local is assigned once, and read only after that; fields are never assigned, so that they always mean
    /// the value on arrival, and exports say what leaves.
    SingleAssignment,
}

impl Form {
    /// Everything that keeps a program from having this form, and from being well typed at all.
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
    errors.extend(branches.map(|branch| format!("{}: a block in straight-line code", quote(program, branch))));
}

pub(crate) fn three_address(program: &Program, block: &[Statement], errors: &mut Vec<String>) {
    for statement in block {
        let nested = match statement {
            Statement::Assign { value, .. } => value.children().into_iter().find(|child| !child.is_operand()),
            // An `if` is reported as a block, and what is not flat as such.
            Statement::If { .. } | Statement::AssignElement { .. } => None,
            Statement::Flow(_) | Statement::Packet(_) | Statement::Shared(_) => None,
            Statement::Write { .. } => statement.expressions().into_iter().find(|value| !value.is_operand()),
        };
        if let Some(nested) = nested {
            let nested = print::expression(program, nested);
            errors.push(format!("{}: `{nested}` is neither constant nor variable", quote(program, statement)));
        }
    }
}

/// The variables that have a value so far, in single assignment.
#[derive(Clone)]
pub(crate) struct Assigned {
    variables: BTreeSet<VariableId>,
}

impl Assigned {
    /// On arrival the fields have values.
    pub fn new(program: &Program) -> Self {
        Self { variables: program.fields().map(|(id, _)| id).collect() }
    }

    /// True for constants and for variables that have a value.
    pub fn knows(&self, operand: &Expression) -> bool {
        operand.variables().iter().all(|id| self.variables.contains(id))
    }

    /// Reports what a statement reads that has no value yet.
    pub fn check_reads(&self, program: &Program, statement: &Statement, errors: &mut Vec<String>) {
        for unknown in statement.expressions().iter().flat_map(|expression| expression.variables()) {
            if !self.variables.contains(&unknown) {
                let name = print::variable(program, unknown);
                errors.push(format!("{}: `{name}` has no value yet", quote(program, statement)));
            }
        }
    }

    /// Goes past a statement, reporting the assignment of what has a value already.
    pub fn assign(&mut self, program: &Program, statement: &Statement, errors: &mut Vec<String>) {
        if let Statement::Assign { variable, .. } = statement
            && !self.variables.insert(*variable)
        {
            let name = print::variable(program, *variable);
            let what = match program.variable(*variable).kind {
                VariableKind::Field => format!("the field `{name}` is assigned, not exported"),
                VariableKind::Local => format!("`{name}` is assigned a second time"),
            };
            errors.push(format!("{}: {what}", quote(program, statement)));
        }
    }

    /// Whatever leaves has a value.
    pub fn exports(&self, program: &Program, errors: &mut Vec<String>) {
        for export in program.exports.iter().filter(|export| !self.knows(&export.value)) {
            let field = print::variable(program, export.field);
            let value = print::expression(program, &export.value);
            errors.push(format!("export `{field}`: `{value}` is never assigned"));
        }
    }
}

/// The first line of a statement, to begin a message with.
pub(crate) fn quote(program: &Program, statement: &Statement) -> String {
    let text = print::statement(program, statement).to_string();
    format!("`{}`", text.lines().next().unwrap_or_default())
}
