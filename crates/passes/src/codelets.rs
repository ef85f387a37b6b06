//! Cuts a program into codelets: what one atom must do as a whole.
//!
//! A codelet is a strongly connected component of the dependency graph that accesses state (Sivaraman et al.,
//! "Packet Transactions", SIGCOMM 2016, section 4.2). Everything else is a stateless operation of its own.

use ir::{Expression, Program, RegisterId, Statement, VariableId};

use crate::choices::Choices;
use crate::dependency_graph::{Dependencies, DependencyGraph, access};
use crate::functions::Function;
use crate::names::Names;
use crate::predicates::Predicates;

/// A part of a program in the order in which parts need each other.
pub(crate) enum Part {
    /// An operation that accesses no state.
    Operation(Statement),
    /// An update of registers, in order of the program.
    Codelet(Vec<Statement>),
}

/// Cuts a hoisted program into its parts.
pub(crate) fn split(program: &Program) -> Vec<Part> {
    let components = DependencyGraph::of(program, Dependencies::All).components();
    let mut parts = Vec::with_capacity(components.len());
    for component in components {
        let statements = || component.iter().map(|&number| program.packet[number].clone());
        if statements().any(|statement| access(&statement).is_some()) {
            parts.push(Part::Codelet(statements().collect()));
        } else {
            // Without state there are no cycles in single assignment.
            parts.extend(statements().map(Part::Operation));
        }
    }
    parts
}

/// The registers that a codelet accesses, in order.
pub(crate) fn registers(body: &[Statement]) -> Vec<RegisterId> {
    let mut registers: Vec<RegisterId> = body.iter().filter_map(access).map(|(register, ..)| register).collect();
    registers.sort_unstable();
    registers.dedup();
    registers
}

/// The variable that a codelet reads a register's old value into.
pub(crate) fn old_value(body: &[Statement], of: RegisterId) -> Option<VariableId> {
    body.iter().find_map(|statement| match statement {
        Statement::Assign { variable, value: Expression::Read { register, .. } } if *register == of => Some(*variable),
        _ => None,
    })
}

/// The codelet as a function for every packet, also for one that does not access its registers: reads and writes
/// are not predicated, and values are written back unchanged where nothing was written. This is what an atom, which
/// knows no predicates but its own, must compute.
pub(crate) fn without_predicate(
    program: &mut Program,
    names: &mut Names,
    known: &mut Known,
    body: &[Statement],
) -> Vec<Statement> {
    let predicate = body.iter().find_map(access).and_then(|(_, _, predicate)| predicate).cloned();
    let mut whole = Vec::with_capacity(body.len() + 2);
    let elsewhere = predicate.as_ref().and_then(|predicate| known.elsewhere(predicate));
    for statement in body {
        let mut statement = statement.clone();
        match &mut statement {
            Statement::Assign { value: Expression::Read { predicate, .. }, .. } => *predicate = None,
            Statement::Write { register, index, value, predicate: place } => {
                *place = None;
                let old = old_value(body, *register);
                if let Some(predicate) = &predicate
                    && !known.keeps(elsewhere, old, value)
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

/// What is known of the program of which codelets are parts.
pub(crate) struct Known {
    choices: Choices,
    predicates: Predicates,
}

impl Known {
    /// Looks at a program in single assignment.
    pub(crate) fn of(program: &Program) -> Self {
        Self { choices: Choices::of(program), predicates: Predicates::of(program) }
    }

    /// Where a predicate does not hold, if that can be told.
    fn elsewhere(&mut self, predicate: &Expression) -> Option<Function> {
        let holds = self.predicates.operand(predicate);
        self.predicates.functions().not(holds)
    }

    /// True if `value` is the old value `elsewhere`.
    fn keeps(&mut self, elsewhere: Option<Function>, old: Option<VariableId>, value: &Expression) -> bool {
        let (Some(old), Some(elsewhere)) = (old, elsewhere) else { return false };
        self.choices.operand_where(&mut self.predicates, elsewhere, value.clone()) == Expression::Variable(old)
    }
}
