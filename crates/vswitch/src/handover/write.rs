//! Writing sessions.

use super::layout::{FROM_ENDPOINT, FROM_VNIC, MAGIC, SEEN, VERSION, checksum};
use super::{HandedOrigin, HandedSession, Handover};
use crate::session::{Count, Half, Seen};

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
    bytes.extend(checksum(&bytes).to_be_bytes());
    bytes
}

fn write_session(session: &HandedSession, version: u16, into: &mut Vec<u8>) {
    for key in &session.keys {
        into.extend(key.source.to_be_bytes());
        into.extend(key.destination.to_be_bytes());
        let [from, to] = key.ports();
        into.extend((key.vni() << 8 | u32::from(key.protocol())).to_be_bytes());
        into.extend((u32::from(from) << 16 | u32::from(to)).to_be_bytes());
    }
    let (origin, place) = match session.origin {
        HandedOrigin::Vnic(position) => (FROM_VNIC, position.into()),
        HandedOrigin::Endpoint(address) => (FROM_ENDPOINT, address),
    };
    into.push(origin);
    into.extend(place.to_be_bytes());
    into.extend(session.vni.to_be_bytes());
    session.counts.iter().for_each(|count| write_count(count, into));
    session.times.iter().for_each(|time| into.extend(time.picoseconds().to_be_bytes()));
    into.push(session.tcp.is_reset.into());
    for Half { is_known, has_syn, has_fin, is_open, is_shut, end, acknowledged, window, scale } in &session.tcp.halves {
        let flags = [is_known, has_syn, has_fin, is_open, is_shut].into_iter().enumerate();
        into.push(flags.fold(0, |all, (bit, is_set)| all | u8::from(*is_set) << bit));
        [end, acknowledged, window].iter().for_each(|number| into.extend(number.to_be_bytes()));
        into.push(*scale);
    }
    if version >= SEEN {
        session.seen.iter().for_each(|seen| write_seen(seen, into));
    }
}

fn write_seen(seen: &Seen, into: &mut Vec<u8>) {
    let Seen { flags, round_trip, logged, times, .. } = seen;
    [flags.syn, flags.fin, flags.rst].iter().for_each(|count| into.extend(count.to_be_bytes()));
    into.extend(round_trip.to_be_bytes());
    write_count(logged, into);
    times.iter().for_each(|time| into.extend(time.picoseconds().to_be_bytes()));
}

fn write_count(count: &Count, into: &mut Vec<u8>) {
    into.extend(count.packets.to_be_bytes());
    into.extend(count.bytes.to_be_bytes());
}
