//! Execution of statements: one walk over the tree, generic in the [`Execution`] that holds variables and registers.

use crate::evaluate::{self, Environment};
use crate::value::Value;
use crate::{Expression, Program, RegisterId, Statement, VariableId};

/// Holds the variables and registers that statements change.
///
/// A flat program (assignments, writes, conditions) needs only the required methods. With an uninhabited [`Self::Stop`]
/// it does not pay for the calls, loops, packets and tables of other programs.
pub(super) trait Execution: Environment {
    /// The reason why a block ends early.
    type Stop;

    /// Assigns a value to a variable.
    fn assign(&mut self, variable: VariableId, value: Self::Value);

    /// Writes a value to a register at an index, which is in range.
    fn write(&mut self, register: RegisterId, place: usize, value: Self::Value);

    /// Reports the outcome of a [`Statement::If`] condition. Interpreters of flat programs have no observer to tell.
    #[inline]
    fn tested(&mut self, condition: &Expression, holds: bool) {
        let _ = (condition, holds);
    }

    /// Executes [`Statement::Flow`], [`Statement::Packet`] and [`Statement::Shared`], which flat programs lack.
    fn further(&mut self, statement: &Statement) -> Result<(), Self::Stop>;
}

/// Executes statements in order.
pub(super) fn block<E: Execution>(program: &Program, statements: &[Statement], on: &mut E) -> Result<(), E::Stop> {
    statements.iter().try_for_each(|statement| self::statement(program, statement, on))
}

fn statement<E: Execution>(program: &Program, statement: &Statement, on: &mut E) -> Result<(), E::Stop> {
    match statement {
        Statement::Assign { variable, value } => {
            let (_, value) = evaluate::value(program, value, on);
            on.assign(*variable, value);
        }
        Statement::Write { register, index, value, predicate } => {
            // A write that does not happen evaluates nothing, so reads in its index and value do not count as accesses.
            if evaluate::holds(program, predicate.as_ref(), on) {
                let (_, value) = evaluate::value(program, value, on);
                let place = evaluate::place(program, *register, index.as_ref(), on);
                on.write(*register, place, value);
            }
        }
        Statement::If { condition, then, otherwise } => {
            let taken = evaluate::value(program, condition, on).1.is_true();
            on.tested(condition, taken);
            return block(program, if taken { then } else { otherwise }, on);
        }
        Statement::AssignElement { array, index, value } => {
            let (_, value) = evaluate::value(program, value, on);
            let (_, index) = evaluate::value(program, index, on);
            if let Some(variable) = evaluate::element(&program.arrays[array.index()].elements, index.to_u64()) {
                on.assign(variable, value);
            }
        }
        Statement::Flow(_) | Statement::Packet(_) | Statement::Shared(_) => return on.further(statement),
    }
    Ok(())
}
