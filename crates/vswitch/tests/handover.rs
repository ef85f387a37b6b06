//! The bytes of sessions that are handed over: they are read as they were written, and damage is found.

use std::net::IpAddr;

use basis::{Duration, Instant};
use proptest::prelude::*;
use vswitch::VirtualSwitch;
use vswitch::configuration::Configuration;
use vswitch::handover::{
    FINGERPRINT, HandedNumbers, HandedOrigin, HandedSession, HandedTunnel, HandedWindow, Handover, HandoverError,
    VERSION, WINDOW_WORDS, read, write, write_version,
};
use vswitch::session::{Count, FlagCounts, FlowKey, Seen, Segment, TcpState};
use wire::tcp::flag::RST;

const NOW: u64 = 1 << 50;

fn time() -> impl Strategy<Value = Instant> {
    (0..=NOW).prop_map(|time| Instant::ZERO + Duration::from_picoseconds(time))
}

fn addresses() -> impl Strategy<Value = [IpAddr; 2]> {
    let four = any::<[[u8; 4]; 2]>().prop_map(|addresses| addresses.map(IpAddr::from));
    // The first byte tells them from IPv4-mapped addresses.
    let six = any::<[[u8; 15]; 2]>().prop_map(|addresses| {
        addresses.map(|rest| IpAddr::from(<[u8; 16]>::try_from([&[0xFD], &rest[..]].concat()).expect("16 bytes")))
    });
    prop_oneof![four, six]
}

/// The states of connections; `flags` are those that segments may have.
fn tcp(flags: u8) -> impl Strategy<Value = TcpState> {
    let own = any::<u8>().prop_map(move |own| own & flags);
    let segment = (0..2usize, own, any::<[u32; 2]>(), any::<u16>(), 0..70_000u32, prop::option::of(0..15u8));
    prop::collection::vec(segment, 0..5).prop_map(|segments| {
        let mut state = TcpState::default();
        for (direction, flags, [sequence, acknowledgement], window, payload, scale) in segments {
            state.segment(direction, &Segment { flags, sequence, acknowledgement, window, payload, scale });
        }
        state
    })
}

fn session(vnics: u32, segment_flags: u8) -> impl Strategy<Value = HandedSession> {
    let count = || any::<[u64; 2]>().prop_map(|[packets, bytes]| Count { packets, bytes });
    let key = || (addresses(), any::<[u16; 2]>());
    let origin = prop_oneof![(0..vnics).prop_map(HandedOrigin::Vnic), any::<u128>().prop_map(HandedOrigin::Endpoint)];
    let flags = || any::<[u16; 3]>().prop_map(|[syn, fin, rst]| FlagCounts { syn, fin, rst });
    let parts = ((key(), key()), (any::<u8>(), 1..1u32 << 24), origin, (count(), count()), (time(), time()));
    (parts, tcp(segment_flags), (flags(), flags())).prop_filter_map(
        "both keys are the same",
        |(parts, tcp, (there, back))| {
            let (((a, from), (b, to)), (protocol, vni), origin, counts, (began, last)) = parts;
            let answers = FlowKey::new(vni, b, protocol, to);
            let is_of_icmp = matches!(protocol, wire::protocol::ICMP | wire::protocol::ICMPV6);
            let keys = [FlowKey::new(vni, a, protocol, from), if is_of_icmp { answers.answer() } else { answers }];
            let seen = [there, back].map(|flags| {
                let mut seen = Seen::default();
                seen.flags = flags;
                seen
            });
            let times = [began.min(last), began.max(last)];
            let session = HandedSession { keys, origin, vni, counts: counts.into(), times, tcp, seen };
            (keys[0] != keys[1]).then_some(session)
        },
    )
}

fn handover() -> impl Strategy<Value = Handover> {
    handover_of(u8::MAX)
}

/// As [`handover`], with connections whose segments have none but these flags.
fn handover_of(flags: u8) -> impl Strategy<Value = Handover> {
    let vnics = prop::collection::vec("[a-zä-ü]{0,12}", 1..4);
    let tunnels = prop::collection::vec(window(), 0..3);
    let tunnels = (tunnels, prop::collection::vec(numbers(), 0..3), prop::collection::vec(tunnel(), 0..3));
    let sessions = prop::collection::vec(session(1, flags), 0..6);
    (vnics, sessions, tunnels).prop_map(|(vnics, sessions, (windows, numbers, tunnels))| Handover {
        now: Instant::ZERO + Duration::from_picoseconds(NOW),
        vnics,
        sessions,
        windows,
        numbers,
        tunnels,
    })
}

/// A window says that its greatest number has come, and no greater one.
fn window() -> impl Strategy<Value = HandedWindow> {
    let parts = (any::<u128>(), any::<[u32; 2]>(), any::<[u8; FINGERPRINT]>());
    (parts, 1..=u64::MAX, any::<[u64; WINDOW_WORDS]>()).prop_map(
        |((peer, [vni, index], fingerprint), greatest, mut seen)| {
            let (word, bit) = ((greatest / 64 % WINDOW_WORDS as u64) as usize, 1 << (greatest % 64));
            seen[word] = seen[word] & (bit - 1) | bit;
            HandedWindow { peer, vni, index, fingerprint, greatest, seen }
        },
    )
}

fn numbers() -> impl Strategy<Value = HandedNumbers> {
    (any::<[u32; 2]>(), any::<[u8; FINGERPRINT]>(), any::<[u64; 2]>())
        .prop_map(|([vni, index], fingerprint, [next, sent])| HandedNumbers { vni, index, fingerprint, next, sent })
}

fn tunnel() -> impl Strategy<Value = HandedTunnel> {
    let senders = (any::<u32>(), prop::option::of(any::<u32>()), prop::collection::vec((1..9u64, 1..9u64), 1..9));
    (any::<u32>(), any::<u128>(), any::<bool>(), prop::option::of(senders)).prop_map(
        |(vni, endpoint, is_answered, sender)| {
            let empty = HandedTunnel { vni, endpoint, is_answered, senders: [None, None], ranges: Vec::new() };
            let Some((sender, earlier, steps)) = sender else { return empty };
            let mut end = 0;
            let range = |(gap, length)| {
                let start = end + gap;
                end = start + length;
                (start, end)
            };
            HandedTunnel { senders: [Some(sender), earlier], ranges: steps.into_iter().map(range).collect(), ..empty }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(handover in handover()) {
        prop_assert_eq!(read(&write(&handover)), Ok(handover));
    }

    /// Version 1 does not have what was seen beside the counts, version 2 no tunnels, version 3 no doubts about resets, and version 4
    /// nothing of what was discarded.
    #[test]
    fn what_is_written_in_earlier_versions_is_read(handover in handover_of(!RST)) {
        prop_assert_eq!(read(&write_version(&handover, 4)), Ok(handover.clone()));
        prop_assert_eq!(read(&write_version(&handover, 3)), Ok(handover.clone()));
        let Handover { now, vnics, sessions, .. } = handover.clone();
        let mut expected = Handover { now, vnics, sessions, ..Handover::default() };
        prop_assert_eq!(read(&write_version(&handover, 2)), Ok(expected.clone()));
        expected.sessions.iter_mut().for_each(|session| session.seen = Default::default());
        prop_assert_eq!(read(&write_version(&handover, 1)), Ok(expected));
    }

    #[test]
    fn damage_is_found(handover in handover(), at in any::<prop::sample::Index>(), change in 1..=255u8) {
        let mut bytes = write(&handover);
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        let expected = match at {
            0..8 => HandoverError::NotSessions,
            8..10 => match u16::from_be_bytes([bytes[8], bytes[9]]) {
                1..=VERSION => HandoverError::Checksum,
                other => HandoverError::Version(other),
            },
            _ => HandoverError::Checksum,
        };
        prop_assert_eq!(read(&bytes), Err(expected));
        bytes[at] ^= change;
        bytes.truncate(at);
        prop_assert!(read(&bytes).is_err());
    }

    /// Bytes with a right checksum are refused as a whole, or understood; a switch takes what it allows.
    #[test]
    fn no_bytes_do_harm(
        handover in handover(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        let mut bytes = write(&handover);
        let content = bytes.len() - 4;
        for (at, value) in changes {
            bytes[at.index(content)] = value;
        }
        let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&bytes[..content]);
        bytes[content..].copy_from_slice(&sum.to_be_bytes());
        let understood = read(&bytes);
        if let Ok(understood) = &understood
            && bytes[9] == VERSION as u8
        {
            prop_assert_eq!(&write(understood), &bytes);
        }
        let mut switch = VirtualSwitch::new(Configuration::default(), [1, 2]);
        let taken = switch.take_over(Instant::ZERO, &bytes);
        prop_assert_eq!(taken.is_ok(), understood.is_ok());
        prop_assert_eq!(switch.sessions_count(), 0, "it has no vNICs");
    }
}
