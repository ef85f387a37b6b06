//! A port that reports transmissions late sends the same packets at the same times as one that reports at once.

mod common;

use std::collections::BTreeSet;

use basis::{Duration, Instant, Random};
use common::*;
use node::{Counter, Outbox, Port, Reason};
use proptest::prelude::*;
use queues::{BufferPlan, DisciplinePlan, OutputQueues, PortPlan, Service, Straight, TrimmedQueue, TrimmingPlan, dscp};
use wire::Packet;

const PORTS: u16 = 2;

/// Queues with links, and what has become of their packets.
struct Driven {
    queues: OutputQueues,
    out: Outbox,
    returned: Vec<(Port, Packet)>,
    /// The times for which ports have asked.
    asked: BTreeSet<(Instant, Port)>,
    calls: usize,
    /// The packets that have begun: when, where and which.
    sent: Vec<(Instant, Port, u64)>,
    discarded: Vec<(u64, Reason)>,
}

impl Driven {
    fn new(discipline: &DisciplinePlan) -> Self {
        let port = PortPlan { rate: rate(), framing: FRAMING, is_last_hop: false, discipline: discipline.clone() };
        Self {
            queues: OutputQueues::new(vec![port; PORTS.into()], &BufferPlan::default(), 7),
            out: Outbox::default(),
            returned: Vec::new(),
            asked: BTreeSet::new(),
            calls: 0,
            sent: Vec::new(),
            discarded: Vec::new(),
        }
    }

    fn collect(&mut self) {
        let sent = self.out.transmissions.drain(..).map(|sent| (sent.at, sent.port, sent.packet.sidecar.id));
        self.sent.extend(sent);
        self.discarded.extend(self.out.discarded.drain(..).map(|lost| (lost.packet.sidecar.id, lost.reason)));
        self.asked.extend(self.out.readies.drain(..).map(|(port, at)| (at, port)));
    }

    /// Makes all calls for which ports have asked up to and with `until`.
    fn run(&mut self, until: Instant) {
        while let Some((at, port)) = self.asked.first().copied().filter(|&(at, _)| at <= until) {
            self.asked.pop_first();
            self.calls += 1;
            self.out.begin(at);
            self.queues.ready(at, port, &mut Straight(&mut self.returned), &mut self.out);
            self.collect();
        }
    }

    fn offer(&mut self, now: Instant, to: Port, packet: Packet) {
        self.run(now);
        self.out.begin(now);
        self.queues.offer(now, [Port(5), to], packet, &mut Straight(&mut self.returned), &mut self.out);
        self.collect();
    }

    fn report_late(&mut self, now: Instant, by: Duration) {
        self.run(now);
        if by == Duration::ZERO {
            self.asked.clear();
        }
        self.out.begin(now);
        for port in (0..PORTS).map(Port) {
            assert!(self.queues.may_report_late(port));
            self.queues.report_late(now, port, by, &mut Straight(&mut self.returned), &mut self.out);
            self.collect();
        }
    }

    /// Returns everything that can be seen, with packets in the order in which they began.
    fn seen(&mut self) -> impl PartialEq + std::fmt::Debug + use<> {
        self.sent.sort_unstable();
        let mut counters: Vec<Counter> = Vec::new();
        self.queues.counters(&mut |counter| counters.push(counter));
        let high_water = [0, 1].map(|port| self.queues.high_water(Port(port)));
        let returned: Vec<_> = self.returned.iter().map(|(port, packet)| (*port, packet.sidecar.id)).collect();
        (self.sent.clone(), self.discarded.clone(), returned, counters, high_water, self.queues.held())
    }
}

fn disciplines() -> [DisciplinePlan; 5] {
    let strict = TrimmedQueue::Priority { limit: 3000, service: Service::Strict };
    let trimming = |plan: TrimmingPlan| DisciplinePlan::Trimming(Box::new(plan));
    [
        DisciplinePlan::DropTail { limit: 9000 },
        DisciplinePlan::Ecn { limit: 9000, threshold: 3000 },
        trimming(TrimmingPlan::ndp(9000)),
        trimming(TrimmingPlan { trimmed: strict, ..TrimmingPlan::ndp(6000) }),
        trimming(TrimmingPlan { trimmed: TrimmedQueue::Same { limit: 12_000 }, ..TrimmingPlan::ndp(6000) }),
    ]
}

proptest! {
    #[test]
    fn the_same_packets_leave_at_the_same_times(
        seed in any::<u64>(), which in 0..5_usize, by in 1..2_000_000_u64, mean in 1..400_000_u64,
    ) {
        let discipline = &disciplines()[which];
        let (mut prompt, mut late) = (Driven::new(discipline), Driven::new(discipline));
        let mut random = Random::new(seed);
        let mut now = Instant::ZERO;
        late.report_late(now, Duration::from_picoseconds(by));
        for id in 1..200 {
            // Often exactly when a packet of 1500 bytes has left, or at the time of the packet before.
            now += match random.below(4) {
                0 => rate().time_of(1500 + u64::from(FRAMING)),
                1 => Duration::ZERO,
                _ => Duration::from_picoseconds(random.below(2 * mean)),
            };
            let code = if random.below(3) == 0 { dscp::CONTROL } else { 0 };
            let length = if random.below(3) == 0 { 1500 } else { 60 + random.below(1400) as usize };
            let to = Port(random.below(u64::from(PORTS)) as u16);
            for driven in [&mut prompt, &mut late] {
                driven.offer(now, to, numbered(id, code, length));
            }
            if random.below(50) == 0 {
                // Whoever looks finds no difference once the late one has reported everything.
                prompt.run(now);
                late.report_late(now, Duration::ZERO);
                prop_assert_eq!(prompt.seen(), late.seen());
                prop_assert_eq!(&prompt.asked, &late.asked);
                late.report_late(now, Duration::from_picoseconds(by));
            }
        }
        prompt.run(Instant::MAX);
        late.run(Instant::MAX);
        prop_assert_eq!(prompt.seen(), late.seen());
        prop_assert_eq!(late.queues.held(), 0);
    }
}

/// Ten packets that wait are reported by few calls: that is what late reports are for.
#[test]
fn a_port_that_reports_late_is_called_more_rarely() {
    let calls = [Duration::ZERO, Duration::from_microseconds(1)].map(|by| {
        let mut driven = Driven::new(&DisciplinePlan::DropTail { limit: 1_000_000 });
        driven.report_late(Instant::ZERO, by);
        (0..11).for_each(|id| driven.offer(Instant::ZERO, OUT, numbered(id, 0, 1500)));
        driven.run(Instant::MAX);
        assert_eq!(driven.sent.len(), 11);
        driven.calls
    });
    // 1524 bytes take 122 ns: eight further packets begin within a microsecond of the second one.
    assert_eq!(calls, [10, 2]);
}
