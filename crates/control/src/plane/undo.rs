//! Records of changes, by which requests are undone.

use runtime::filter::Filter;
use runtime::profile::{Member, WeightedMember};
use runtime::records::KeptRecord;
use runtime::tables::{EntryHandle, Target};
use runtime::wred::Wred;
use runtime::{
    Count, CounterArray, GroupBefore, KeptEntry, Meter, MeterArray, Profile, ProgramState, TableState, ValueSet,
};

use super::{Device, Plane, tables};
use crate::{
    CloneSession, CounterRequest, DigestQueue, ElementSelection, MeterRequest, MulticastGroup, ProfileRequest,
    RecordRequest, RecordTableNumber, RegisterRequest, Request, SettingsRequest, Size, TableNumber, TableRequest,
};

/// What one request changes, as it was before. A request that writes one thing costs a copy of that; only those that write
/// all entries or elements of something cost a copy of it.
pub(super) enum Undo {
    /// An entry, and the number and the actions of its action set.
    Entry(TableNumber, Box<KeptEntry>, Option<(u32, Vec<WeightedMember>)>),
    Default(TableNumber, Target, Box<[u8]>),
    Table(TableNumber, Box<(TableState, Option<Profile>)>),
    /// The tables of all pipes.
    Tables(Vec<Vec<TableState>>),
    Member(usize, u32, Option<Member>),
    Group(usize, GroupBefore),
    Counter(usize, usize, Count),
    Counters(usize, CounterArray),
    Meter(usize, usize, Option<Meter>),
    Meters(usize, MeterArray),
    /// Low-pass filters, each with its index.
    Filters(usize, Vec<(usize, Option<Filter>)>),
    /// Random early detectors, each with its index.
    Wreds(usize, Vec<(usize, Option<Wred>)>),
    /// Register arrays, each with the index of the first value.
    Registers(Vec<(usize, usize, Vec<u64>)>),
    ValueSet(usize, ValueSet),
    /// Bytes of shared memory, with the address of the first.
    Memory(u64, Vec<u8>),
    /// A record, by its key, and the bytes at its place, with the address of the first.
    Record {
        table: usize,
        key: Vec<u8>,
        kept: Option<KeptRecord>,
        bytes: Option<(u64, Vec<u8>)>,
    },
    /// An event, the last that was raised.
    Event,
    MulticastGroup(u32, Option<MulticastGroup>),
    CloneSession(u32, Option<CloneSession>),
    Digests(DigestQueue),
    Nothing,
}

impl Undo {
    /// Returns what undoes, in one pipe, a request that is about to be executed. A request that will be refused changes
    /// nothing.
    pub(super) fn of(plane: &Plane, request: &Request, pipe: usize, device: &Device<'_>) -> Self {
        let (info, state) = (&plane.info, &device.states[pipe]);
        match request {
            Request::Table(table, request) => Self::of_table(plane, *table, request, state),
            Request::Profile(profile, request) => Self::of_profile(profile.index(), request, state),
            Request::Counter(counter, request) => match (info.counter(*counter).size, request) {
                (Size::Array(_), CounterRequest::Write(ElementSelection::Index(index), _)) => {
                    let (counter, index) = (counter.index(), *index as usize);
                    let count = state.counters[counter].get(index);
                    count.map_or(Self::Nothing, |count| Self::Counter(counter, index, count))
                }
                (Size::Array(_), _) => Self::Counters(counter.index(), state.counters[counter.index()].clone()),
                (Size::Entries(table), CounterRequest::Write(elements, _)) => {
                    Self::of_element(plane, table, elements, state)
                }
                (Size::Entries(table), _) => Self::whole(plane, table, state),
            },
            Request::Meter(meter, request) => match (info.meter(*meter).size, request) {
                (Size::Array(_), MeterRequest::Set(ElementSelection::Index(index), _)) => {
                    let (meter, index) = (meter.index(), *index as usize);
                    Self::Meter(meter, index, state.meters[meter].meter(index).cloned())
                }
                (Size::Array(_), _) => Self::Meters(meter.index(), state.meters[meter.index()].clone()),
                (Size::Entries(table), MeterRequest::Set(elements, _)) => {
                    Self::of_element(plane, table, elements, state)
                }
                (Size::Entries(table), _) => Self::whole(plane, table, state),
            },
            Request::Filter(filter, request) => {
                let (filter, kept) = (filter.index(), &state.filters[filter.index()]);
                let chosen = set(request, kept.len());
                Self::Filters(filter, chosen.map(|index| (index, kept.element(index))).collect())
            }
            Request::Wred(wred, request) => {
                let (wred, kept) = (wred.index(), &state.wreds[wred.index()]);
                let chosen = set(request, kept.len());
                Self::Wreds(wred, chosen.map(|index| (index, kept.element(index))).collect())
            }
            Request::Register(register, request) => {
                let arrays = &info.register(*register).arrays;
                Self::Registers(arrays.iter().map(|&array| values(array as usize, request, state)).collect())
            }
            Request::ValueSet(set, _) => Self::ValueSet(set.index(), state.value_sets[set.index()].clone()),
            Request::Memory(segment, request) => {
                let before = plane.words_before(*segment, request, state);
                before.map_or(Self::Nothing, |(address, bytes)| Self::Memory(address, bytes))
            }
            Request::Records(table, request) => Self::of_record(plane, *table, request, state),
            Request::RaiseEvent(..) => Self::Event,
            Request::MulticastGroup(group, _) => {
                Self::MulticastGroup(*group, device.replication.described_group(*group).cloned())
            }
            Request::CloneSession(session, _) => {
                Self::CloneSession(*session, device.replication.session(*session).cloned())
            }
            Request::TakeDigests(_) => Self::Digests(device.digests.clone()),
            Request::TakeIdleEntries => Self::Tables(device.states.iter().map(|state| state.tables.clone()).collect()),
            Request::ReadMulticastGroups | Request::ReadCloneSessions => Self::Nothing,
            // These are refused.
            Request::InPipe(..) | Request::Configure(_) => Self::Nothing,
        }
    }

    fn of_table(plane: &Plane, number: TableNumber, request: &TableRequest, state: &ProgramState) -> Self {
        let stored = &state.tables[number.index()];
        match request {
            TableRequest::Insert { .. } => {
                state.keep_next(number.index()).map_or(Self::Nothing, |kept| Self::Entry(number, Box::new(kept), None))
            }
            TableRequest::Modify { entry, .. }
            | TableRequest::SetIdleTimeout(entry, _)
            | TableRequest::Delete(entry) => {
                let found = tables::find(plane.info.table(number), stored, entry);
                found.map_or(Self::Nothing, |handle| Self::of_entry(plane, number, handle, state))
            }
            TableRequest::Clear => Self::whole(plane, number, state),
            TableRequest::SetDefault { .. } | TableRequest::ResetDefault => {
                Self::Default(number, stored.default_target().clone(), stored.default_metadata().into())
            }
            TableRequest::Read(..) | TableRequest::ReadPart { .. } | TableRequest::ReadDefault => Self::Nothing,
        }
    }

    fn of_record(plane: &Plane, number: RecordTableNumber, request: &RecordRequest, state: &ProgramState) -> Self {
        let (RecordRequest::Insert { key, .. } | RecordRequest::Delete(key)) = request else { return Self::Nothing };
        let (table, stored) = (number.index(), &state.records[number.index()]);
        let kept = stored.keep(key);
        // A record that is deleted leaves its bytes; one that is made has new ones.
        let bytes = stored.next_place().filter(|_| kept.is_none()).and_then(|place| {
            let layout = plane.layout(number);
            let mut bytes = vec![0; layout.record_bytes as usize];
            state.memory.read(layout.address(place), &mut bytes).ok()?;
            Some((layout.address(place), bytes))
        });
        Self::Record { table, key: key.clone(), kept, bytes }
    }

    fn of_entry(plane: &Plane, number: TableNumber, handle: EntryHandle, state: &ProgramState) -> Self {
        let stored = &state.tables[number.index()];
        let profile = plane.info.table(number).profile;
        let set = match (stored.matches().get(handle).map(|entry| &entry.target), profile) {
            (Some(Target::ActionSet(set)), Some(profile)) => {
                state.profiles[profile.index()].set(*set).map(|actions| (*set, actions.to_vec()))
            }
            _ => None,
        };
        Self::Entry(number, Box::new(stored.keep(handle)), set)
    }

    /// Returns what undoes a change of the direct counters or meters of these entries.
    fn of_element(plane: &Plane, number: TableNumber, elements: &ElementSelection, state: &ProgramState) -> Self {
        match elements {
            ElementSelection::Entry(entry) => {
                let found = tables::find(plane.info.table(number), &state.tables[number.index()], entry);
                found.map_or(Self::Nothing, |handle| Self::of_entry(plane, number, handle, state))
            }
            ElementSelection::All => Self::whole(plane, number, state),
            ElementSelection::Index(_) => Self::Nothing,
        }
    }

    fn whole(plane: &Plane, number: TableNumber, state: &ProgramState) -> Self {
        let profile = plane.info.table(number).profile.map(|profile| state.profiles[profile.index()].clone());
        Self::Table(number, Box::new((state.tables[number.index()].clone(), profile)))
    }

    fn of_profile(profile: usize, request: &ProfileRequest, state: &ProgramState) -> Self {
        let stored = &state.profiles[profile];
        let group = |group| Self::Group(profile, state.keep_group(profile, group));
        match request {
            ProfileRequest::InsertMember(member, _)
            | ProfileRequest::ModifyMember(member, _)
            | ProfileRequest::DeleteMember(member) => Self::Member(profile, *member, stored.member(*member).cloned()),
            ProfileRequest::InsertGroup(of) | ProfileRequest::ModifyGroup(of) => group(of.group),
            ProfileRequest::DeleteGroup(number) => group(*number),
            ProfileRequest::ReadMembers(_) | ProfileRequest::ReadGroups(_) => Self::Nothing,
        }
    }

    /// Undoes the request. All later ones must have been undone.
    pub(super) fn apply(self, plane: &mut Plane, pipe: usize, device: &mut Device<'_>) {
        let state = &mut device.states[pipe];
        match self {
            Self::Entry(number, kept, set) => {
                let table = plane.info.table(number);
                let stored = &mut state.tables[number.index()];
                if let Some(target) = stored.matches().get(kept.handle()).map(|entry| entry.target.clone()) {
                    plane.release_target(table, &target, state);
                }
                if let (Some((set, actions)), Some(profile)) = (set, table.profile) {
                    state.profiles[profile.index()].restore_set(set, actions);
                }
                state.restore_entry(number.index(), *kept);
            }
            Self::Default(number, target, metadata) => {
                let stored = &mut state.tables[number.index()];
                stored.set_default(target);
                stored.set_default_metadata(&metadata);
            }
            Self::Table(number, kept) => {
                let (table, profile) = *kept;
                state.tables[number.index()] = table;
                if let (Some(number), Some(profile)) = (plane.info.table(number).profile, profile) {
                    state.profiles[number.index()] = profile;
                }
            }
            Self::Tables(all) => {
                device.states.iter_mut().zip(all).for_each(|(state, tables)| state.tables = tables);
            }
            Self::Member(profile, id, member) => state.profiles[profile].restore_member(id, member),
            Self::Group(profile, before) => state.restore_group(profile, before),
            Self::Counter(counter, index, count) => _ = state.counters[counter].set(index, count),
            Self::Counters(counter, counters) => state.counters[counter] = counters,
            Self::Meter(meter, index, kept) => state.meters[meter].restore(index, kept),
            Self::Meters(meter, meters) => state.meters[meter] = meters,
            Self::Filters(filter, kept) => {
                kept.into_iter().for_each(|(index, own)| state.filters[filter].restore(index, own));
            }
            Self::Wreds(wred, kept) => {
                kept.into_iter().for_each(|(index, own)| state.wreds[wred].restore(index, own));
            }
            Self::Registers(arrays) => {
                for (array, first, values) in arrays {
                    state.registers.array_mut(array)[first..][..values.len()].copy_from_slice(&values);
                }
            }
            Self::ValueSet(set, members) => state.value_sets[set] = members,
            Self::Memory(address, bytes) => _ = state.memory.write(address, &bytes),
            Self::Record { table, key, kept, bytes } => {
                state.records[table].put_back(&key, kept);
                if let Some((address, bytes)) = bytes {
                    _ = state.memory.write(address, &bytes);
                }
            }
            Self::Event => _ = plane.raised.pop(),
            Self::MulticastGroup(number, group) => device.replication.put_group(number, group),
            Self::CloneSession(number, session) => device.replication.put_session(number, session),
            Self::Digests(digests) => *device.digests = digests,
            Self::Nothing => {}
        }
    }
}

/// Returns the elements of an array of `size` that a request gives settings.
fn set<S>(request: &SettingsRequest<S>, size: usize) -> std::ops::Range<usize> {
    match request {
        SettingsRequest::Read(_) => 0..0,
        SettingsRequest::Set(None, _) => 0..size,
        // An index outside of the array is refused.
        SettingsRequest::Set(Some(index), _) => {
            let first = (*index as usize).min(size);
            first..(first + 1).min(size)
        }
    }
}

/// Returns the values of an array that a request about its register writes, and the index of the first.
fn values(array: usize, request: &RegisterRequest, state: &ProgramState) -> (usize, usize, Vec<u64>) {
    let all = state.registers.array(array);
    match request {
        // An index outside of the register is refused.
        RegisterRequest::Write(Some(index), _) => {
            let words = state.registers.stride(array);
            let first = (*index as usize).saturating_mul(words).min(all.len());
            (array, first, all[first..].iter().take(words).copied().collect())
        }
        _ => (array, 0, all.to_vec()),
    }
}
