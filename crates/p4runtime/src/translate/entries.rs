//! Table entries as requests and back (P4Runtime specification 1.4, section 9.1).

use control::{EntryAttributes, EntryDetails, EntrySelection, ReadEntry, Request, TableNumber, TableRequest, Target};

use super::Translator;
use super::kept::Kept;
use super::state;
use crate::failure::Failure;
use crate::message::google::rpc::Code;
use crate::message::p4::v1::table_action::Type;
use crate::message::p4::v1::update;
use crate::message::p4::v1::{ActionProfileActionSet, FieldMatch, TableEntry, table_entry};

impl Translator {
    /// Returns the request that an update of an entry asks for.
    ///
    /// # Errors
    /// Fails if the entry is malformed. What depends on the state is checked when the request is carried out.
    pub(crate) fn write_entry(&self, kind: update::Type, entry: &TableEntry) -> Result<Request, Failure> {
        let table = self.table(entry.table_id)?;
        if entry.is_default_action {
            return self.write_default(table, kind, entry);
        }
        // Only the key counts when an entry is deleted.
        if kind == update::Type::Delete {
            return Ok(Request::Table(table, TableRequest::Delete(self.selection(table, entry)?)));
        }
        self.check_written(table, entry)?;
        let set = action_set(entry);
        let attributes = EntryAttributes {
            idle_timeout: u64::try_from(entry.idle_timeout_ns)
                .map_err(|_| Failure::invalid("the idle timeout is negative"))?,
            metadata: Kept::new(&entry.metadata, entry.controller_metadata, set).into_bytes(),
            count: entry.counter_data.as_ref().map(state::read_count).transpose()?,
            meter: entry.meter_config.as_ref().map(state::read_rates).transpose()?,
        };
        let target = entry.action.as_ref().map(|action| self.read_target(table, action)).transpose()?;
        let request = match kind {
            update::Type::Insert => {
                let (key, priority) = (self.keys[table.index()].read(&entry.r#match)?, self.priority(table, entry)?);
                let target = target.ok_or_else(|| Failure::invalid("a new entry needs an action"))?;
                TableRequest::Insert { key, priority, target, attributes }
            }
            _ => TableRequest::Modify { entry: self.selection(table, entry)?, target, attributes: Some(attributes) },
        };
        Ok(Request::Table(table, request))
    }

    /// Returns the request that reads the entry of which a request changes everything but its actions, if those may be a
    /// set: what is kept of that has to stay.
    pub(crate) fn needs_entry(&self, request: &Request) -> Option<Request> {
        let Request::Table(table, TableRequest::Modify { entry, target: None, attributes: Some(_) }) = request else {
            return None;
        };
        let selector = self.info.table(*table).profile.and_then(|profile| self.info.profile(profile).selector);
        selector.map(|_| Request::Table(*table, TableRequest::read(entry.clone())))
    }

    /// Returns the bytes that a request gives to the entry that another one is about.
    pub(crate) fn metadata_written(&self, request: &Request, other: &Request) -> Option<Vec<u8>> {
        let Request::Table(other_table, TableRequest::Modify { entry: other_entry, .. }) = other else { return None };
        let (table, entry, attributes) = match request {
            Request::Table(table, TableRequest::Insert { key, priority, attributes, .. }) => {
                (table, EntrySelection::Key { key: key.clone(), priority: *priority }, attributes)
            }
            Request::Table(table, TableRequest::Modify { entry, attributes: Some(attributes), .. }) => {
                (table, entry.clone(), attributes)
            }
            _ => return None,
        };
        (table == other_table && entry == *other_entry).then(|| attributes.metadata.clone())
    }

    /// Keeps what the bytes of an entry say of its actions in a request that leaves those as they are.
    pub(crate) fn keep_set(request: &mut Request, entry: Vec<u8>) {
        if let Request::Table(_, TableRequest::Modify { attributes: Some(attributes), .. }) = request {
            let new = Kept::from_bytes(std::mem::take(&mut attributes.metadata));
            attributes.metadata = new.with_set_of(entry).into_bytes();
        }
    }

    fn write_default(&self, table: TableNumber, kind: update::Type, entry: &TableEntry) -> Result<Request, Failure> {
        let name = &self.info.table(table).identity.name;
        if !entry.r#match.is_empty() || entry.priority != 0 {
            return Err(Failure::invalid(format!("the default entry of table `{name}` has no match and no priority")));
        }
        if entry.idle_timeout_ns != 0 || entry.time_since_last_hit.is_some() {
            return Err(Failure::invalid(format!("the default entry of table `{name}` cannot become idle")));
        }
        if kind != update::Type::Modify {
            return Err(Failure::invalid(format!("the default entry of table `{name}` can only be modified")));
        }
        self.check_written(table, entry)?;
        if self.keys[table.index()].is_indirect {
            let message =
                format!("the default entry of table `{name}` is constant, because the table has an action profile");
            return Err(Failure::new(Code::PermissionDenied, message));
        }
        if entry.counter_data.is_some() || entry.meter_config.is_some() {
            let message = format!("the default entry of table `{name}` has neither a counter nor a meter");
            return Err(Failure::unimplemented(message));
        }
        let request = match &entry.action {
            None => TableRequest::ResetDefault,
            Some(action) => TableRequest::SetDefault {
                target: self.read_target(table, action)?,
                metadata: Kept::new(&entry.metadata, entry.controller_metadata, action_set(entry)).into_bytes(),
            },
        };
        Ok(Request::Table(table, request))
    }

    /// Checks what no written entry may have.
    fn check_written(&self, table: TableNumber, entry: &TableEntry) -> Result<(), Failure> {
        let name = &self.info.table(table).identity.name;
        if entry.is_const {
            return Err(Failure::invalid(format!("only the program makes entries of table `{name}` constant")));
        }
        if entry.time_since_last_hit.is_some() {
            return Err(Failure::invalid("the time since the last hit cannot be written"));
        }
        if entry.meter_counter_data.is_some() {
            return Err(state::no_colours());
        }
        Ok(())
    }

    /// Returns the entry with the key and the priority of a message.
    ///
    /// # Errors
    /// Fails if the key or the priority is malformed.
    pub(crate) fn selection(&self, table: TableNumber, entry: &TableEntry) -> Result<EntrySelection, Failure> {
        let (key, priority) = (self.keys[table.index()].read(&entry.r#match)?, self.priority(table, entry)?);
        Ok(EntrySelection::Key { key, priority })
    }

    /// Returns the key of a message in the form in which it is read.
    ///
    /// # Errors
    /// Fails if the key is malformed.
    pub(crate) fn canonical_key(&self, table: TableNumber, entry: &TableEntry) -> Result<Vec<FieldMatch>, Failure> {
        let form = &self.keys[table.index()];
        Ok(form.write(&form.read(&entry.r#match)?))
    }

    /// Returns whether entries of a table have priorities.
    pub(crate) fn has_priorities(&self, table: TableNumber) -> bool {
        self.keys[table.index()].has_priorities
    }

    /// Reads the priority, which is above 0 in tables with priorities and 0 in others (section 9.1).
    fn priority(&self, table: TableNumber, entry: &TableEntry) -> Result<Option<u32>, Failure> {
        let name = || &self.info.table(table).identity.name;
        match (self.has_priorities(table), u32::try_from(entry.priority)) {
            (true, Ok(1..)) => Ok(Some(entry.priority as u32)),
            (true, _) => Err(Failure::invalid(format!("entries of table `{}` need a priority above 0", name()))),
            (false, Ok(0)) => Ok(None),
            (false, _) => Err(Failure::invalid(format!("entries of table `{}` have no priority", name()))),
        }
    }

    /// Returns what a message asks to be read of each entry.
    pub(crate) fn details(entry: &TableEntry) -> EntryDetails {
        EntryDetails {
            count: entry.counter_data.is_some(),
            meter: entry.meter_config.is_some(),
            time_since_hit: entry.time_since_last_hit.is_some(),
        }
    }

    /// Writes an entry that was read, with what was asked for.
    pub(crate) fn read_entry(&self, table: TableNumber, entry: ReadEntry) -> TableEntry {
        let kept = Kept::from_bytes(entry.metadata);
        TableEntry {
            table_id: self.info.table(table).identity.id,
            r#match: self.keys[table.index()].write(&entry.key),
            action: Some(self.write_target(&entry.target, &kept)),
            priority: entry.priority as i32,
            controller_metadata: kept.controller_metadata,
            meter_config: entry.meter.as_ref().map(state::write_rates),
            counter_data: entry.count.map(state::write_count),
            idle_timeout_ns: i64::try_from(entry.idle_timeout).unwrap_or(i64::MAX),
            time_since_last_hit: entry
                .time_since_hit
                .map(|elapsed| table_entry::IdleTimeout { elapsed_ns: (elapsed.picoseconds() / 1_000) as i64 }),
            metadata: kept.metadata,
            is_const: entry.is_constant,
            ..TableEntry::default()
        }
    }

    /// Writes what names an entry that was read: its table, its key and its priority.
    pub(crate) fn entry_key(&self, table: TableNumber, entry: &ReadEntry) -> TableEntry {
        TableEntry {
            table_id: self.info.table(table).identity.id,
            r#match: self.keys[table.index()].write(&entry.key),
            priority: entry.priority as i32,
            ..TableEntry::default()
        }
    }

    /// Writes the default entry of a table.
    pub(crate) fn read_default(&self, table: TableNumber, target: &Target, metadata: Vec<u8>) -> TableEntry {
        let kept = Kept::from_bytes(metadata);
        TableEntry {
            table_id: self.info.table(table).identity.id,
            action: Some(self.write_target(target, &kept)),
            is_default_action: true,
            controller_metadata: kept.controller_metadata,
            metadata: kept.metadata,
            is_const: self.info.table(table).is_default_constant,
            ..TableEntry::default()
        }
    }
}

fn action_set(entry: &TableEntry) -> Option<&ActionProfileActionSet> {
    match entry.action.as_ref()?.r#type.as_ref()? {
        Type::ActionProfileActionSet(set) => Some(set),
        _ => None,
    }
}
