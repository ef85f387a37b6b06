//! What the switch has for controllers: packets at the CPU port, digests, entries that were idle.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use control::{DigestNumber, Entity, IdleEntry, Request, Response, TableNumber};

use super::device::{Device, count};
use super::target::lock;
use super::view::ProgramView;
use crate::digests::ReadyList;
use crate::message::p4::v1::stream_message_response::Update;
use crate::message::p4::v1::{DigestList, IdleTimeoutNotification, TableEntry};
use crate::role_config::P4RoleConfig;
use crate::roles::{Rights, RoleAccess};
use crate::switch::Access;

/// The longest time for which packets are waited for before the end of the server is looked at.
const LONGEST_WAIT: basis::Duration = basis::Duration::from_microseconds(100_000);
/// The time between two looks at digests and idle entries, while a controller waits for any.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// The time between two looks at whether a controller waits for any.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(20);

/// Takes packets from the CPU port and hands them to controllers, until `is_over`.
pub fn packets(device: &Device, is_over: &AtomicBool) {
    let mut bytes = Vec::new();
    while !is_over.load(Ordering::Acquire) {
        // A signal or the time have ended the wait, or the link is over, which the end of the server tells, too.
        if !device.cpu.wait(Some(LONGEST_WAIT)).unwrap_or(false) {
            if !device.cpu.is_connected() {
                thread::sleep(BETWEEN_QUESTIONS);
            }
            continue;
        }
        let view = device.running();
        while let Some(packet) = device.cpu.receive_packet() {
            bytes.clear();
            packet.append_to(&mut bytes);
            let Some(message) = view.as_ref().and_then(|view| view.headers.packet_in(&bytes)) else {
                count(&device.packets.malformed, 1);
                continue;
            };
            let update = Update::Packet(message);
            let receives = |_: &str, config: Option<&P4RoleConfig>| match (&update, config) {
                (Update::Packet(packet), Some(own)) => own.receives(packet),
                _ => true,
            };
            let (sent, lost) = device.sessions.send_to_primaries(&update, receives);
            count(&device.packets.sent, sent);
            count(&device.packets.lost, lost);
            count(&device.packets.unheard, u64::from(sent + lost == 0));
        }
    }
}

/// Takes digests and idle entries from the switch and hands them to controllers, until `is_over`.
pub fn notifications(device: &Device, is_over: &AtomicBool) {
    let started = Instant::now();
    while !is_over.load(Ordering::Acquire) {
        let Some(view) = device.running().filter(|_| device.sessions.has_primary()) else {
            thread::sleep(BETWEEN_QUESTIONS);
            continue;
        };
        let mut kinds: Vec<DigestNumber> = lock(&device.digests).kinds().collect();
        kinds.retain(|kind| kind.index() < view.info().digests.len());
        let has_timeouts = view.info().tables.iter().any(|table| table.has_idle_timeout);
        if kinds.is_empty() && !has_timeouts {
            thread::sleep(BETWEEN_QUESTIONS);
            continue;
        }
        look(device, &view, &kinds, has_timeouts, started.elapsed().as_nanos() as u64);
        thread::sleep(BETWEEN_LOOKS);
    }
}

fn look(device: &Device, view: &Arc<ProgramView>, kinds: &[DigestNumber], has_timeouts: bool, now: u64) {
    let idle = has_timeouts.then_some(Request::TakeIdleEntries);
    let requests = kinds.iter().map(|kind| Request::TakeDigests(*kind)).chain(idle).collect();
    // A program that was replaced meanwhile is looked at the next time.
    let Ok(responses) = device.handle.execute_each(view.info(), requests) else { return };
    let mut ready = Vec::new();
    let mut delivery = lock(&device.digests);
    for (at, response) in responses.into_iter().enumerate() {
        match response {
            Ok(Response::Digests(digests)) => {
                if let Some(kind) = kinds.get(at) {
                    ready.extend(delivery.learn(now, *kind, digests));
                }
            }
            Ok(Response::IdleEntries(entries)) => send_idle(device, view, entries),
            _ => {}
        }
    }
    ready.extend(delivery.due(now));
    drop(delivery);
    ready.into_iter().for_each(|list| send(device, view, list));
}

fn send(device: &Device, view: &ProgramView, list: ReadyList) {
    let digest = view.info().digest(list.digest);
    let data = list.digests.iter().map(|values| view.translator.write_data(&digest.data_type, values)).collect();
    let message = DigestList { digest_id: digest.identity.id, list_id: list.list_id, data, timestamp: timestamp() };
    let entity = Some(Entity::Digest(list.digest));
    let wants = |role: &str, config: Option<&P4RoleConfig>| of_role(view, role, config).permits(entity);
    device.sessions.send_to_primaries(&Update::Digest(message), wants);
}

/// Returns what a role may hear of.
fn of_role<'v>(view: &'v ProgramView, role: &'v str, config: Option<&P4RoleConfig>) -> RoleAccess<'v> {
    RoleAccess::new(view.info(), role, Rights { config: config.cloned(), foreign: Vec::new() })
}

/// Sends a notification for each table with idle entries, since tables belong to roles.
fn send_idle(device: &Device, view: &ProgramView, entries: Vec<IdleEntry>) {
    let mut by_table: BTreeMap<TableNumber, Vec<TableEntry>> = BTreeMap::new();
    for IdleEntry { table, entry, .. } in entries {
        by_table.entry(table).or_default().push(view.translator.read_entry(table, entry));
    }
    for (table, table_entry) in by_table {
        let message = IdleTimeoutNotification { table_entry, timestamp: timestamp() };
        let entity = Some(Entity::Table(table));
        let wants = |role: &str, config: Option<&P4RoleConfig>| of_role(view, role, config).permits(entity);
        device.sessions.send_to_primaries(&Update::IdleTimeoutNotification(message), wants);
    }
}

/// Returns the time in nanoseconds since 1970, as notifications have it (section 16.4).
fn timestamp() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
