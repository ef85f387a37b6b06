//! The application of tables: look-up, choice of the action, and its execution.

use runtime::tables::EntryHandle;

use super::run::{Run, StatementResult};
use crate::lookup::{self, Found};
use crate::{Table, TableId, VariableId, evaluate};

impl Run<'_, '_> {
    /// Applies a table. The variables are those of [`crate::Flow::Apply`], in its order.
    pub(super) fn apply(&mut self, id: TableId, [hit, action, slot]: [Option<VariableId>; 3]) -> StatementResult {
        self.step()?;
        let program = self.program;
        let table = &program.tables[id.index()];
        let mut values = self.take_list();
        for key in &table.keys {
            let value = self.value(&key.value);
            values.push(value);
        }
        let entry = self.around.state.tables[id.index()].lookup(&values);
        let hash = if lookup::asks_selector(self.around.state, id, entry) { self.selector_hash(table) } else { 0 };
        let Found { entry, runs } = Found::of(self.around.state, id, table, entry, hash);
        self.around.observer.applied(id, &values, entry, lookup::target(self.around.state, id, entry));
        // The keys are no longer needed; their list is reused for the data of the action.
        values.clear();
        let number = runs.map(|(number, data)| {
            values.extend_from_slice(data);
            number
        });
        if let Some(hit) = hit {
            self.set_number(hit, u64::from(entry.is_some()));
        }
        if let Some(variable) = slot {
            let slot = entry.and_then(|entry| self.around.state.tables[id.index()].slot(entry));
            self.set_number(variable, slot.unwrap_or(u32::MAX).into());
        }
        // If the default leads to a member that does not exist, no action runs.
        let Some(number) = number else {
            self.put_back(values);
            return Ok(());
        };
        if let Some(action) = action {
            self.set_number(action, number.into());
        }
        if let Some(entry) = entry {
            self.count_and_measure(id, table, entry);
        }
        let chosen = &table.actions[number as usize];
        let parameters = &program.functions[chosen.function.index()].parameters;
        for (parameter, value) in parameters.iter().zip(values.drain(..)) {
            self.set(*parameter, value);
        }
        self.put_back(values);
        self.block(&chosen.before)?;
        let progress = self.function(chosen.function);
        self.finish(progress, &chosen.after)
    }

    /// Hashes the concatenated selector keys.
    fn selector_hash(&mut self, table: &Table) -> u64 {
        let selection = table.profile.and_then(|profile| self.program.profiles[profile.index()].selection.as_ref());
        let Some(selection) = selection else { return 0 };
        let mut data = self.take_bit_string();
        for key in &table.selector {
            let (ty, value) = evaluate::value(self.program, key, self);
            data.push(&value, ty.width());
        }
        let hash = selection.hash(data.bytes(), self.around.random);
        self.put_bit_string_back(data);
        hash
    }

    /// Updates the time of the last hit of the entry that matched, and its direct counter and meter unless they are called.
    fn count_and_measure(&mut self, id: TableId, table: &Table, entry: EntryHandle) {
        let (packets, length) = (self.around.packets, self.around.length);
        let state = &mut self.around.state.tables[id.index()];
        state.hit(entry, self.around.now);
        if table.counts_when_called {
            return;
        }
        state.count(entry, packets, length);
        if let Some(counter) = table.counter {
            self.around.observer.counted(counter, None);
        }
        if let (Some((meter, color)), Some(unit)) = (table.meter, state.meter_unit()) {
            let marked = state.mark(entry, self.around.now, unit.amount(length));
            self.around.observer.measured(meter, None, marked);
            self.set_number(color, marked.number());
        }
    }
}
