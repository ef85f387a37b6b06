//! The table of sessions, held against a list that is searched from end to end.

use std::net::{IpAddr, Ipv4Addr};

use basis::{Duration, Instant};
use proptest::prelude::*;
use vswitch::session::{
    Ended, FlowHasher, FlowId, FlowKey, NewSession, Refused, Segment, SessionLimits, SessionTable, TcpPhase, TcpState,
    Timeouts,
};
use wire::tcp::flag::{ACK, FIN, RST, SYN};
use wire::{Segments, protocol};

const LIMITS: SessionLimits = SessionLimits { sessions: 12, per_vnic: 5 };

fn key(number: u8, protocol: u8) -> FlowKey {
    let addresses = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 1, number)].map(IpAddr::V4);
    FlowKey::new(7, addresses, protocol, [1000, 80])
}

fn seconds(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_microseconds(1_000_000 * seconds)
}

fn table() -> SessionTable<u32> {
    SessionTable::new(LIMITS, Timeouts::default(), FlowHasher::new([3, 4]))
}

fn new(number: u8, protocol: u8, owner: u32, decision: u32) -> NewSession<u32> {
    let key = key(number, protocol);
    NewSession { keys: [key, key.reversed()], decision, owner, epoch: 0 }
}

/// What happens to the table.
#[derive(Clone, Debug)]
enum Step {
    Begin { number: u8, is_tcp: bool, owner: u32 },
    Packet { number: u8, is_tcp: bool, direction: usize, flags: u8 },
    Remove { number: u8, is_tcp: bool },
    Wait { seconds: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let number = 0..20u8;
    let flags = prop::sample::select(vec![SYN, SYN | ACK, ACK, ACK | FIN, RST | ACK]);
    prop_oneof![
        4 => (number.clone(), any::<bool>(), 0..4u32).prop_map(|(number, is_tcp, owner)| Step::Begin { number, is_tcp, owner }),
        4 => (number.clone(), any::<bool>(), 0..2usize, flags).prop_map(|(number, is_tcp, direction, flags)| {
            Step::Packet { number, is_tcp, direction, flags }
        }),
        1 => (number, any::<bool>()).prop_map(|(number, is_tcp)| Step::Remove { number, is_tcp }),
        2 => prop_oneof![0..3u64, 50..400u64, 5_000..9_000u64].prop_map(|seconds| Step::Wait { seconds }),
    ]
}

fn protocol_of(is_tcp: bool) -> u8 {
    if is_tcp { protocol::TCP } else { protocol::UDP }
}

/// A session as the list has it. The list is in the order in which sessions became half open.
#[derive(Clone, Debug)]
struct Plain {
    flow: FlowId,
    key: FlowKey,
    decision: u32,
    owner: u32,
    last: Instant,
    tcp: TcpState,
    replies: u64,
    half_open: bool,
}

impl Plain {
    fn ends(&self) -> Instant {
        self.last + Timeouts::default().of(self.key.protocol(), self.tcp.phase())
    }

    fn is_half_open(&self) -> bool {
        self.replies == 0 || (self.key.protocol() == protocol::TCP && self.tcp.phase() == TcpPhase::Opening)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn the_table_does_what_a_list_would(steps in prop::collection::vec(step(), 0..80)) {
        let mut table = table();
        let mut plain: Vec<Plain> = Vec::new();
        let mut now = seconds(3);
        for (number, step) in steps.into_iter().enumerate() {
            let decision = number as u32;
            let mut told = Vec::new();
            match step {
                Step::Begin { number, is_tcp, owner } => {
                    let protocol = protocol_of(is_tcp);
                    let result = table.insert(now, new(number, protocol, owner, decision), &mut |session, why| {
                        told.push((session.decision, why));
                    });
                    let key = key(number, protocol);
                    let own = plain.iter().filter(|session| session.owner == owner).count();
                    let oldest = |list: &[Plain], owner: Option<u32>| {
                        list.iter().position(|session| session.half_open && owner.is_none_or(|own| own == session.owner))
                    };
                    let mut expected = Vec::new();
                    let mut refused = plain.iter().any(|session| session.key == key).then_some(Refused::KeyTaken);
                    if refused.is_none() && own >= LIMITS.per_vnic as usize {
                        match oldest(&plain, Some(owner)) {
                            Some(at) => expected.push((plain.remove(at).decision, Ended::Evicted)),
                            None => refused = Some(Refused::VnicFull),
                        }
                    }
                    if refused.is_none() && plain.len() >= LIMITS.sessions as usize {
                        match oldest(&plain, None) {
                            Some(at) => expected.push((plain.remove(at).decision, Ended::Evicted)),
                            None => refused = Some(Refused::TableFull),
                        }
                    }
                    prop_assert_eq!(&told, &expected);
                    match (result, refused) {
                        (Ok(flow), None) => plain.push(Plain {
                            flow, key, decision, owner, last: now, tcp: TcpState::default(), replies: 0, half_open: true,
                        }),
                        (Err((found, _)), Some(expected)) => prop_assert_eq!(found, expected),
                        other => prop_assert!(false, "{:?}", other),
                    }
                }
                Step::Packet { number, is_tcp, direction, flags } => {
                    let key = key(number, protocol_of(is_tcp));
                    let wanted = if direction == 0 { key } else { key.reversed() };
                    let flow = table.find(&wanted, table.hash(&wanted));
                    let at = plain.iter().position(|session| session.key == key);
                    prop_assert_eq!(flow.is_some(), at.is_some());
                    if let (Some(flow), Some(at)) = (flow, at) {
                        let segment = Segment { flags, sequence: 1, acknowledgement: 2, window: 100, payload: 0, scale: None };
                        let segment = is_tcp.then_some(&segment);
                        let judged = table.packet(now, flow, Segments { count: 1, bytes: 60, longest: 60 }, segment);
                        let mut session = plain.remove(at);
                        let accepted = segment.is_none_or(|segment| session.tcp.segment(direction, segment) == judged);
                        prop_assert!(accepted);
                        if judged == vswitch::session::Judged::Accepted {
                            session.last = now;
                            session.replies += direction as u64;
                        }
                        let (before, after) = (session.half_open, session.is_half_open());
                        session.half_open = after;
                        // One that becomes half open again is the newest of these.
                        let place = if before == after { at } else { plain.len() };
                        plain.insert(place, session);
                    }
                }
                Step::Remove { number, is_tcp } => {
                    let key = key(number, protocol_of(is_tcp));
                    let removed = table.find(&key, table.hash(&key)).and_then(|flow| table.remove(flow));
                    let at = plain.iter().position(|session| session.key == key);
                    prop_assert_eq!(removed.map(|session| session.decision), at.map(|at| plain.remove(at).decision));
                }
                Step::Wait { seconds } => {
                    let until = now + Duration::from_microseconds(1_000_000 * seconds);
                    while let Some(deadline) = table.deadline().filter(|deadline| *deadline <= until) {
                        now = now.max(deadline);
                        table.expire(now, &mut |session, why| told.push((session.decision, why)));
                    }
                    now = until;
                    table.expire(now, &mut |session, why| told.push((session.decision, why)));
                    prop_assert!(told.iter().all(|(_, why)| *why == Ended::TimedOut));
                    let told: Vec<u32> = told.into_iter().map(|(decision, _)| decision).collect();
                    for session in std::mem::take(&mut plain) {
                        // A session ends with the tick after its time, and never before.
                        let tick = Duration::from_microseconds(1_000_000);
                        if told.contains(&session.decision) {
                            prop_assert!(session.ends() <= now);
                        } else {
                            prop_assert!(session.ends() + tick > now);
                            plain.push(session);
                        }
                    }
                }
            }
            prop_assert_eq!(table.len(), plain.len());
            for session in &plain {
                let keys = [session.key, session.key.reversed()];
                prop_assert_eq!(keys.map(|key| table.find(&key, table.hash(&key))), [Some(session.flow), Some(session.flow.reply())]);
                prop_assert_eq!(table.get(session.flow).map(|found| found.decision), Some(session.decision));
            }
            for owner in 0..4 {
                let count = plain.iter().filter(|session| session.owner == owner).count();
                prop_assert_eq!(table.of_vnic(owner) as usize, count);
            }
        }
    }
}

#[test]
fn a_flow_id_of_a_session_that_ended_is_found_out() {
    let mut table = table();
    let mut nobody = |_, _| panic!("nothing ends");
    let flow = table.insert(seconds(1), new(1, protocol::UDP, 0, 1), &mut nobody).expect("room");
    assert!(table.is_flow(flow, &key(1, protocol::UDP)));
    assert!(table.is_flow(flow.reply(), &key(1, protocol::UDP).reversed()));
    assert!(!table.is_flow(flow.reply(), &key(1, protocol::UDP)));
    assert_eq!(table.remove(flow).map(|session| session.decision), Some(1));
    assert!(!table.is_flow(flow, &key(1, protocol::UDP)));
    let other = table.insert(seconds(1), new(2, protocol::UDP, 0, 2), &mut nobody).expect("room");
    assert_eq!(flow, other, "the slot is used again");
    assert!(!table.is_flow(flow, &key(1, protocol::UDP)));
}
