//! Formats what the control plane reads, as packet tests write it.

use std::fmt::Write;

use control::{
    ActionCall, CounterNumber, CounterRequest, CounterUnit, DataType, ElementSelection, GroupMember, Info,
    MemoryRequest, MeterRequest, ProfileRequest, ReadRecord, RegisterRequest, Replica, Request, Response, TableNumber,
    TableRequest, Target, WeightedAction,
};
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, MeterRates};

use super::ReadOutcome;
use crate::words::counted;

/// Returns the result of a request in words, or `None` if the request reads nothing.
pub(super) fn read(info: &Info, line: usize, request: &Request, response: Response) -> Option<ReadOutcome> {
    let found = values_in_words(info, request, response)?;
    Some(ReadOutcome { line, what: what(info, request), found })
}

/// Returns the values that a request has read in words, in order, or `None` if the request reads nothing.
pub fn values_in_words(info: &Info, request: &Request, response: Response) -> Option<Vec<String>> {
    Some(match (request, response) {
        (Request::InPipe(_, request), response) => return values_in_words(info, request, response),
        (request, Response::ByPipe(responses)) => {
            let pipes = (0..).zip(responses).map(|(pipe, response)| {
                let values = values_in_words(info, request, response)?.into_iter();
                Some(values.map(move |value| format!("pipe {pipe}: {value}")))
            });
            pipes.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        (_, Response::Settings(text)) => text.lines().map(str::to_owned).collect(),
        (Request::Register(number, _), Response::Registers(cells)) => {
            let of = &info.registers[number.index()].data_type;
            cells.iter().map(|cell| values(of, cell)).collect()
        }
        (Request::Counter(number, _), Response::Counters(counts)) => {
            counts.into_iter().map(|count| counts_of(info, *number, count)).collect()
        }
        (_, Response::Meters(meters)) => meters.into_iter().map(rates).collect(),
        (Request::Table(table, _), Response::Entries(entries)) => {
            let entry = |entry: control::ReadEntry| {
                let key = key(info, *table, &entry.key);
                let priority = if entry.priority == 0 { String::new() } else { format!(" {}", entry.priority) };
                let timeout = match entry.idle_timeout {
                    0 => String::new(),
                    timeout => format!(" idle timeout {timeout} ns"),
                };
                format!("{}:{priority} {key} {}{timeout}", entry.handle.0, target(info, &entry.target))
            };
            entries.into_iter().map(entry).collect()
        }
        (_, Response::Default { target: default, .. }) => vec![target(info, &default)],
        (_, Response::Members(members)) => {
            members.into_iter().map(|member| format!("{}: {}", member.member, call(info, &member.action))).collect()
        }
        (_, Response::Groups(groups)) => {
            let member = |member: &GroupMember| share(&member.member.to_string(), member.weight, member.watch_port);
            let members = |members: &[GroupMember]| members.iter().map(member).collect::<Vec<_>>().join(" ");
            groups.into_iter().map(|group| format!("group {}: {}", group.group, members(&group.members))).collect()
        }
        (_, Response::Words(words)) => words.into_iter().map(|word| format!("{word:#018x}")).collect(),
        (_, Response::WrittenWords(words)) => {
            words.into_iter().map(|(offset, word)| format!("{offset}: {word:#018x}")).collect()
        }
        (_, Response::Records(records)) => records.iter().map(record).collect(),
        (_, Response::ValueSet(members)) => members.iter().map(|member| asked_all(member)).collect(),
        (_, Response::MulticastGroup(group)) => (0..)
            .zip(&group.replicas)
            .map(|(position, primary)| {
                let backups = group.backups.get(&position).into_iter().flatten();
                backups.fold(replica(primary), |text, backup| format!("{text} or {}", replica(backup)))
            })
            .collect(),
        (_, Response::CloneSession(session)) => {
            let mut found: Vec<String> = session.replicas.iter().map(replica).collect();
            found.extend(session.group.map(|group| format!("multicast group {group}")));
            if session.class_of_service != 0 {
                found.push(format!("class of service {}", session.class_of_service));
            }
            found.extend(session.maximum_length.map(|length| format!("cut to {}", counted(length.into(), "byte"))));
            found
        }
        _ => return None,
    })
}

/// Returns the name of the object that a request reads.
pub fn what(info: &Info, request: &Request) -> String {
    let at = |element: &ElementSelection| match element {
        ElementSelection::Index(index) => format!("[{index}]"),
        ElementSelection::Entry(_) => " of an entry".to_owned(),
        ElementSelection::All => String::new(),
    };
    match request {
        Request::Register(number, request) => {
            let element = match request {
                RegisterRequest::Read(Some(index)) => format!("[{index}]"),
                _ => String::new(),
            };
            format!("register {}{element}", info.registers[number.index()].identity.name)
        }
        Request::Counter(number, request) => {
            let element = if let CounterRequest::Read(element) = request { at(element) } else { String::new() };
            format!("counter {}{element}", info.counters[number.index()].identity.name)
        }
        Request::Meter(number, request) => {
            let element = if let MeterRequest::Read(element) = request { at(element) } else { String::new() };
            format!("meter {}{element}", info.meters[number.index()].identity.name)
        }
        Request::Table(number, request) => {
            let part = if matches!(request, TableRequest::ReadDefault) { "default action of " } else { "" };
            format!("{part}table {}", info.table(*number).identity.name)
        }
        Request::Profile(number, request) => {
            let part = if matches!(request, ProfileRequest::ReadGroups(_)) { "groups" } else { "members" };
            format!("{part} of {}", info.profiles[number.index()].identity.name)
        }
        Request::Filter(number, _) => format!("filter {}", info.filter(*number).identity.name),
        Request::Wred(number, _) => format!("early detector {}", info.wred(*number).identity.name),
        Request::Memory(number, request) => {
            let place = match request {
                MemoryRequest::Read { offset, .. } | MemoryRequest::Write { offset, .. } => {
                    format!(" at byte {offset}")
                }
                MemoryRequest::ReadWritten => String::new(),
            };
            format!("segment {}{place}", info.segment(*number).identity.name)
        }
        Request::Records(number, _) => format!("records {}", info.record_table(*number).identity.name),
        Request::RaiseEvent(number, _) => format!("event {}", info.event(*number).identity.name),
        Request::ValueSet(number, _) => format!("value set {}", info.value_sets[number.index()].identity.name),
        Request::MulticastGroup(group, _) => format!("multicast group {group}"),
        Request::CloneSession(session, _) => format!("clone session {session}"),
        Request::ReadMulticastGroups => "multicast groups".to_owned(),
        Request::ReadCloneSessions => "clone sessions".to_owned(),
        Request::InPipe(pipe, request) => format!("{} in pipe {pipe}", what(info, request)),
        Request::Configure(_) => "settings".to_owned(),
        Request::TakeIdleEntries => "idle entries".to_owned(),
        Request::TakeDigests(number) => format!("digest {}", info.digests[number.index()].identity.name),
    }
}

/// Formats a record: its place, its key, whether it has been referenced, and its words.
fn record(record: &ReadRecord) -> String {
    let mut text = format!("{}: 0x", record.place);
    record.key.iter().for_each(|byte| _ = write!(text, "{byte:02x}"));
    text += if record.is_referenced { " referenced" } else { "" };
    for word in record.contents.chunks_exact(8) {
        let word = word.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let _ = write!(text, " {word:#x}");
    }
    text
}

/// Formats a value, or the fields of a struct.
fn values(of: &DataType, cell: &[Bits]) -> String {
    match (&of.leaves()[..], cell) {
        ([leaf], [value]) if leaf.path.is_empty() => value.to_string(),
        (leaves, values) => {
            let fields = leaves.iter().zip(values).map(|(leaf, value)| format!("{}: {value}", leaf.path));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn counts_of(info: &Info, number: CounterNumber, count: Count) -> String {
    let (packets, bytes) = (counted(count.packets, "packet"), counted(count.bytes, "byte"));
    match info.counter(number).unit {
        CounterUnit::Packets => packets,
        CounterUnit::Bytes => bytes,
        CounterUnit::PacketsAndBytes => format!("{packets} {bytes}"),
    }
}

fn rates(rates: Option<MeterRates>) -> String {
    let Some(MeterRates { committed_rate, committed_burst, peak_rate, peak_burst }) = rates else {
        return "always green".to_owned();
    };
    format!("{committed_rate}/s:{committed_burst} {peak_rate}/s:{peak_burst}")
}

/// Returns the key of an entry as packet tests write it.
pub fn key(info: &Info, table: TableNumber, key: &[FieldMatch]) -> String {
    let fields = info.table(table).fields.iter().zip(key);
    fields.map(|(field, match_of)| format!("{}:{match_of}", field.name)).collect::<Vec<_>>().join(" ")
}

fn asked_all(key: &[FieldMatch]) -> String {
    key.iter().map(FieldMatch::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the target of an entry in words.
pub fn target(info: &Info, target: &Target) -> String {
    match target {
        Target::Action(action) => call(info, action),
        Target::Member(member) => format!("member {member}"),
        Target::Group(group) => format!("group {group}"),
        Target::ActionSet(actions) => {
            let action = |action: &WeightedAction| share(&call(info, &action.call), action.weight, action.watch_port);
            format!("one of {}", actions.iter().map(action).collect::<Vec<_>>().join(" "))
        }
    }
}

/// Adds to a member or an action its weight and the port on which it depends, where they are not the usual ones.
fn share(what: &str, weight: u32, watch_port: Option<u32>) -> String {
    let weight = if weight == 1 { String::new() } else { format!("*{weight}") };
    what.to_owned() + &weight + &watch_port.map(|port| format!("@{port}")).unwrap_or_default()
}

/// Returns an action with its arguments as packet tests write it.
pub fn call(info: &Info, call: &ActionCall) -> String {
    let action = info.action(call.action);
    let mut text = format!("{}(", action.identity.name);
    for (at, (parameter, value)) in action.parameters.iter().zip(&call.data).enumerate() {
        let _ = write!(text, "{}{}:{value:#x}", if at == 0 { "" } else { ", " }, parameter.name);
    }
    text + ")"
}

fn replica(replica: &Replica) -> String {
    format!("port {} instance {}", replica.port, replica.instance)
}
