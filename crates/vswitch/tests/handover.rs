//! The bytes of sessions that are handed over: they are read as they were written, and damage is found.

use std::net::IpAddr;

use basis::{Duration, Instant};
use proptest::prelude::*;
use vswitch::VirtualSwitch;
use vswitch::configuration::Configuration;
use vswitch::handover::{HandedOrigin, HandedSession, Handover, HandoverError, VERSION, read, write, write_version};
use vswitch::session::{Count, FlagCounts, FlowKey, Seen, Segment, TcpState};

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

fn tcp() -> impl Strategy<Value = TcpState> {
    let segment = (0..2usize, any::<u8>(), any::<[u32; 2]>(), any::<u16>(), 0..70_000u32, prop::option::of(0..15u8));
    prop::collection::vec(segment, 0..5).prop_map(|segments| {
        let mut state = TcpState::default();
        for (direction, flags, [sequence, acknowledgement], window, payload, scale) in segments {
            state.segment(direction, &Segment { flags, sequence, acknowledgement, window, payload, scale });
        }
        state
    })
}

fn session(vnics: u32) -> impl Strategy<Value = HandedSession> {
    let count = || any::<[u64; 2]>().prop_map(|[packets, bytes]| Count { packets, bytes });
    let key = || (addresses(), any::<[u16; 2]>());
    let origin = prop_oneof![(0..vnics).prop_map(HandedOrigin::Vnic), any::<u128>().prop_map(HandedOrigin::Endpoint)];
    let flags = || any::<[u16; 3]>().prop_map(|[syn, fin, rst]| FlagCounts { syn, fin, rst });
    let parts = ((key(), key()), (any::<u8>(), 1..1u32 << 24), origin, (count(), count()), (time(), time()));
    (parts, tcp(), (flags(), flags())).prop_filter_map("both keys are the same", |(parts, tcp, (there, back))| {
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
    })
}

fn handover() -> impl Strategy<Value = Handover> {
    let vnics = prop::collection::vec("[a-zä-ü]{0,12}", 1..4);
    (vnics, prop::collection::vec(session(1), 0..6)).prop_map(|(vnics, sessions)| Handover {
        now: Instant::ZERO + Duration::from_picoseconds(NOW),
        vnics,
        sessions,
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(handover in handover()) {
        prop_assert_eq!(read(&write(&handover)), Ok(handover));
    }

    /// Version 1 does not have what was seen beside the counts.
    #[test]
    fn what_is_written_in_the_first_version_is_read(handover in handover()) {
        let mut expected = handover.clone();
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
        prop_assert_eq!(switch.sessions().count(), 0, "it has no vNICs");
    }
}
