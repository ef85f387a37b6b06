//! Tables: what is looked up, what is found, and the action that runs.

use runtime::Bits;
use runtime::tables::{EntryHandle, Target};

use super::run::{Progress, Run};
use crate::{ProfileId, Table, TableId, VariableId, evaluate};

impl Run<'_, '_> {
    pub(super) fn apply(&mut self, id: TableId, hit: Option<VariableId>, action: Option<VariableId>) -> Progress {
        self.step()?;
        let program = self.program;
        let table = &program.tables[id.index()];
        let mut values = self.take_list();
        for key in &table.keys {
            let value = self.value(&key.value);
            values.push(value);
        }
        let mut entry = self.around.state.tables[id.index()].lookup(&values);
        let mut member = self.member(id, table, entry);
        if entry.is_some() && member.is_none() && !matches!(self.target(id, entry), Target::Action { .. }) {
            // An entry that leads nowhere, such as to an empty group, is as if it did not match: v1model does not say
            // what happens then.
            entry = None;
            member = self.member(id, table, None);
        }
        self.around.observer.applied(id, &values, entry, target_of(self.around.state, id, entry));
        // The keys have been seen; their list takes the data of the action.
        values.clear();
        let number = self.chosen(id, table, entry, member, &mut values);
        if let Some(hit) = hit {
            self.set_number(hit, u64::from(entry.is_some()));
        }
        // A default whose member is gone runs nothing.
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

    fn target(&self, id: TableId, entry: Option<EntryHandle>) -> &Target {
        target_of(self.around.state, id, entry)
    }

    /// The member of the table's profile that an entry, or the default, leads to, if it leads to one that is there.
    fn member(&mut self, id: TableId, table: &Table, entry: Option<EntryHandle>) -> Option<u32> {
        let profile = table.profile?;
        let member = match *self.target(id, entry) {
            Target::Action { .. } => None,
            Target::Member(member) => Some(member),
            Target::Group(group) => {
                let hash = self.selector_hash(table, profile);
                self.around.state.profiles[profile.index()].choose(group, hash)
            }
        }?;
        self.around.state.profiles[profile.index()].member(member).map(|_| member)
    }

    /// The number of the action that runs, whose data go into a list.
    fn chosen(
        &self,
        id: TableId,
        table: &Table,
        entry: Option<EntryHandle>,
        member: Option<u32>,
        data: &mut Vec<Bits>,
    ) -> Option<u32> {
        if let Target::Action { action, data: given } = self.target(id, entry) {
            data.extend_from_slice(given);
            return Some(*action);
        }
        let member = self.around.state.profiles[table.profile?.index()].member(member?)?;
        data.extend_from_slice(&member.data);
        Some(member.action)
    }

    /// The hash of the selector keys, one behind the other.
    fn selector_hash(&mut self, table: &Table, profile: ProfileId) -> u64 {
        let Some(selection) = &self.program.profiles[profile.index()].selection else { return 0 };
        let mut data = self.take_bit_string();
        for key in &table.selector {
            let (ty, value) = evaluate::value(self.program, key, self);
            data.push(&value, ty.width());
        }
        let hash = selection.algorithm.output(data.bytes(), selection.width, self.around.random);
        self.put_bit_string_back(data);
        hash.low()
    }

    /// The direct counter and the direct meter see each hit.
    fn count_and_measure(&mut self, id: TableId, table: &Table, entry: EntryHandle) {
        let length = self.around.length;
        let state = &mut self.around.state.tables[id.index()];
        state.count(entry, length);
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

/// What happens to a packet that an entry matches, or none.
fn target_of(state: &runtime::State, id: TableId, entry: Option<EntryHandle>) -> &Target {
    let table = &state.tables[id.index()];
    entry.and_then(|entry| table.matches().get(entry)).map_or(table.default_target(), |entry| &entry.target)
}
