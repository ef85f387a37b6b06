//! Tables: their entries and default actions.

use std::collections::HashMap;

use runtime::tables::{EntryHandle, FieldMatch, TableEntry};

use super::pairs::pair;
use super::transfer::{Transfer, entries_of};
use super::{ActionLinks, Misfit, Part, What, fields};
use crate::{
    ActionCall, EntityKind, EntryAttributes, Error, Info, ReadEntry, Request, Response, Table, TableNumber,
    TableRequest, Target, describe,
};

/// A table of the new program with the name of one of the old.
#[derive(Clone, Debug)]
pub struct TableLink {
    pub table: TableNumber,
    /// The position in the old key of each field of the new one.
    pub fields: Result<Vec<usize>, Misfit>,
    actions: ActionLinks,
    /// The reason why targets do not fit, if the tables take their actions from different profiles.
    profile: Result<(), Misfit>,
}

/// Links each table of the old program to the one of the new program that has its name.
pub fn link(old: &Info, new: &Info) -> Vec<Result<TableLink, Misfit>> {
    let pairs = pair(old.tables.iter().map(|it| &it.identity), new.tables.iter().map(|it| &it.identity));
    let profile = |info: &Info, table: &Table| table.profile.map(|number| info.profile(number).identity.name.clone());
    let link = |(at, place): (usize, Option<usize>)| {
        let number = TableNumber::from(place.ok_or(Misfit::Missing)?);
        let (own, other) = (&old.tables[at], new.table(number));
        let profiles = (profile(old, own), profile(new, other));
        Ok(TableLink {
            table: number,
            fields: fields::link(&own.fields, &other.fields),
            actions: ActionLinks::new(old, TableNumber::from(at), new, number),
            profile: match profiles {
                (old, new) if old == new => Ok(()),
                (old, new) => Err(Misfit::Profile { old, new }),
            },
        })
    };
    pairs.into_iter().enumerate().map(link).collect()
}

impl TableLink {
    /// Returns what does not fit.
    pub fn misfits(&self) -> Vec<Misfit> {
        let whole = [self.fields.as_ref().err(), self.profile.as_ref().err()];
        whole.into_iter().flatten().cloned().chain(self.actions.misfits()).collect()
    }

    /// Returns an entry's key and target in the terms of the new program.
    fn translate(&self, entry: &ReadEntry) -> Result<(Vec<FieldMatch>, Target), Misfit> {
        Ok((self.key(&entry.key)?, self.target(&entry.target)?))
    }

    fn key(&self, key: &[FieldMatch]) -> Result<Vec<FieldMatch>, Misfit> {
        self.fields.as_ref().map(|places| fields::reorder(key, places)).map_err(Clone::clone)
    }

    fn target(&self, target: &Target) -> Result<Target, Misfit> {
        self.profile.clone()?;
        self.actions.target(target)
    }
}

/// The entries that the new program brings itself, by key and priority.
type OwnEntries = HashMap<(Vec<FieldMatch>, u32), ReadEntry>;

impl Transfer<'_> {
    pub fn carry_tables(&mut self) -> Result<(), Error> {
        for (at, table) in self.plan.old.tables.iter().enumerate() {
            let number = TableNumber::from(at);
            let read = Request::Table(number, TableRequest::ReadDefault);
            self.by_pipe(&read, |transfer| transfer.carry_table(number, table))?;
        }
        Ok(())
    }

    fn carry_table(&mut self, number: TableNumber, table: &Table) -> Result<(), Error> {
        let part = Part::Entity { kind: EntityKind::Table, name: table.identity.name.clone() };
        let entries = entries_of(self.old, number, self.pipe)?;
        match &self.plan.tables[number.index()] {
            Ok(link) => {
                self.carry_entries(&part, table, link, number, &entries)?;
                self.carry_default(&part, table, link, number)?;
            }
            Err(misfit) => {
                for entry in entries.iter().filter(|entry| !is_of_the_program(table, entry)) {
                    self.outcome.lose(&part, misfit, What::Entries, || described(table, entry));
                }
            }
        }
        Ok(())
    }

    fn carry_entries(
        &mut self,
        part: &Part,
        table: &Table,
        link: &TableLink,
        number: TableNumber,
        entries: &[ReadEntry],
    ) -> Result<(), Error> {
        let its_own = entries_of(self.new, link.table, self.pipe)?;
        let keyed = |entry: ReadEntry| ((entry.key.clone(), entry.priority), entry);
        let mut own: OwnEntries = its_own.into_iter().map(keyed).collect();
        self.carry_deletions(part, table, link, entries, &mut own)?;
        let (mut landed, mut carried) = (Vec::with_capacity(entries.len()), 0);
        for entry in entries {
            if is_of_the_program(table, entry) {
                let key = link.key(&entry.key).ok();
                landed.push(key.and_then(|key| own.get(&(key, entry.priority))).map(|own| own.handle));
                continue;
            }
            match self.carry_entry(part, table, link, entry, &own) {
                Ok(handle) => {
                    carried += 1;
                    landed.push(Some(handle));
                }
                Err(misfit) => {
                    landed.push(None);
                    self.outcome.lose(part, &misfit, What::Entries, || described(table, entry));
                }
            }
        }
        self.outcome.carry(part, What::Entries, carried);
        self.landed.insert((number, self.pipe), landed);
        Ok(())
    }

    /// Deletes the initial entries of the new program that the control plane has deleted in the old one.
    fn carry_deletions(
        &mut self,
        part: &Part,
        table: &Table,
        link: &TableLink,
        entries: &[ReadEntry],
        own: &mut OwnEntries,
    ) -> Result<(), Error> {
        let Ok(places) = &link.fields else { return Ok(()) };
        let mut deleted = 0;
        // Initial entries have the first handles, and entries are in order of their handles.
        let mut remaining = entries.iter().map(|entry| entry.handle).peekable();
        for (handle, initial) in (0..).map(EntryHandle).zip(&table.initial_entries) {
            if remaining.next_if_eq(&handle).is_some() {
                continue;
            }
            let key = fields::reorder(&table.check_key(&initial.key)?, places);
            let priority = if table.has_priorities() { initial.priority } else { 0 };
            if let Some(entry) = own.remove(&(key, priority)).filter(|entry| !entry.is_constant) {
                self.ask_new(Request::Table(link.table, TableRequest::Delete(entry.handle.into())))?;
                deleted += 1;
            }
        }
        self.outcome.carry(part, What::Deletions, deleted);
        Ok(())
    }

    /// Gives the new program an entry, and returns its handle there.
    fn carry_entry(
        &mut self,
        part: &Part,
        table: &Table,
        link: &TableLink,
        entry: &ReadEntry,
        own: &OwnEntries,
    ) -> Result<EntryHandle, Misfit> {
        let (key, target) = link.translate(entry)?;
        let mut attributes = attributes_of(entry);
        if attributes.idle_timeout > 0 && !self.plan.new.table(link.table).has_idle_timeout {
            attributes.idle_timeout = 0;
            self.outcome.lose(part, &Misfit::NoIdleTimeout, What::IdleTimeouts, || described(table, entry));
        }
        let there = own.get(&(key.clone(), entry.priority));
        let is_initial = (entry.handle.0 as usize) < table.initial_entries.len();
        let request = match there {
            Some(there) if there.target == target && attributes_of(there) == attributes => return Ok(there.handle),
            Some(there) if is_initial => {
                let attributes = Some(attributes);
                TableRequest::Modify { entry: there.handle.into(), target: Some(target), attributes }
            }
            _ => {
                let priority = table.has_priorities().then_some(entry.priority);
                TableRequest::Insert { key, priority, target, attributes }
            }
        };
        match (self.ask_new(Request::Table(link.table, request)), there) {
            (Ok(Response::Inserted(handle)), _) => Ok(handle),
            (Ok(Response::Done), Some(there)) => Ok(there.handle),
            (Ok(other), _) => unreachable!("an entry was inserted or changed, and not {other:?}"),
            (Err(error), _) => Err(Misfit::Refused(error)),
        }
    }

    fn carry_default(
        &mut self,
        part: &Part,
        table: &Table,
        link: &TableLink,
        number: TableNumber,
    ) -> Result<(), Error> {
        let (default, metadata) = match self.ask_old(Request::Table(number, TableRequest::ReadDefault))? {
            Response::Default { target, metadata } => (target, metadata),
            other => unreachable!("a default was asked for, and not {other:?}"),
        };
        let initial = table.actions.get(table.default.action as usize).map(|reference| reference.action);
        let initial = initial.map(|action| Target::Action(ActionCall { action, data: table.default.data.clone() }));
        if Some(&default) == initial.as_ref() && metadata.is_empty() {
            return Ok(());
        }
        let set = link.target(&default).and_then(|target| {
            let set = TableRequest::SetDefault { target, metadata };
            self.ask_new(Request::Table(link.table, set)).map_err(Misfit::Refused)
        });
        match set {
            Ok(_) => self.outcome.carry(part, What::DefaultAction, 1),
            Err(misfit) => {
                let old = &self.plan.old;
                self.outcome.lose(part, &misfit, What::DefaultAction, || match &default {
                    Target::Action(call) => old.action(call.action).identity.name.clone(),
                    Target::Member(member) => format!("member {member}"),
                    Target::Group(group) => format!("group {group}"),
                    Target::ActionSet(_) => "an action set".to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// Returns true if an entry is as the program brought it, so that the new program decides about it.
fn is_of_the_program(table: &Table, entry: &ReadEntry) -> bool {
    let initial = table.initial_entries.get(entry.handle.0 as usize);
    let is_initial = |initial: &TableEntry| {
        table.target_of(&initial.target).as_ref() == Some(&entry.target)
            && attributes_of(entry) == EntryAttributes::default()
    };
    entry.is_constant || initial.is_some_and(is_initial)
}

/// Returns the attributes of an entry, without counter and meter, which are carried by themselves.
fn attributes_of(entry: &ReadEntry) -> EntryAttributes {
    let (idle_timeout, metadata) = (entry.idle_timeout, entry.metadata.clone());
    EntryAttributes { idle_timeout, metadata, count: None, meter: None }
}

fn described(table: &Table, entry: &ReadEntry) -> String {
    describe::key(table, &entry.key, Some(entry.priority))
}
