//! Requests to the artificial program, of which most are right and some are refused.

use std::collections::BTreeMap;

use control::*;
use proptest::prelude::*;
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, MeterRates};

use crate::common::*;

/// Meters of the entries of this table.
pub const METERED: TableNumber = TableNumber(5);

fn exact(value: u64) -> FieldMatch {
    FieldMatch::Exact(bits(value))
}

fn table_request(key: Vec<FieldMatch>, priority: Option<u32>, target: Target) -> BoxedStrategy<TableRequest> {
    let entry = EntrySelection::Key { key: key.clone(), priority };
    let number = priority.unwrap_or(0);
    let attributes = EntryAttributes {
        // Tables without idle timeouts refuse them.
        idle_timeout: u64::from(number) * 1_000_000,
        metadata: vec![7; number as usize % 3],
        count: (number == 3).then_some(Count { packets: 1, bytes: 2 }),
        meter: None,
    };
    prop_oneof![
        6 => Just(TableRequest::insert(key.clone(), priority, target.clone())),
        2 => Just(TableRequest::Insert { key, priority, target: target.clone(), attributes: attributes.clone() }),
        2 => Just(TableRequest::modify(entry.clone(), target.clone())),
        2 => Just(TableRequest::Modify {
            entry: entry.clone(),
            target: Some(target.clone()),
            attributes: Some(attributes),
        }),
        3 => Just(TableRequest::Delete(entry)),
        2 => Just(TableRequest::set_default(target)),
        1 => Just(TableRequest::ResetDefault),
        1 => Just(TableRequest::Clear),
    ]
    .boxed()
}

/// Any request that writes.
pub fn any_request() -> impl Strategy<Value = Request> {
    let few = 0_u64..5;
    let tables = (few.clone(), few.clone(), 0_usize..7).prop_flat_map(|(key, value, table)| {
        let (table, keys, priority, target) = match table {
            0 => {
                let prefix = FieldMatch::Prefix { value: Bits::from_u64(key << 24, 32), length: 8 };
                (LPM, vec![prefix], None, run(FORWARD, &[value, key]))
            }
            1 => {
                let mask = FieldMatch::Mask { value: bits(key), mask: bits(7) };
                let range = FieldMatch::Range { low: bits(key), high: bits(9) };
                (ACL, vec![mask, range, exact(key % 2), FieldMatch::Any], Some(value as u32), run(MARK, &[value]))
            }
            2 => (ECMP, vec![exact(key)], None, Target::Member(value as u32)),
            3 => (ECMP, vec![exact(key)], None, Target::Group(value as u32 % 2)),
            4 => (L2_MAC, vec![exact(key)], None, run(FORWARD, &[value, 1])),
            5 => {
                let action = |weight| WeightedAction {
                    call: call(FORWARD, &[weight, 1]),
                    weight: weight as u32,
                    watch_port: None,
                };
                (ECMP, vec![exact(key)], None, Target::ActionSet((1..=value).map(action).collect()))
            }
            _ => (METERED, vec![exact(key)], None, run(DROP, &[])),
        };
        table_request(keys, priority, target).prop_map(move |request| Request::Table(table, request))
    });
    let profile = (0_u32..4, few.clone(), 0..7).prop_map(|(number, value, which)| {
        let request = match which {
            0 | 1 => ProfileRequest::InsertMember(number, call(FORWARD, &[value, 3])),
            2 => ProfileRequest::ModifyMember(number, call(FORWARD, &[value, 4])),
            3 => ProfileRequest::DeleteMember(number),
            4 => ProfileRequest::InsertGroup(Group::new(number % 2, vec![number, value as u32])),
            5 => {
                let member = GroupMember { member: number, weight: value as u32, watch_port: Some(1) };
                ProfileRequest::ModifyGroup(Group::new(number % 2, [member]))
            }
            _ => ProfileRequest::DeleteGroup(number % 2),
        };
        Request::Profile(ProfileNumber(0), request)
    });
    let count = |packets: u64| Count { packets, bytes: 64 * packets };
    let counters = (0_u32..6, few.clone()).prop_map(move |(index, packets)| match index {
        5 => Request::Counter(CounterNumber(0), CounterRequest::WriteEach(vec![count(packets); 2])),
        4 => Request::Counter(CounterNumber(0), CounterRequest::Write(ElementSelection::All, count(packets))),
        index => {
            Request::Counter(CounterNumber(1), CounterRequest::Write(ElementSelection::Index(index), count(packets)))
        }
    });
    let meters = (0_u32..4, 0_u64..4).prop_map(|(index, rate)| {
        let rates = MeterRates { committed_rate: rate, committed_burst: rate, peak_rate: 2, peak_burst: 9 };
        match index {
            3 => Request::Meter(MeterNumber(1), MeterRequest::SetEach(vec![Some(rates)])),
            2 => Request::Meter(MeterNumber(1), MeterRequest::Set(ElementSelection::All, Some(rates))),
            index => Request::Meter(MeterNumber(0), MeterRequest::Set(ElementSelection::Index(index), Some(rates))),
        }
    });
    let registers = (0_u32..4, any::<u32>()).prop_map(|(index, value)| {
        let values = vec![bits(u64::from(value)), Bits::from_limbs(&[9, u64::from(value)], 100)];
        match index {
            0 | 1 => Request::Register(RegisterNumber(1), RegisterRequest::Write(Some(index), values)),
            2 => Request::Register(RegisterNumber(0), RegisterRequest::WriteEach(vec![values[..1].to_vec(); 3])),
            _ => Request::Register(RegisterNumber(0), RegisterRequest::Write(Some(3), values[..1].to_vec())),
        }
    });
    let sets = few.clone().prop_map(|value| {
        let member = vec![exact(value)];
        Request::ValueSet(
            ValueSetNumber(0),
            if value == 0 { ValueSetRequest::Delete(vec![exact(1)]) } else { ValueSetRequest::Insert(member) },
        )
    });
    let replication = (0_u32..4, few).prop_map(|(number, port)| {
        let replicas = vec![Replica { port: port as u32, instance: number }];
        let backups = BTreeMap::from([(0, vec![Replica { port: 2, instance: 0 }])]);
        let group = MulticastGroup { replicas: replicas.clone(), backups, metadata: vec![1] };
        match number {
            0 => Request::MulticastGroup(number, ReplicationRequest::Put(replicas.into())),
            1 | 2 if port == 4 => Request::MulticastGroup(number, ReplicationRequest::Delete),
            1 | 2 => Request::MulticastGroup(number, ReplicationRequest::Put(group)),
            _ => {
                let session = CloneSession { replicas, group: Some(1), ..CloneSession::default() };
                Request::CloneSession(port as u32, ReplicationRequest::Put(session))
            }
        }
    });
    prop_oneof![12 => tables, 6 => profile, 3 => counters, 3 => meters, 3 => registers, 2 => sets, 2 => replication]
}
