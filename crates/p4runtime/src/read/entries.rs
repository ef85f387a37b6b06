//! Reading entries of tables, and their counters and meters (P4Runtime specification 1.4, sections 9.1.6, 9.3.1 and
//! 9.4.1).

use control::{EntryDetails, ReadEntry, Request, Response, TableNumber, TableRequest};

use super::answer::{Filter, Part, Shape};
use super::{NotRead, Reader, TURN, selected};
use crate::failure::Failure;
use crate::message::google::rpc::Code;
use crate::message::p4::v1::table_action::Type;
use crate::message::p4::v1::{DirectCounterEntry, DirectMeterEntry, TableEntry};
use crate::switch::Switch;
use crate::translate::Translator;

impl<S: Switch> Reader<'_, S> {
    pub(super) fn table_entries(&mut self, entry: &TableEntry) -> Result<(), NotRead> {
        let info = self.translator.info().clone();
        if entry.meter_counter_data.is_some() {
            return Err(crate::translate::no_colours().into());
        }
        let asked = Translator::details(entry);
        if entry.table_id == 0 {
            let plain = TableEntry {
                is_default_action: entry.is_default_action,
                counter_data: entry.counter_data,
                meter_config: entry.meter_config,
                time_since_last_hit: entry.time_since_last_hit,
                ..TableEntry::default()
            };
            if *entry != plain {
                let message = "entries of all tables cannot be selected further; give the id of a table";
                return Err(Failure::invalid(message).into());
            }
        }
        let named = (entry.table_id != 0).then(|| self.translator.table(entry.table_id)).transpose()?;
        for table in selected(named, info.tables.len(), TableNumber::from) {
            if !self.is_shown(control::Entity::Table(table)) {
                continue;
            }
            let about = info.table(table);
            let has = EntryDetails {
                count: about.counter.is_some(),
                meter: about.meter.is_some(),
                time_since_hit: about.has_idle_timeout,
            };
            if named.is_some() {
                let lacking = [
                    (asked.count && !has.count, "has no direct counter"),
                    (asked.meter && !has.meter, "has no direct meter"),
                    (asked.time_since_hit && !has.time_since_hit, "takes no idle timeouts"),
                ];
                if let Some((_, what)) = lacking.iter().find(|(lacks, _)| *lacks) {
                    return Err(Failure::invalid(format!("table `{}` {what}", about.identity.name)).into());
                }
            }
            if entry.is_default_action {
                self.default_entry(table, entry)?;
                continue;
            }
            let details = EntryDetails {
                count: asked.count && has.count,
                meter: asked.meter && has.meter,
                time_since_hit: asked.time_since_hit && has.time_since_hit,
            };
            self.entries(table, entry, details, Shape::Entry)?;
        }
        Ok(())
    }

    fn default_entry(&mut self, table: TableNumber, entry: &TableEntry) -> Result<(), NotRead> {
        if !entry.r#match.is_empty() || entry.priority != 0 {
            return Err(Failure::invalid("a default entry has no match and no priority").into());
        }
        if entry.time_since_last_hit.is_some() {
            return Err(Failure::invalid("a default entry cannot become idle").into());
        }
        let request = Request::Table(table, TableRequest::ReadDefault);
        let (target, metadata) = self.ask(request, |response| match response {
            Response::Default { target, metadata } => Some((target, metadata)),
            _ => None,
        })?;
        self.parts.push(Part::Default { table, target, metadata });
        Ok(())
    }

    /// Reads the entries of a table that a message selects.
    fn entries(
        &mut self,
        table: TableNumber,
        entry: &TableEntry,
        details: EntryDetails,
        shape: Shape,
    ) -> Result<(), NotRead> {
        let mut filter = Filter {
            action: action(entry, shape)?,
            metadata: (!entry.metadata.is_empty()).then(|| entry.metadata.clone()),
            controller_metadata: entry.controller_metadata,
            ..Filter::default()
        };
        let priority = u32::try_from(entry.priority).map_err(|_| Failure::invalid("the priority is negative"))?;
        let selection = if entry.r#match.is_empty() {
            filter.priority = priority;
            None
        } else if self.translator.has_priorities(table) && priority == 0 {
            // The same key with any priority.
            filter.key = Some(self.translator.canonical_key(table, entry)?);
            None
        } else {
            Some(self.translator.selection(table, entry)?)
        };
        let entries = match selection {
            None => self.all_entries(table, details)?,
            Some(selection) => {
                match self.ask(Request::Table(table, TableRequest::Read(Some(selection), details)), entries_of) {
                    // A filter that nothing passes; counters and meters must be those of an entry (sections 9.3.1 and
                    // 9.4.1).
                    Err(NotRead::Refused(failure)) if failure.code == Code::NotFound && shape == Shape::Entry => {
                        Vec::new()
                    }
                    asked => asked?,
                }
            }
        };
        self.parts.push(Part::Entries { table, entries, shape, filter });
        Ok(())
    }

    /// Reads all entries of a table, in pieces between which packets pass.
    fn all_entries(&mut self, table: TableNumber, details: EntryDetails) -> Result<Vec<ReadEntry>, NotRead> {
        let mut all: Vec<ReadEntry> = Vec::new();
        loop {
            let after = all.last().map(|entry| entry.handle);
            let part = TableRequest::ReadPart { after, most: TURN, details };
            let entries = self.ask(Request::Table(table, part), entries_of)?;
            let is_last = entries.len() < TURN;
            all.extend(entries);
            if is_last {
                return Ok(all);
            }
        }
    }

    pub(super) fn direct_counters(&mut self, entry: &DirectCounterEntry) -> Result<(), NotRead> {
        let details = EntryDetails { count: true, ..EntryDetails::NONE };
        self.direct(entry.table_entry.as_ref(), details, Shape::Counter)
    }

    pub(super) fn direct_meters(&mut self, entry: &DirectMeterEntry) -> Result<(), NotRead> {
        if entry.counter_data.is_some() {
            return Err(crate::translate::no_colours().into());
        }
        let details = EntryDetails { meter: true, ..EntryDetails::NONE };
        self.direct(entry.table_entry.as_ref(), details, Shape::Meter)
    }

    fn direct(&mut self, entry: Option<&TableEntry>, details: EntryDetails, shape: Shape) -> Result<(), NotRead> {
        let (info, all) = (self.translator.info().clone(), TableEntry::default());
        let entry = entry.unwrap_or(&all);
        if entry.is_default_action {
            return Err(Failure::unimplemented("default entries have neither counters nor meters").into());
        }
        let named = (entry.table_id != 0).then(|| self.translator.table(entry.table_id)).transpose()?;
        if named.is_none() && !entry.r#match.is_empty() {
            return Err(Failure::invalid("a key needs the id of its table").into());
        }
        for table in selected(named, info.tables.len(), TableNumber::from) {
            let about = info.table(table);
            let has = if shape == Shape::Counter { about.counter.is_some() } else { about.meter.is_some() };
            if !has && named.is_some() {
                let what = if shape == Shape::Counter { "counter" } else { "meter" };
                return Err(Failure::invalid(format!("table `{}` has no direct {what}", about.identity.name)).into());
            }
            if has && self.is_shown(control::Entity::Table(table)) {
                // Only the key counts.
                let key = TableEntry {
                    table_id: entry.table_id,
                    r#match: entry.r#match.clone(),
                    priority: entry.priority,
                    ..TableEntry::default()
                };
                self.entries(table, &key, details, shape)?;
            }
        }
        Ok(())
    }
}

fn entries_of(response: Response) -> Option<Vec<ReadEntry>> {
    match response {
        Response::Entries(entries) => Some(entries),
        _ => None,
    }
}

/// Returns the id of the action that entries must have, if a message asks for one.
fn action(entry: &TableEntry, shape: Shape) -> Result<Option<u32>, Failure> {
    match entry.action.as_ref().filter(|_| shape == Shape::Entry).and_then(|action| action.r#type.as_ref()) {
        None => Ok(None),
        Some(Type::Action(action)) => Ok((action.action_id != 0).then_some(action.action_id)),
        Some(_) => Err(Failure::new(Code::Unimplemented, "entries cannot be selected by members and groups")),
    }
}
