//! The processing between queue and link may drop a packet; the link then takes the next one.

use basis::{Duration, Instant, Rate};
use node::{Outbox, Port, Reason};
use queues::{Behind, BufferPlan, DisciplinePlan, OutputQueues, PortPlan, TrafficManager};
use wire::Packet;

const OUT: Port = Port(0);
const RATE: Rate = Rate::from_gigabits_per_second(100);

/// An egress that drops packets of up to 1000 bytes, makes the others one byte longer, and records what it saw.
#[derive(Default)]
struct Egress {
    /// The length of each packet, and how many packets waited behind it.
    seen: Vec<(usize, u64)>,
    refused: Vec<(usize, Reason)>,
}

impl Behind<Packet> for Egress {
    fn leave(
        &mut self,
        _now: Instant,
        port: Port,
        packet: Packet,
        queues: &TrafficManager,
        _out: &mut Outbox,
    ) -> Option<Packet> {
        self.seen.push((packet.len(), queues.length(port).packets));
        (packet.len() > 1000).then(|| Packet::of_bytes(&vec![0; packet.len() + 1]))
    }

    fn refuse(&mut self, packet: Packet, reason: Reason, _out: &mut Outbox) {
        self.refused.push((packet.len(), reason));
    }

    fn turn_back(&mut self, _port: Port, _packet: Packet, _out: &mut Outbox) {
        unreachable!("drop-tail returns nothing");
    }
}

#[test]
fn link_takes_the_next_packet_after_an_egress_drop() {
    let port =
        PortPlan { rate: RATE, framing: 24, is_last_hop: true, discipline: DisciplinePlan::DropTail { limit: 5000 } };
    let mut queues = OutputQueues::new(vec![port], &BufferPlan::default(), 1);
    let (mut egress, mut out) = (Egress::default(), Outbox::default());
    for length in [1200, 64, 65, 1300, 66, 4000] {
        let packet = Packet::of_bytes(&vec![0; length]);
        queues.offer(Instant::ZERO, [Port(7), OUT], packet, &mut egress, &mut out);
    }
    // The link is busy for the length of the packet that was transmitted, not of the one that was queued.
    let free = Instant::ZERO + RATE.time_of(1201 + 24);
    assert_eq!(std::mem::take(&mut out.readies), [(OUT, free)]);
    out.begin(free);
    queues.ready(free, OUT, &mut egress, &mut out);
    let last = free + RATE.time_of(1301 + 24);
    assert_eq!(std::mem::take(&mut out.readies), [(OUT, last)]);
    out.begin(last);
    queues.ready(last, OUT, &mut egress, &mut out);
    let lengths: Vec<usize> = out.transmissions.iter().map(|sent| sent.packet.len()).collect();
    assert_eq!(lengths, [1201, 1301]);
    assert_eq!(egress.seen, [(1200, 0), (64, 3), (65, 2), (1300, 1), (66, 0)]);
    assert_eq!(egress.refused, [(4000, queues::reasons::QUEUE_FULL)]);
    // The last packet was dropped, and nothing waits: the port need not be called again.
    assert!(queues.held() == 0 && out.readies.is_empty());
}

/// The link of packets of 1300 bytes, and when each of the remaining packets was to leave.
fn called_late_by(lateness: Duration) -> (Duration, Vec<Instant>) {
    let rate = Rate::from_bits_per_second(10_000_000);
    let port =
        PortPlan { rate, framing: 24, is_last_hop: true, discipline: DisciplinePlan::DropTail { limit: 100_000 } };
    let mut queues = OutputQueues::new(vec![port], &BufferPlan::default(), 1);
    let (mut egress, mut out) = (Egress::default(), Outbox::default());
    for _ in 0..4 {
        queues.offer(Instant::ZERO, [Port(7), OUT], Packet::of_bytes(&[0; 1300]), &mut egress, &mut out);
    }
    let mut asked = Vec::new();
    while let Some((_, at)) = out.readies.pop() {
        asked.push(at);
        let now = at.max(asked[0] + lateness);
        out.begin(now);
        queues.ready(now, OUT, &mut egress, &mut out);
    }
    (rate.time_of(1301 + 24), asked)
}

#[test]
fn a_link_keeps_its_rate_if_it_is_called_late() {
    let (time, asked) = called_late_by(Duration::from_microseconds(3000));
    let kept: Vec<Instant> = (1..=3).map(|number| Instant::ZERO + time.times(number)).collect();
    assert_eq!(asked, kept, "as if no call had been late");
}

#[test]
fn a_link_does_not_make_up_for_a_long_pause() {
    let lateness = Duration::from_microseconds(1_000_000);
    let (time, asked) = called_late_by(lateness);
    let start = asked[0] + lateness;
    assert_eq!(asked[0], Instant::ZERO + time);
    assert!(asked[1] < start && asked[1] > asked[0] + Duration::from_microseconds(970_000), "{asked:?}");
}
