//! What entries that are in all pipes have done there together.

use std::collections::BTreeMap;

use basis::Instant;
use runtime::TableState;
use runtime::tables::EntryHandle;

use super::{Device, Plane};
use crate::{IdleEntry, Request, Response, TableNumber, TableRequest};

impl Plane {
    /// Adds to the entries that were read in the first pipe what the others know of them.
    pub(super) fn of_all_pipes(&self, request: &Request, response: Response, device: &Device<'_>) -> Response {
        use TableRequest::{Read, ReadPart};
        let (table, details, mut entries) = match (request, response) {
            (Request::Table(table, Read(_, details) | ReadPart { details, .. }), Response::Entries(entries)) => {
                (table, details, entries)
            }
            (_, response) => return response,
        };
        for state in &device.states[1..] {
            let stored = &state.tables[table.index()];
            for entry in &mut entries {
                if let (Some(count), Some(further)) = (&mut entry.count, stored.counter(entry.handle)) {
                    count.count(further.packets, further.bytes);
                }
                if details.time_since_hit {
                    let time = stored.time_since_hit(entry.handle, device.now);
                    entry.time_since_hit = entry.time_since_hit.into_iter().chain(time).min();
                }
            }
        }
        Response::Entries(entries)
    }

    /// Removes and returns the waiting notifications of idle entries. An entry that is in all pipes is idle when none of
    /// them has hit it for as long as its timeout says.
    pub(super) fn take_idle(&self, device: &mut Device<'_>) -> Response {
        let mut taken = Vec::new();
        for table in (0..self.info.tables.len()).map(TableNumber::from) {
            let states = device.states.iter_mut();
            let found: Vec<_> = states.map(|state| state.tables[table.index()].take_idle()).collect();
            let is_by_pipe = self.is_by_pipe(table);
            if device.states.len() == 1 || is_by_pipe {
                for (pipe, (found, state)) in (0_u32..).zip(found.into_iter().zip(&*device.states)) {
                    taken.extend(found.into_iter().filter_map(|(at, handle)| {
                        let entry = self.shown_in(table, handle, device.now, state)?;
                        Some(IdleEntry { table, pipe: is_by_pipe.then_some(pipe), entry, at })
                    }));
                }
            } else {
                taken.extend(self.idle_in_all(table, found.into_iter().flatten(), device));
            }
        }
        // The sort is stable, so that entries found at the same time are in order of tables and handles.
        taken.sort_by_key(|idle| idle.at);
        Response::IdleEntries(taken)
    }

    /// Returns the entries among those that were found idle in some pipe that are idle in all. Their timeouts begin anew
    /// everywhere when the last pipe found them idle.
    fn idle_in_all(
        &self,
        table: TableNumber,
        found: impl Iterator<Item = (Instant, EntryHandle)>,
        device: &mut Device<'_>,
    ) -> Vec<IdleEntry> {
        let mut last: BTreeMap<EntryHandle, Instant> = BTreeMap::new();
        for (at, handle) in found {
            let time = last.entry(handle).or_insert(at);
            *time = at.max(*time);
        }
        let mut idle = Vec::new();
        for (handle, at) in last {
            let mut stored = device.states.iter().map(|state| &state.tables[table.index()]);
            if stored.any(|stored| !was_idle(stored, handle, at, device.now)) {
                continue;
            }
            device.states.iter_mut().for_each(|state| state.tables[table.index()].begin_timeout(handle, at));
            let entry = self.shown_in(table, handle, device.now, &device.states[0]);
            idle.extend(entry.map(|entry| IdleEntry { table, pipe: None, entry, at }));
        }
        idle
    }
}

/// Returns whether an entry had not been hit for as long as its idle timeout says at the time `at`, by the time `now`.
fn was_idle(stored: &TableState, handle: EntryHandle, at: Instant, now: Instant) -> bool {
    let needed = stored.idle_timeout(handle).saturating_mul(1_000).saturating_add(now.since(at).picoseconds());
    stored.time_since_hit(handle, now).is_some_and(|time| time.picoseconds() >= needed)
}
