//! Indices that are old values of registers, that is, values before the packet's first write.
//!
//! All reads of a register before its first write give the same value wherever they happen, even if they happen for
//! different packets. Two accesses of an array at the values of two such reads are therefore at the same index.

use ir::{Expression, Program, RegisterId, Statement, VariableId};

use super::Knowledge;
use crate::functions::Function;

/// The variables that hold old values of registers.
pub(super) struct OldValues {
    /// For each variable that was read from a register before any write: the register, and the predicate of the read.
    read: Vec<Option<(RegisterId, Option<Expression>)>>,
    /// For each register, the number of reads before its first write.
    reads: Vec<u32>,
    made: Vec<Option<VariableId>>,
}

impl OldValues {
    pub(super) fn of(program: &Program) -> Self {
        let mut read = vec![None; program.variables.len()];
        let mut reads = vec![0; program.registers.len()];
        let mut is_written = vec![false; program.registers.len()];
        for statement in &program.packet {
            match statement {
                Statement::Assign { variable, value: Expression::Read { register, predicate, .. } }
                    if !is_written[register.index()] =>
                {
                    read[variable.index()] = Some((*register, predicate.as_deref().cloned()));
                    reads[register.index()] += 1;
                }
                Statement::Write { register, .. } => is_written[register.index()] = true,
                _ => {}
            }
        }
        Self { read, reads, made: vec![None; program.registers.len()] }
    }

    /// Returns the index of an access that happens where `happens` holds: a variable for the old value of the register
    /// that the index was read from, if it was read wherever the access happens and the register is read more than
    /// once; otherwise `index` itself.
    pub(super) fn index(
        &mut self,
        program: &mut Program,
        knowledge: &mut Knowledge,
        happens: Function,
        index: Expression,
    ) -> Expression {
        let Expression::Variable(variable) = &index else { return index };
        let Some((register, predicate)) = &self.read[variable.index()] else { return index };
        let is_read = knowledge.predicates.predicate(predicate.as_ref());
        if self.reads[register.index()] < 2 || !knowledge.predicates.implies(happens, is_read) {
            return index;
        }
        let described = program.register(*register);
        let (hint, ty) = (format!("{}.old", described.name), described.ty);
        let old = self.made[register.index()].get_or_insert_with(|| knowledge.names.local(program, &hint, ty));
        Expression::Variable(*old)
    }

    /// Returns, for each register, the variable that stands for its old value, if an index uses it.
    pub(super) fn made(self) -> Vec<Option<VariableId>> {
        self.made
    }
}
