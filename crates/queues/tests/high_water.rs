//! High-water marks: the most bytes that waited at a port at once.

use basis::{Duration, Instant, Rate};
use node::{Outbox, Port};
use queues::{BufferPlan, DisciplinePlan, OutputQueues, PortPlan, Straight};
use wire::Packet;

const IN: Port = Port(0);
const OUT: Port = Port(1);
const RATE: Rate = Rate::from_gigabits_per_second(100);
const FRAMING: u32 = 24;

#[test]
fn the_mark_stays_when_the_queue_drains_and_counts_only_what_waited() {
    let discipline = DisciplinePlan::DropTail { limit: 1_000_000 };
    let port = PortPlan { rate: RATE, framing: FRAMING, is_last_hop: true, discipline };
    let mut queues = OutputQueues::new(vec![port.clone(), port], &BufferPlan::default(), 1);
    let (mut out, mut now) = (Outbox::default(), Instant::ZERO);
    let mut offer = |queues: &mut OutputQueues, now| {
        out.begin(now);
        queues.offer(now, [IN, OUT], Packet::of_bytes(&[0; 1000]), &mut Straight(&mut Vec::new()), &mut out);
    };
    offer(&mut queues, now);
    assert_eq!(queues.high_water(OUT), Some(0), "the line was free");
    offer(&mut queues, now);
    offer(&mut queues, now);
    assert_eq!(queues.high_water(OUT), Some(2 * 1024));
    let mut out = Outbox::default();
    for _ in 0..3 {
        now += Duration::from_microseconds(1);
        out.begin(now);
        queues.ready(now, OUT, &mut Straight(&mut Vec::new()), &mut out);
    }
    assert_eq!((queues.held(), queues.high_water(OUT), queues.high_water(IN)), (0, Some(2 * 1024), Some(0)));
    assert_eq!(queues.high_water(Port(9)), None, "there is no such port");
}
