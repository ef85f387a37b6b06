//! Everything that requests can read of a device.
#![allow(dead_code, reason = "each test uses its part")]

use control::*;

/// Requests that read everything.
pub fn reads(info: &Info) -> Vec<Request> {
    let mut reads = vec![Request::ReadMulticastGroups, Request::ReadCloneSessions];
    for table in (0..info.tables.len()).map(TableNumber::from) {
        reads.extend(
            [TableRequest::read_all(), TableRequest::ReadDefault].map(|request| Request::Table(table, request)),
        );
    }
    for profile in (0..info.profiles.len()).map(ProfileNumber::from) {
        let both = [ProfileRequest::ReadMembers(None), ProfileRequest::ReadGroups(None)];
        reads.extend(both.map(|request| Request::Profile(profile, request)));
    }
    let all = ElementSelection::All;
    let counters = (0..info.counters.len()).map(CounterNumber::from);
    reads.extend(counters.map(|number| Request::Counter(number, CounterRequest::Read(all.clone()))));
    let meters = (0..info.meters.len()).map(MeterNumber::from);
    reads.extend(meters.map(|number| Request::Meter(number, MeterRequest::Read(all.clone()))));
    let registers = (0..info.registers.len()).map(RegisterNumber::from);
    reads.extend(registers.map(|number| Request::Register(number, RegisterRequest::Read(None))));
    let sets = (0..info.value_sets.len()).map(ValueSetNumber::from);
    reads.extend(sets.map(|number| Request::ValueSet(number, ValueSetRequest::Read)));
    reads
}

/// Returns everything that requests can read, without the handles of entries.
pub fn everything(
    info: &Info,
    mut execute: impl FnMut(&Request) -> Result<Response, Error>,
) -> Vec<Result<Response, Error>> {
    let without_handles = |response| match response {
        Response::Entries(entries) => Response::Entries(
            entries.into_iter().map(|entry| ReadEntry { handle: runtime::tables::EntryHandle(0), ..entry }).collect(),
        ),
        other => other,
    };
    reads(info).iter().map(|request| execute(request).map(without_handles)).collect()
}
