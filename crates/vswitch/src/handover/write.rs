//! Writing sessions.

use super::layout::{DOUBTS, FROM_ENDPOINT, FROM_VNIC, MAGIC, SEEN, STOPPED, TUNNELS, VERSION, checksum};
use super::{HandedNumbers, HandedOrigin, HandedSession, HandedTunnel, HandedWindow, Handover};
use crate::session::{Count, FlowKey, Half, Seen};

/// Returns the bytes of sessions in the present version.
///
/// # Panics
/// If a name of a vNIC has more than 65,535 bytes.
pub fn write(handover: &Handover) -> Vec<u8> {
    write_version(handover, VERSION)
}

/// Returns the bytes of sessions in a version from 1 to [`VERSION`], for a reader that knows no newer one.
///
/// # Panics
/// If there is no such version, or a name of a vNIC has more than 65,535 bytes.
pub fn write_version(handover: &Handover, version: u16) -> Vec<u8> {
    assert!((1..=VERSION).contains(&version), "the format has the versions 1 to {VERSION}");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend(handover.now.picoseconds().to_be_bytes());
    bytes.extend((handover.vnics.len() as u32).to_be_bytes());
    for name in &handover.vnics {
        let length = u16::try_from(name.len()).expect("names of vNICs are short");
        bytes.extend(length.to_be_bytes());
        bytes.extend(name.as_bytes());
    }
    bytes.extend((handover.sessions.len() as u32).to_be_bytes());
    let mut record = Vec::new();
    for session in &handover.sessions {
        record.clear();
        write_session(session, version, &mut record);
        bytes.extend((record.len() as u16).to_be_bytes());
        bytes.extend(&record);
    }
    if version >= TUNNELS {
        write_tunnels(handover, &mut bytes);
    }
    bytes.extend(checksum(&bytes).to_be_bytes());
    bytes
}

fn write_tunnels(handover: &Handover, into: &mut Vec<u8>) {
    into.extend((handover.windows.len() as u32).to_be_bytes());
    for HandedWindow { peer, vni, index, fingerprint, greatest, seen } in &handover.windows {
        into.extend(peer.to_be_bytes());
        [vni, index].iter().for_each(|number| into.extend(number.to_be_bytes()));
        into.extend(fingerprint);
        into.extend(greatest.to_be_bytes());
        seen.iter().for_each(|word| into.extend(word.to_be_bytes()));
    }
    into.extend((handover.numbers.len() as u32).to_be_bytes());
    for HandedNumbers { vni, index, fingerprint, next, sent } in &handover.numbers {
        [vni, index].iter().for_each(|number| into.extend(number.to_be_bytes()));
        into.extend(fingerprint);
        [next, sent].iter().for_each(|number| into.extend(number.to_be_bytes()));
    }
    into.extend((handover.tunnels.len() as u32).to_be_bytes());
    for HandedTunnel { vni, endpoint, is_answered, senders, ranges } in &handover.tunnels {
        into.extend(vni.to_be_bytes());
        into.extend(endpoint.to_be_bytes());
        let flags = [*is_answered, senders[0].is_some(), senders[1].is_some()].into_iter().enumerate();
        into.push(flags.fold(0, |all, (bit, is_set)| all | u8::from(is_set) << bit));
        senders.iter().for_each(|sender| into.extend(sender.unwrap_or(0).to_be_bytes()));
        into.extend((ranges.len() as u16).to_be_bytes());
        ranges.iter().for_each(|(start, end)| {
            into.extend(start.to_be_bytes());
            into.extend(end.to_be_bytes());
        });
    }
}

/// Appends the keys of a session.
pub(crate) fn write_keys(keys: &[FlowKey; 2], into: &mut Vec<u8>) {
    for key in keys {
        into.extend(key.source.to_be_bytes());
        into.extend(key.destination.to_be_bytes());
        let [from, to] = key.ports();
        into.extend((key.vni() << 8 | u32::from(key.protocol())).to_be_bytes());
        into.extend((u32::from(from) << 16 | u32::from(to)).to_be_bytes());
    }
}

fn write_session(session: &HandedSession, version: u16, into: &mut Vec<u8>) {
    write_keys(&session.keys, into);
    let (origin, place) = match session.origin {
        HandedOrigin::Vnic(position) => (FROM_VNIC, position.into()),
        HandedOrigin::Endpoint(address) => (FROM_ENDPOINT, address),
    };
    into.push(origin);
    into.extend(place.to_be_bytes());
    into.extend(session.vni.to_be_bytes());
    session.counts.iter().for_each(|count| write_count(count, into));
    session.times.iter().for_each(|time| into.extend(time.picoseconds().to_be_bytes()));
    let is_in_doubt = version >= DOUBTS && session.tcp.is_in_doubt;
    into.push(u8::from(session.tcp.is_reset) | u8::from(is_in_doubt) << 1);
    for Half { is_known, has_syn, has_fin, is_open, is_shut, end, acknowledged, window, scale } in &session.tcp.halves {
        let flags = [is_known, has_syn, has_fin, is_open, is_shut].into_iter().enumerate();
        into.push(flags.fold(0, |all, (bit, is_set)| all | u8::from(*is_set) << bit));
        [end, acknowledged, window].iter().for_each(|number| into.extend(number.to_be_bytes()));
        into.push(*scale);
    }
    if version >= SEEN {
        session.seen.iter().for_each(|seen| write_seen(seen, version, into));
    }
}

fn write_seen(seen: &Seen, version: u16, into: &mut Vec<u8>) {
    let Seen { flags, round_trip, logged, stopped, times, .. } = seen;
    [flags.syn, flags.fin, flags.rst].iter().for_each(|count| into.extend(count.to_be_bytes()));
    into.extend(round_trip.to_be_bytes());
    write_count(logged, into);
    if version >= STOPPED {
        write_count(stopped, into);
    }
    times.iter().for_each(|time| into.extend(time.picoseconds().to_be_bytes()));
}

fn write_count(count: &Count, into: &mut Vec<u8>) {
    into.extend(count.packets.to_be_bytes());
    into.extend(count.bytes.to_be_bytes());
}
