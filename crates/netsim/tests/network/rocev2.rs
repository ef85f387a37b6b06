//! RoCEv2 over every queue discipline, with flow control and without, and DCQCN at a bottleneck.

use basis::{Duration, Instant, Rate};
use demand::{AllToAll, Application, Wanted};
use netsim::Simulation;
use node::{Link, Reason};
use queues::{BufferPlan, DisciplinePlan, FlowControlPlan, RedPlan, Spacing};
use transports::rocev2::{Dcqcn, Recovery, RoceV2Parameters};

use crate::test_network::{Carrier, TestNetwork, assert_settled, counter, counter_of, disciplines, run_to, topology};
use crate::watch::Watch;

/// The approximate bytes of a full packet on the link.
const PACKET: u64 = 1024 + 58 + 24;

/// The packet length from which queues are sized, as in the tests of other transports: they hold a few times as many
/// bytes, which is some 60 packets.
const ROOM: u64 = 9024;

fn parameters(recovery: Recovery, dcqcn: Option<Dcqcn>) -> RoceV2Parameters {
    // Each host has its own link.
    let link = Link::new(Rate::from_gigabits_per_second(100), Link::ETHERNET_FRAMING);
    RoceV2Parameters { dcqcn, ..RoceV2Parameters::new(link, recovery) }
}

fn red(limit: u64) -> DisciplinePlan {
    // The parameters of DCQCN's switches (in its paper from 5 KB to 200 KB, 1 %).
    let marks = RedPlan { maximum: 200_000, probability: 0.01, weight: 1.0, ..RedPlan::new(5000, limit) };
    DisciplinePlan::of(RedPlan { spacing: Spacing::Geometric, ..marks })
}

fn all_to_all(discipline: DisciplinePlan, parameters: RoceV2Parameters, is_lossless: bool) -> (Simulation, Watch) {
    let mut plan = TestNetwork {
        carrier: Carrier::RoceV2(parameters),
        ..TestNetwork::new(topology("leaf-spine:leaves=2,spines=2,hosts=3"))
    };
    plan.discipline = discipline;
    if is_lossless {
        let rate = Rate::from_gigabits_per_second(100);
        let delay = Duration::from_microseconds(1);
        let flow_control = FlowControlPlan::new(1, 8 * PACKET, rate, delay, PACKET as u32 + 20);
        plan.buffer = BufferPlan { flow_control: Some(flow_control), ..BufferPlan::default() };
    }
    let (simulation, watch) = plan.run(AllToAll { bytes: 30_000, outstanding: 0 });
    assert_eq!(watch.assert_finished().0, 30);
    assert_settled(&simulation, plan.topology.stations.len());
    (simulation, watch)
}

#[test]
fn every_queue_discipline_carries_all_to_all() {
    for discipline in disciplines(ROOM) {
        for recovery in [Recovery::GoBackN, Recovery::SelectiveRepeat] {
            for dcqcn in [None, Some(Dcqcn::default())] {
                // A host that restarts after each loss may need many attempts.
                let patient = RoceV2Parameters { retries: 100, ..parameters(recovery, dcqcn) };
                let (_, watch) = all_to_all(discipline.clone(), patient, false);
                // Trimmed and returned packets are malformed for a transport without trimming.
                watch.assert_discarded_only(&[
                    queues::reasons::QUEUE_FULL,
                    queues::reasons::TRIMMED_QUEUE_FULL,
                    queues::reasons::RANDOM_EARLY_DETECTION,
                    Reason::MALFORMED,
                ]);
            }
        }
    }
}

#[test]
fn flow_control_prevents_losses_and_retransmissions() {
    for discipline in disciplines(ROOM) {
        if matches!(discipline, DisciplinePlan::Trimming(_)) {
            continue;
        }
        for dcqcn in [None, Some(Dcqcn::default())] {
            let (simulation, watch) = all_to_all(discipline.clone(), parameters(Recovery::GoBackN, dcqcn), true);
            watch.assert_discarded_only(&[]);
            assert_eq!(counter(&simulation, 6, "retransmissions") + counter(&simulation, 6, "timeouts"), 0);
            assert!(counter(&simulation, 10, "SAI_PORT_STAT_PFC_0_TX_PKTS") > 0);
        }
    }
}

/// An application that wants one message at a given time.
struct Once(Option<(Instant, Wanted)>);

impl Application for Once {
    fn deadline(&self) -> Option<Instant> {
        self.0.as_ref().map(|(at, _)| *at)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        if let Some((_, want)) = self.0.take_if(|(at, _)| *at <= now) {
            wanted.push(want);
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.0.iter().len() as u64)
    }
}

#[test]
fn a_late_dcqcn_flow_gets_its_fair_share() {
    let mut plan = TestNetwork::new(topology("dumbbell:left=2,right=2,bottleneck=10G/1us"));
    plan.carrier = Carrier::RoceV2(parameters(Recovery::GoBackN, Some(Dcqcn::default())));
    plan.discipline = red(10_000_000);
    let hosts = plan.topology.hosts();
    let applications = (0..4usize).map(|host| {
        let wanted = Wanted::of_length(hosts[(host + 2) % 4].address, 1 << 32);
        let begins = Instant::from_microseconds(2000 * host as u64);
        Box::new(Once((host < 2).then_some((begins, wanted)))) as Box<dyn Application>
    });
    let mut simulation = plan.simulation_with(applications.collect());
    let mut watch = Watch::default();
    let mut received = |at: u64| {
        run_to(&mut simulation, at, &mut watch);
        [2, 3].map(|host| counter_of(&simulation, host, "data_packets_received"))
    };
    let before = received(30_000);
    let after = received(60_000);
    let [first, second] = [0, 1].map(|flow| (after[flow] - before[flow]) as f64);
    watch.assert_discarded_only(&[]);
    // Jain's fairness index, and the utilisation of the link.
    let jain = (first + second) * (first + second) / (2.0 * (first * first + second * second));
    assert!(jain > 0.95, "{first} and {second} packets");
    let at_line_rate = Rate::from_gigabits_per_second(10).bytes_in(Duration::from_microseconds(30_000)) as f64;
    assert!((first + second) * PACKET as f64 > 0.9 * at_line_rate, "{first} and {second} packets");
}

basis::snapshot!(Once {});
