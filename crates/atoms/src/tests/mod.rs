//! Tests of the mapping of codelets, given as IR text, to atoms.

mod properties;
mod prover;
mod published;
mod refusals;
mod smt;
mod words;

use std::collections::BTreeSet;

use ir::{Expression, Program, RegisterId, Statement, VariableId};

use crate::{Least, Mapping, Premise, Template, Unmappable, least, map};

/// A codelet of a program in straight-line three-address code.
pub(super) struct Example {
    pub program: Program,
    pub body: Vec<Statement>,
}

impl Example {
    /// Extracts the codelet that updates `registers` together: their reads and writes, and all operations in between.
    pub fn new(text: &str, registers: &[&str]) -> Self {
        let text = format!("program example\n{text}");
        let program = ir::parse::program("example", &text).unwrap_or_else(|failure| panic!("{failure}"));
        let ids: Vec<RegisterId> =
            registers.iter().map(|name| program.register_named(name).expect("declared")).collect();
        let mut after: BTreeSet<VariableId> = BTreeSet::new();
        let mut is_after = vec![false; program.packet.len()];
        for (number, statement) in program.packet.iter().enumerate() {
            let own_read = matches!(statement,
                Statement::Assign { value: Expression::Read { register, .. }, .. } if ids.contains(register));
            let uses = statement.expressions().iter().flat_map(|e| e.variables()).any(|id| after.contains(&id));
            is_after[number] = own_read || uses;
            if let (Statement::Assign { variable, .. }, true) = (statement, is_after[number]) {
                after.insert(*variable);
            }
        }
        let mut before: BTreeSet<VariableId> = BTreeSet::new();
        let mut body = Vec::new();
        for (number, statement) in program.packet.iter().enumerate().rev() {
            let (is_own, leads) = match statement {
                Statement::Write { register, .. } => (ids.contains(register), true),
                Statement::Assign { variable, value: Expression::Read { register, .. } } => {
                    (ids.contains(register), before.contains(variable) || ids.contains(register))
                }
                Statement::Assign { variable, .. } => (is_after[number], before.contains(variable)),
                _ => panic!("straight-line code only"),
            };
            if is_own && leads {
                body.push(statement.clone());
                before.extend(statement.expressions().iter().flat_map(|e| e.variables()));
            }
        }
        body.reverse();
        Self { program, body }
    }

    fn definition(&self, id: VariableId) -> Option<Expression> {
        self.program.packet.iter().find_map(|statement| match statement {
            Statement::Assign { variable, value } if *variable == id && !self.body.contains(statement) => {
                Some(value.clone())
            }
            _ => None,
        })
    }

    pub fn map(&self, template: Template, premise: Premise) -> Result<Mapping, Unmappable> {
        map(&self.program, &self.body, &|id| self.definition(id), template, premise)
    }

    pub fn least(&self) -> Least {
        least(&self.program, &self.body, &|id| self.definition(id))
    }

    /// Returns the names of the least atom for all inputs and of the lesser one under the premise of no overflow.
    pub fn least_names(&self) -> (Option<&'static str>, Option<&'static str>) {
        let least = self.least();
        least.exact.iter().chain(&least.without_overflow).for_each(smt::check_again);
        (least.exact.ok().map(|mapping| mapping.template.name()), least.without_overflow.map(|m| m.template.name()))
    }
}

/// Returns the least atom that computes a codelet for all inputs.
pub(super) fn least_of(text: &str, registers: &[&str]) -> Option<&'static str> {
    let (exact, without_overflow) = Example::new(text, registers).least_names();
    assert_eq!(without_overflow, None, "a premise makes no difference");
    exact
}
