//! Tables: the control plane may let every action run that a table lists.

use ir::{Statement, TableId, VariableId};
use runtime::Bits;
use runtime::checksum::Algorithm;
use runtime::tables::Target;

use super::path::Path;
use super::value::Value;
use super::{Analysis, Obstacle, obstacle};

impl Analysis<'_> {
    /// Applies a table: each action that may run begins paths of its own.
    pub(super) fn apply(
        &mut self,
        statement: &Statement,
        table: TableId,
        [hit, action, entry]: [Option<VariableId>; 3],
        path: Path,
    ) -> Result<Vec<Path>, Obstacle> {
        let table = &self.program.tables[table.index()];
        for key in table.keys.iter().map(|key| &key.value).chain(&table.selector) {
            if self.differs(key, &path) {
                return Err(self.differing(statement, key, &path));
            }
        }
        if let Some((meter, _)) = table.meter.filter(|_| !table.counts_when_called) {
            let meter = ir::print::meter(self.program, meter).to_string();
            return Err(obstacle(meter, "a meter measures each segment"));
        }
        let profile = table.profile.map(|profile| &self.program.profiles[profile.index()]);
        if profile.and_then(|profile| profile.selection.as_ref()).is_some_and(|own| own.algorithm == Algorithm::Random)
        {
            return Err(self.stands(statement, "each segment draws a member of its own"));
        }
        if profile.and_then(|profile| profile.selection.as_ref()?.bits).is_some() {
            return Err(self.stands(statement, "each segment may find other members there"));
        }
        let mut path = path;
        for result in hit.into_iter().chain(entry) {
            path.values[result.index()] = self.unknown();
        }
        let default = match &table.default {
            Target::Action { action, .. } => Some(*action as usize),
            _ => None,
        };
        // No action runs if the table leads to a member of a profile that does not exist.
        let mut after = if table.profile.is_some() { vec![path.clone()] } else { Vec::new() };
        for (number, listed) in table.actions.iter().enumerate() {
            let may_be_default = default == Some(number) || (!table.is_default_constant && !listed.only_entries);
            // A member of a profile may run what another table with the profile allows.
            if listed.only_default && !may_be_default && table.profile.is_none() {
                continue;
            }
            let mut path = path.clone();
            if let Some(action) = action {
                let width = self.width(action);
                path.values[action.index()] = Value::Constant(Bits::from_u64(number as u64, width));
            }
            for parameter in &self.program.functions[listed.function.index()].parameters {
                path.values[parameter.index()] = self.unknown();
            }
            let begun = self.statements(&listed.before, vec![path])?;
            let run = self.function(listed.function, begun)?;
            after.extend(self.after(&listed.after, run)?);
        }
        // A table without entries, or one whose default leads nowhere, runs nothing.
        if table.actions.is_empty() {
            after.push(path);
        }
        Ok(after)
    }
}
