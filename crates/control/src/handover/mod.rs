//! Hand-over of the state of a running program to the program that takes its place, by name and type.

mod actions;
mod arrays;
mod direct;
mod fields;
mod finding;
mod finding_text;
mod pairs;
mod profiles;
mod replication;
mod tables;
mod threads;
mod transfer;
mod value_sets;

use std::sync::Arc;

pub use finding::{Carried, Finding, Loss, Misfit, Outcome, Part, What};

use crate::{
    CounterNumber, EntityKind, Error, Info, MeterNumber, RecordTableNumber, RegisterNumber, Request, Response,
    SegmentNumber, ValueSetNumber,
};
use actions::ActionLinks;
use profiles::ProfileLink;
use tables::TableLink;
use transfer::Transfer;

/// The plan for handing over the state of one program to another: which parts of the old program's state have a place
/// in the new one, and why others have none.
///
/// Parts are found by their full names. Tables fit if their key fields have the same names, kinds and widths, in any
/// order; entries, default actions and members of action profiles, if the new program has their action with the same
/// parameters; counters and meters, if their unit is the same; registers, if their elements have the same type; value
/// sets, if their fields are the same; tables of records, if keys and records have the same sizes, and then their records have the
/// first free places. Of shared memory those words are carried that are not what their segment was filled with at first. Arrays may
/// differ in size. Multicast groups and clone sessions always fit.
///
/// State that a program brings itself stays that of the new program: constant entries, initial entries and default
/// actions that the control plane has not changed. Its changes of them are carried over, and so are the counters and
/// meters of all entries that both have. Meters are carried with their rates and full buckets; digests that wait are not
/// carried.
#[derive(Clone, Debug)]
pub struct Handover {
    old: Arc<Info>,
    new: Arc<Info>,
    // A link, or the reason why there is none, for each part of the old program by its number.
    tables: Vec<Result<TableLink, Misfit>>,
    profiles: Vec<Result<ProfileLink, Misfit>>,
    counters: Vec<Result<CounterNumber, Misfit>>,
    meters: Vec<Result<MeterNumber, Misfit>>,
    registers: Vec<Result<RegisterNumber, Misfit>>,
    value_sets: Vec<Result<ValueSetNumber, Misfit>>,
    segments: Vec<Result<SegmentNumber, Misfit>>,
    records: Vec<Result<RecordTableNumber, Misfit>>,
}

impl Handover {
    /// Plans the hand-over from one program to another.
    pub fn plan(old: &Arc<Info>, new: &Arc<Info>) -> Self {
        Self {
            tables: tables::link(old, new),
            profiles: profiles::link(old, new),
            counters: arrays::link_counters(old, new),
            meters: arrays::link_meters(old, new),
            registers: arrays::link_registers(old, new),
            value_sets: value_sets::link(old, new),
            segments: threads::link_segments(old, new),
            records: threads::link_records(old, new),
            old: Arc::clone(old),
            new: Arc::clone(new),
        }
    }

    /// Returns the parts of the old program that have a place in the new one.
    pub fn fitting(&self) -> Vec<Part> {
        self.parts().into_iter().filter(|(_, misfits)| misfits.is_empty()).map(|(part, _)| part).collect()
    }

    /// Returns what of the old program does not fit in the new one, whether there is such state or not. What is really
    /// lost is known only when the state is carried over: see [`Handover::carry_out`].
    pub fn findings(&self) -> Vec<Finding> {
        let findings = |(part, misfits): (Part, Vec<Misfit>)| {
            misfits.into_iter().map(move |misfit| Finding { part: part.clone(), misfit, loss: None })
        };
        self.parts().into_iter().flat_map(findings).collect()
    }

    /// Carries the state over. `old` executes requests on the device of the old program, which are only read; `new` on
    /// that of the new program, which must be as the program begins. The cost is linear in the size of the state.
    ///
    /// To list what would be lost, carry the state over to a device that is then dropped.
    ///
    /// # Errors
    /// Returns the error of a request that the old device refuses although it only reads, or that the new device refuses
    /// to read or to undo of its own. What the new device refuses to take is a finding instead.
    pub fn carry_out(
        &self,
        mut old: impl FnMut(&Request) -> Result<Response, Error>,
        mut new: impl FnMut(&Request) -> Result<Response, Error>,
    ) -> Result<Outcome, Error> {
        Transfer::new(self, &mut old, &mut new).carry_out()
    }

    /// Returns the parts of the old program with what does not fit of each.
    fn parts(&self) -> Vec<(Part, Vec<Misfit>)> {
        let old = &self.old;
        let alone = |misfit: Option<&Misfit>| misfit.cloned().into_iter().collect();
        let entity = |kind, name: &str| Part::Entity { kind, name: name.to_owned() };
        let mut parts = Vec::new();
        for (table, link) in old.tables.iter().zip(&self.tables) {
            let misfits = match link {
                Ok(link) => link.misfits(),
                Err(misfit) => vec![misfit.clone()],
            };
            parts.push((entity(EntityKind::Table, &table.identity.name), misfits));
        }
        for (profile, link) in old.profiles.iter().zip(&self.profiles) {
            let misfits = match link {
                Ok(link) => link.actions.misfits(),
                Err(misfit) => vec![misfit.clone()],
            };
            parts.push((entity(EntityKind::Profile, &profile.identity.name), misfits));
        }
        for (counter, link) in old.counters.iter().zip(&self.counters) {
            parts.push((entity(EntityKind::Counter, &counter.identity.name), alone(link.as_ref().err())));
        }
        for (meter, link) in old.meters.iter().zip(&self.meters) {
            parts.push((entity(EntityKind::Meter, &meter.identity.name), alone(link.as_ref().err())));
        }
        for (register, link) in old.registers.iter().zip(&self.registers) {
            parts.push((entity(EntityKind::Register, &register.identity.name), alone(link.as_ref().err())));
        }
        for (set, link) in old.value_sets.iter().zip(&self.value_sets) {
            parts.push((entity(EntityKind::ValueSet, &set.identity.name), alone(link.as_ref().err())));
        }
        for (segment, link) in old.segments.iter().zip(&self.segments) {
            parts.push((entity(EntityKind::Segment, &segment.identity.name), alone(link.as_ref().err())));
        }
        for (records, link) in old.records.iter().zip(&self.records) {
            parts.push((entity(EntityKind::RecordTable, &records.identity.name), alone(link.as_ref().err())));
        }
        parts
    }
}
