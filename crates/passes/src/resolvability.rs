//! Determines what can be known of each access before any state is accessed.

use ir::{Expression, Program, Statement};

use crate::units::{AccessedRegisters, Unit};

/// The units whose values depend on state.
pub(crate) struct Resolvability {
    /// For each variable, the unit that assigns it, if any.
    assigned_by: Vec<Option<usize>>,
    /// For each unit, whether its values depend on state.
    stateful: Vec<bool>,
    needs: Vec<Vec<usize>>,
}

impl Resolvability {
    /// Analyses units, which must be in topological order.
    pub(crate) fn of(program: &Program, units: &[Unit], needs: &[Vec<usize>]) -> Self {
        let mut assigned_by = vec![None; program.variables.len()];
        let mut stateful = vec![false; units.len()];
        for (number, unit) in units.iter().enumerate() {
            stateful[number] = unit.is_stateful() || needs[number].iter().any(|&need| stateful[need]);
            for statement in &unit.body {
                if let Statement::Assign { variable, .. } = statement {
                    assigned_by[variable.index()] = Some(number);
                }
            }
        }
        Self { assigned_by, stateful, needs: needs.to_vec() }
    }

    /// Returns true if an operand can be known before any state is accessed.
    pub(crate) fn is_known(&self, operand: &Expression) -> bool {
        !self.unit_of(operand).is_some_and(|unit| self.stateful[unit])
    }

    /// Returns the nearest stateful units that an operand depends on.
    pub(crate) fn causes(&self, units: &[Unit], operand: &Expression) -> Vec<usize> {
        let mut causes = Vec::new();
        let mut seen = vec![false; self.needs.len()];
        let mut open: Vec<usize> = self.unit_of(operand).into_iter().collect();
        while let Some(unit) = open.pop() {
            if std::mem::replace(&mut seen[unit], true) || !self.stateful[unit] {
                continue;
            }
            if units[unit].is_stateful() {
                causes.push(unit);
            } else {
                open.extend(&self.needs[unit]);
            }
        }
        causes.sort_unstable();
        causes
    }

    /// Marks the units that compute the indices and predicates that can be known early, and `extra` if given.
    pub(crate) fn slice(
        &self,
        units: &[Unit],
        accessed: &[Vec<AccessedRegisters>],
        extra: Option<&Expression>,
    ) -> Vec<bool> {
        let indices = accessed.iter().flatten().filter_map(|access| access.index.as_ref());
        let predicates = units.iter().filter_map(Unit::predicate);
        let mut open: Vec<usize> = indices
            .chain(predicates)
            .chain(extra)
            .filter(|operand| self.is_known(operand))
            .filter_map(|operand| self.unit_of(operand))
            .collect();
        let mut slice = vec![false; self.needs.len()];
        while let Some(unit) = open.pop() {
            if !std::mem::replace(&mut slice[unit], true) {
                open.extend(&self.needs[unit]);
            }
        }
        slice
    }

    fn unit_of(&self, operand: &Expression) -> Option<usize> {
        match operand {
            Expression::Variable(variable) => self.assigned_by[variable.index()],
            _ => None,
        }
    }
}
