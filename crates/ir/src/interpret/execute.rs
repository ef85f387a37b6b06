//! Statements: one walk over their tree, for whoever holds variables and registers.

use crate::evaluate::{self, Environment};
use crate::value::Value;
use crate::{Expression, Program, RegisterId, Statement, VariableId};

/// Holds what statements change.
///
/// A flat program (assignments, writes, conditions) needs nothing else. With a [`Self::Stop`] that has no value, it
/// pays nothing for what other programs have: calls, loops, packets, tables.
pub(super) trait Execution: Environment {
    /// What ends a block before its end.
    type Stop;

    /// A variable takes a value.
    fn assign(&mut self, variable: VariableId, value: Self::Value);

    /// A register takes a value at a place, which is inside.
    fn write(&mut self, register: RegisterId, place: usize, value: Self::Value);

    /// Is told how the condition of [`Statement::If`] came out. Flat programs have nobody to tell.
    #[inline]
    fn tested(&mut self, condition: &Expression, holds: bool) {
        let _ = (condition, holds);
    }

    /// Carries out [`Statement::Flow`], [`Statement::Packet`] and [`Statement::Shared`], which flat programs lack.
    fn further(&mut self, statement: &Statement) -> Result<(), Self::Stop>;
}

/// Carries out statements in order.
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
            // A write that is not made evaluates nothing: reads in its index and value are no accesses.
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
