//! Every packet that is offered is either still held or has been taken, discarded or returned exactly once.

mod common;

use std::collections::BTreeSet;

use basis::{Duration, Instant, Random, Rate, snapshot};
use common::*;
use node::Port;
use proptest::prelude::*;
use queues::{
    Arriving, BufferPlan, ClassPlan, Decision, Discipline, DisciplineParameters, DisciplinePlan, FlowControlPlan,
    Lanes, Leaving, RedPlan, Refusals, Returns, Service, TrimmedQueue, TrimmingPlan, Victim, dscp, reasons,
};
use wire::{Packet, PriorityPause};

/// A discipline of three lanes that decides at random.
#[derive(Clone, Debug)]
struct AtRandom(u64);

impl DisciplineParameters for AtRandom {
    fn discipline(&self, _rate: Rate) -> Box<dyn Discipline> {
        Box::new(Decider { room: self.0, random: Random::new(self.0) })
    }
}

#[derive(Debug)]
struct Decider {
    room: u64,
    random: Random,
}

impl Decider {
    fn decision(&mut self) -> Decision {
        match self.random.below(8) {
            0 => Decision::Mark,
            1 => Decision::MarkOrDrop(reasons::RANDOM_EARLY_DETECTION),
            2 => Decision::Drop(reasons::QUEUE_FULL),
            _ => Decision::Pass,
        }
    }
}

impl Discipline for Decider {
    fn lanes(&self) -> usize {
        3
    }

    fn lane(&self, packet: &Arriving) -> usize {
        packet.bytes as usize % 5
    }

    fn room(&self, _lane: usize) -> u64 {
        self.room
    }

    fn arrives(&mut self, _packet: &Arriving, _lanes: &dyn Lanes, _random: &mut Random) -> Decision {
        self.decision()
    }

    fn next(&mut self, _lanes: &dyn Lanes) -> usize {
        self.random.below(5) as usize
    }

    fn leaves(&mut self, _packet: &Leaving, _lanes: &dyn Lanes, _random: &mut Random) -> Decision {
        self.decision()
    }
}

snapshot!(Decider { values random; });

fn simple() -> impl Strategy<Value = DisciplinePlan> {
    let room = 0..20_000u64;
    prop_oneof![
        room.clone().prop_map(|limit| DisciplinePlan::DropTail { limit }),
        (room.clone(), room.clone()).prop_map(|(limit, threshold)| DisciplinePlan::Ecn { limit, threshold }),
        (room.clone(), 1..9_000u64).prop_map(|(limit, minimum)| {
            DisciplinePlan::of(RedPlan { weight: 0.5, probability: 0.3, ..RedPlan::new(minimum, limit) })
        }),
        room.prop_map(|room| DisciplinePlan::of(AtRandom(room))),
        trimming(),
    ]
}

fn trimming() -> impl Strategy<Value = DisciplinePlan> {
    let room = 0..10_000u64;
    let service = prop_oneof![
        (1..20u32, 1..20u32).prop_map(|(headers, data)| Service::Bytes { headers, data }),
        (1..20u32, 1..20u32).prop_map(|(headers, data)| Service::Packets { headers, data }),
        Just(Service::Strict),
    ];
    let trimmed = prop_oneof![
        (0..20_000u64).prop_map(|limit| TrimmedQueue::Same { limit }),
        (0..1_000u64, service).prop_map(|(limit, service)| TrimmedQueue::Priority { limit, service }),
    ];
    let returns = prop_oneof![
        Just(Returns::Never),
        Just(Returns::WhenFull),
        room.clone().prop_map(|watermark| Returns::Above { watermark })
    ];
    let victim = prop_oneof![Just(Victim::Arriving), Just(Victim::ArrivingOrTail)];
    (room, trimmed, returns, victim, 0..200u32).prop_map(|(data, trimmed, returns, victim, trim_size)| {
        DisciplinePlan::Trimming(Box::new(TrimmingPlan {
            trimmed,
            returns,
            victim,
            trim_size,
            ..TrimmingPlan::ndp(data)
        }))
    })
}

fn discipline() -> impl Strategy<Value = DisciplinePlan> {
    let classes = || prop::collection::vec(simple(), 1..4);
    prop_oneof![
        3 => simple(),
        1 => classes().prop_map(|classes| DisciplinePlan::StrictPriorities { map: Default::default(), classes }),
        1 => prop::collection::vec((1..9u32, simple()), 1..4).prop_map(|classes| {
            let classes = classes.into_iter().map(|(weight, discipline)| ClassPlan { weight, discipline }).collect();
            DisciplinePlan::WeightedFair { map: Default::default(), classes }
        }),
    ]
}

fn buffer() -> impl Strategy<Value = BufferPlan> {
    let flow_control = (any::<u8>(), 0..9_000u64, 0..9_000u64).prop_map(|(lossless, xoff, headroom)| FlowControlPlan {
        xoff,
        xon: xoff / 2,
        headroom,
        ..FlowControlPlan::new(lossless, 0, rate(), Duration::ZERO, 0)
    });
    (prop::option::of(0..40_000u64), 0.05..8.0, prop::option::of(flow_control))
        .prop_map(|(total, alpha, flow_control)| BufferPlan { total, alpha, flow_control, cells: None })
}

#[derive(Clone, Debug)]
enum Step {
    Offer { from: u16, to: u16, dscp: u8, ecn: u8, length: usize, is_ip: bool },
    Take { port: u16 },
    Pause { port: u16, quanta: u16 },
    Wait { nanoseconds: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let dscp =
        prop::sample::select(vec![dscp::DATA, dscp::CONTROL, dscp::TRIMMED, dscp::RETURNED, 8, 24, 63, dscp::DATA]);
    let offer = (0..3u16, 0..4u16, dscp, 0..4u8, 54..2_000usize, prop::bool::weighted(0.95));
    prop_oneof![
        6 => offer.prop_map(|(from, to, dscp, ecn, length, is_ip)| Step::Offer { from, to, dscp, ecn, length, is_ip }),
        4 => (0..4u16).prop_map(|port| Step::Take { port }),
        1 => (0..4u16, prop_oneof![Just(0u16), 1..400u16]).prop_map(|(port, quanta)| Step::Pause { port, quanta }),
        1 => (0..2_000u64).prop_map(|nanoseconds| Step::Wait { nanoseconds }),
    ]
}

fn offered(id: u64, dscp: u8, ecn: u8, length: usize, is_ip: bool) -> Packet {
    let mut packet = packet(dscp, ecn, length);
    packet.sidecar.id = id;
    if !is_ip {
        packet.head.bytes_mut()[12] = 0x99;
    }
    packet
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn packets_are_conserved(
        discipline in discipline(),
        buffer in buffer(),
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..150),
    ) {
        let plan = queues::PortPlan { rate: rate(), framing: FRAMING, is_last_hop: false, discipline };
        let mut manager = queues::TrafficManager::new(vec![plan; 3], &buffer, seed);
        let mut now = Instant::ZERO;
        let mut refusals = Refusals::default();
        let (mut inside, mut ended) = (BTreeSet::new(), BTreeSet::new());
        // A packet that leaves must have been offered and must not have left before, and its header must be valid.
        let mut end = |inside: &mut BTreeSet<u64>, packet: &Packet| {
            prop_assert!(inside.remove(&packet.sidecar.id) && ended.insert(packet.sidecar.id));
            if packet.head.bytes()[12] == 8 {
                prop_assert_eq!(ipv4(packet).is_checksum_right(), Some(true));
                prop_assert_eq!(usize::from(ipv4(packet).total_length()), packet.len() - 14);
            }
            Ok(())
        };
        for (id, step) in steps.into_iter().enumerate() {
            match step {
                Step::Offer { from, to, dscp, ecn, length, is_ip } => {
                    inside.insert(id as u64);
                    manager.offer(now, Port(from), Port(to), offered(id as u64, dscp, ecn, length, is_ip), &mut refusals);
                }
                Step::Take { port } => {
                    let taken = manager.take(now, Port(port), &mut refusals);
                    taken.iter().try_for_each(|packet| end(&mut inside, packet))?;
                }
                Step::Pause { port, quanta } => {
                    manager.pause(now, Port(port), &PriorityPause::frame([0; 6], [Some(quanta); 8]));
                }
                Step::Wait { nanoseconds } => now += Duration::from_nanoseconds(nanoseconds),
            }
            refusals.discarded.drain(..).try_for_each(|(packet, _)| end(&mut inside, &packet))?;
            refusals.returned.drain(..).try_for_each(|packet| end(&mut inside, &packet))?;
            let lengths: Vec<_> = (0..3).map(|port| manager.length(Port(port))).collect();
            prop_assert_eq!(inside.len() as u64, manager.held());
            prop_assert_eq!(lengths.iter().map(|length| length.packets).sum::<u64>(), manager.held());
            prop_assert_eq!(lengths.iter().map(|length| length.bytes).sum::<u64>(), manager.held_bytes());
        }
        // In the end every packet can be taken: no pause lasts for ever, and no packet is forgotten inside.
        now += Duration::from_microseconds(1_000_000);
        for port in (0..3).map(Port) {
            while let Some(packet) = manager.take(now, port, &mut refusals) {
                end(&mut inside, &packet)?;
            }
            prop_assert!(!manager.has_waiting(now, port));
        }
        refusals.discarded.drain(..).try_for_each(|(packet, _)| end(&mut inside, &packet))?;
        prop_assert!(inside.is_empty());
        prop_assert_eq!((manager.held(), manager.held_bytes()), (0, 0));
    }
}
