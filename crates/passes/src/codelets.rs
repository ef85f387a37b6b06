//! Cuts a program into codelets, each of which a single atom must compute as a whole.
//!
//! A codelet is a strongly connected component of the dependency graph that accesses state (Sivaraman et al.,
//! "Packet Transactions", SIGCOMM 2016, section 4.2). Everything else is a stateless operation of its own.

use ir::{Expression, Program, RegisterId, Statement, VariableId};

use crate::choices::Choices;
use crate::dependency_graph::{Dependencies, DependencyGraph, access};
use crate::fresh_names::FreshNames;
use crate::functions::Function;
use crate::predicates::Predicates;

/// A part of a program.
pub(crate) enum ProgramPiece {
    /// An operation that accesses no state.
    Operation(Statement),
    /// An update of registers: its statements in program order.
    Codelet(Vec<Statement>),
}

/// Cuts a hoisted program into its parts, in topological order.
pub(crate) fn split(program: &Program) -> Vec<ProgramPiece> {
    let components = DependencyGraph::of(program, Dependencies::All).components();
    let mut parts = Vec::with_capacity(components.len());
    for component in components {
        let statements = || component.iter().map(|&number| program.packet[number].clone());
        if statements().any(|statement| access(&statement).is_some()) {
            parts.push(ProgramPiece::Codelet(statements().collect()));
        } else {
            // In single assignment only state can cause cycles.
            parts.extend(statements().map(ProgramPiece::Operation));
        }
    }
    parts
}

/// Returns the registers that a codelet accesses, sorted and without repetition.
pub(crate) fn registers(body: &[Statement]) -> Vec<RegisterId> {
    let mut registers: Vec<RegisterId> = body.iter().filter_map(access).map(|(register, ..)| register).collect();
    registers.sort_unstable();
    registers.dedup();
    registers
}

/// Returns the variable into which a codelet reads the old value of a register, if it does.
pub(crate) fn old_value(body: &[Statement], of: RegisterId) -> Option<VariableId> {
    body.iter().find_map(|statement| match statement {
        Statement::Assign { variable, value: Expression::Read { register, .. } } if *register == of => Some(*variable),
        _ => None,
    })
}

/// Returns a codelet without its predicate, as a function for every packet, including those that do not access its
/// registers: where the predicate does not hold, old values are written back unchanged. This is what an atom must
/// compute, as it knows no predicates other than its own.
pub(crate) fn without_predicate(
    program: &mut Program,
    names: &mut FreshNames,
    known: &mut ProgramFacts,
    body: &[Statement],
) -> Vec<Statement> {
    let predicate = body.iter().find_map(access).and_then(|(_, _, predicate)| predicate).cloned();
    let mut whole = Vec::with_capacity(body.len() + 2);
    let complement = predicate.as_ref().and_then(|predicate| known.complement(predicate));
    for statement in body {
        let mut statement = statement.clone();
        match &mut statement {
            Statement::Assign { value: Expression::Read { predicate, .. }, .. } => *predicate = None,
            Statement::Write { register, index, value, predicate: place } => {
                *place = None;
                let old = old_value(body, *register);
                if let Some(predicate) = &predicate
                    && !known.keeps(complement, old, value)
                {
                    let ty = program.register(*register).ty;
                    let old = old.unwrap_or_else(|| {
                        let old = names.local(program, &format!("{}.old", program.register(*register).name), ty);
                        let value = Expression::read(*register, index.clone());
                        whole.push(Statement::Assign { variable: old, value });
                        old
                    });
                    let new = names.local(program, &format!("{}.new", program.register(*register).name), ty);
                    let kept = Expression::select(predicate.clone(), value.clone(), Expression::Variable(old));
                    whole.push(Statement::Assign { variable: new, value: kept });
                    *value = Expression::Variable(new);
                }
            }
            _ => {}
        }
        whole.push(statement);
    }
    whole
}

/// The known facts about the program that codelets are part of.
pub(crate) struct ProgramFacts {
    choices: Choices,
    predicates: Predicates,
}

impl ProgramFacts {
    /// Analyses a program in single assignment.
    pub(crate) fn of(program: &Program) -> Self {
        Self { choices: Choices::of(program), predicates: Predicates::of(program) }
    }

    /// Returns the complement of a predicate; `None` if it grows past the bound.
    fn complement(&mut self, predicate: &Expression) -> Option<Function> {
        let holds = self.predicates.operand(predicate);
        self.predicates.functions().not(holds)
    }

    /// Returns true if `value` equals the old value where `complement` holds.
    fn keeps(&mut self, complement: Option<Function>, old: Option<VariableId>, value: &Expression) -> bool {
        let (Some(old), Some(complement)) = (old, complement) else { return false };
        self.choices.operand_where(&mut self.predicates, complement, value.clone()) == Expression::Variable(old)
    }
}
