//! Requests that are carried out together: all of them, or none.

use std::collections::BTreeMap;

use runtime::{CounterArray, MeterArray, Profile, TableState, ValueSet};

use super::{Device, Plane};
use crate::{
    CloneSession, CounterNumber, DigestQueue, MeterNumber, RefusedRequest, Replica, Request, Response, Size,
    TableNumber,
};

impl Plane {
    /// Executes requests in order, as [`Plane::execute`] does. If one is refused, none of them has changed anything:
    /// entries keep their handles and their order, counters and meters what they have counted. This costs a copy of each
    /// table, profile and array that the requests write.
    ///
    /// # Panics
    /// Panics if a number in a request does not exist in the program.
    ///
    /// # Errors
    /// Returns the first request that is refused, with the reason.
    pub fn execute_together(
        &self,
        requests: &[Request],
        device: &mut Device<'_>,
    ) -> Result<Vec<Response>, RefusedRequest> {
        let mut before = Before::default();
        let mut responses = Vec::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate() {
            if !request.is_read() {
                before.keep(self, request, device);
            }
            match self.execute(request, device) {
                Ok(response) => responses.push(response),
                Err(error) => {
                    before.restore(device);
                    return Err(RefusedRequest { at, error });
                }
            }
        }
        Ok(responses)
    }
}

/// Copies of what requests change, as it was before the first of them, by its place in the state.
#[derive(Default)]
struct Before {
    tables: BTreeMap<usize, TableState>,
    profiles: BTreeMap<usize, Profile>,
    counters: BTreeMap<usize, CounterArray>,
    meters: BTreeMap<usize, MeterArray>,
    registers: BTreeMap<usize, Vec<u64>>,
    value_sets: BTreeMap<usize, ValueSet>,
    groups: BTreeMap<u32, Option<Vec<Replica>>>,
    sessions: BTreeMap<u32, Option<CloneSession>>,
    digests: Option<DigestQueue>,
}

impl Before {
    /// Copies what a request changes, unless an earlier request has changed it.
    fn keep(&mut self, plane: &Plane, request: &Request, device: &Device<'_>) {
        let (info, state) = (&plane.info, &*device.state);
        match request {
            Request::Table(table, _) => self.keep_table(*table, device),
            Request::Profile(profile, _) => {
                let at = profile.index();
                self.profiles.entry(at).or_insert_with(|| state.profiles[at].clone());
            }
            Request::Counter(counter, _) => self.keep_counter(info.counter(*counter).size, *counter, device),
            Request::Meter(meter, _) => self.keep_meter(info.meter(*meter).size, *meter, device),
            Request::Register(register, _) => {
                for &array in &info.register(*register).arrays {
                    let values = || state.registers.array(array as usize).to_vec();
                    self.registers.entry(array as usize).or_insert_with(values);
                }
            }
            Request::ValueSet(set, _) => {
                let at = set.index();
                self.value_sets.entry(at).or_insert_with(|| state.value_sets[at].clone());
            }
            Request::MulticastGroup(group, _) => {
                let replicas = || device.replication.group(*group).map(<[Replica]>::to_vec);
                self.groups.entry(*group).or_insert_with(replicas);
            }
            Request::CloneSession(session, _) => {
                self.sessions.entry(*session).or_insert_with(|| device.replication.session(*session).cloned());
            }
            Request::TakeDigests(_) => _ = self.digests.get_or_insert_with(|| device.digests.clone()),
            Request::ReadMulticastGroups | Request::ReadCloneSessions => {}
        }
    }

    fn keep_table(&mut self, table: TableNumber, device: &Device<'_>) {
        let at = table.index();
        self.tables.entry(at).or_insert_with(|| device.state.tables[at].clone());
    }

    /// Copies counters; direct ones are held with their table.
    fn keep_counter(&mut self, size: Size, counter: CounterNumber, device: &Device<'_>) {
        let at = counter.index();
        match size {
            Size::Array(_) => _ = self.counters.entry(at).or_insert_with(|| device.state.counters[at].clone()),
            Size::Entries(table) => self.keep_table(table, device),
        }
    }

    fn keep_meter(&mut self, size: Size, meter: MeterNumber, device: &Device<'_>) {
        let at = meter.index();
        match size {
            Size::Array(_) => _ = self.meters.entry(at).or_insert_with(|| device.state.meters[at].clone()),
            Size::Entries(table) => self.keep_table(table, device),
        }
    }

    fn restore(self, device: &mut Device<'_>) {
        let state = &mut *device.state;
        self.tables.into_iter().for_each(|(at, table)| state.tables[at] = table);
        self.profiles.into_iter().for_each(|(at, profile)| state.profiles[at] = profile);
        self.counters.into_iter().for_each(|(at, counters)| state.counters[at] = counters);
        self.meters.into_iter().for_each(|(at, meters)| state.meters[at] = meters);
        for (array, values) in self.registers {
            state.registers.array_mut(array).copy_from_slice(&values);
        }
        self.value_sets.into_iter().for_each(|(at, set)| state.value_sets[at] = set);
        put_back(self.groups, &mut device.replication.groups);
        put_back(self.sessions, &mut device.replication.sessions);
        if let Some(digests) = self.digests {
            *device.digests = digests;
        }
    }
}

/// Gives each number the value that it had, or none if it had none.
fn put_back<T>(before: BTreeMap<u32, Option<T>>, now: &mut BTreeMap<u32, T>) {
    for (number, value) in before {
        match value {
            Some(value) => _ = now.insert(number, value),
            None => _ = now.remove(&number),
        }
    }
}
