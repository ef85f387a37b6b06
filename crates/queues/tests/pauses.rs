//! The order and the times in which the pause frames of a switch leave.

use basis::{Duration, Instant, Rate};
use node::{Outbox, Port};
use queues::{BufferPlan, DisciplinePlan, FlowControlPlan, OutputQueues, PortPlan, Straight};
use wire::{Packet, PriorityPause};

const IN: Port = Port(0);
const OUT: Port = Port(1);
const RATE: Rate = Rate::from_gigabits_per_second(100);

/// Returns the queues of two ports, with a pause as soon as one packet waits.
fn queues() -> OutputQueues {
    let discipline = DisciplinePlan::DropTail { limit: 0 };
    let port = PortPlan { rate: RATE, framing: 24, is_last_hop: true, discipline };
    let flow_control = FlowControlPlan::new(1, 1000, RATE, Duration::ZERO, 1524);
    OutputQueues::new(
        vec![port.clone(), port],
        &BufferPlan { flow_control: Some(flow_control), ..Default::default() },
        1,
    )
}

/// Returns what was transmitted, oldest first: the port, and for pause frames the duration in quanta.
fn sent(out: &mut Outbox) -> Vec<(Port, Option<u16>)> {
    let quanta = |packet: &Packet| PriorityPause::of(packet).and_then(|pause| pause.quanta(0));
    out.transmissions.drain(..).map(|sent| (sent.port, quanta(&sent.packet))).collect()
}

fn offer(queues: &mut OutputQueues, now: Instant, out: &mut Outbox) {
    out.begin(now);
    queues.offer(now, [IN, OUT], Packet::of_bytes(&[0; 1500]), &mut Straight(&mut Vec::new()), out);
}

fn pause(quanta: u16) -> Packet {
    PriorityPause::frame([2, 0, 0, 0, 0, 9], [Some(quanta), None, None, None, None, None, None, None])
}

/// The frames once left in the opposite order, so that the peer paused although nothing waited here.
#[test]
fn a_pause_frame_precedes_its_own_resume() {
    let (mut queues, mut out) = (queues(), Outbox::default());
    // The packet exceeds the threshold and leaves in one call.
    offer(&mut queues, Instant::ZERO, &mut out);
    assert_eq!(sent(&mut out), [(OUT, None), (IN, Some(u16::MAX))]);
    let &[(port, free)] = &out.readies[..] else { panic!("{:?}", out.readies) };
    assert_eq!((port, free), (IN, Instant::ZERO + RATE.time_of(84)));
    assert_eq!((queues.held(), queues.generated()), (1, 2));
    out.begin(free);
    queues.ready(free, IN, &mut Straight(&mut Vec::new()), &mut out);
    assert_eq!(sent(&mut out), [(IN, Some(0))]);
    assert_eq!(queues.held(), 0);
}

/// The end of a pause once was not sent before the next event at the switch.
#[test]
fn a_resumed_queue_ends_the_pause_that_it_caused() {
    let (mut queues, mut out) = (queues(), Outbox::default());
    assert!(queues.obey(Instant::ZERO, OUT, pause(u16::MAX), &mut Straight(&mut Vec::new()), &mut out).is_none());
    offer(&mut queues, Instant::ZERO, &mut out);
    assert_eq!(sent(&mut out), [(IN, Some(u16::MAX))]);
    assert_eq!(queues.length(OUT).packets, 1);
    let later = Instant::from_microseconds(1);
    out.begin(later);
    assert!(queues.obey(later, OUT, pause(0), &mut Straight(&mut Vec::new()), &mut out).is_none());
    assert_eq!(sent(&mut out), [(OUT, None), (IN, Some(0))]);
    assert_eq!((queues.held(), queues.generated(), queues.consumed()), (0, 2, 2));
}

#[test]
fn a_pause_expires_by_itself() {
    let (mut queues, mut out) = (queues(), Outbox::default());
    queues.obey(Instant::ZERO, OUT, pause(1000), &mut Straight(&mut Vec::new()), &mut out);
    offer(&mut queues, Instant::ZERO, &mut out);
    // 1000 quanta of 512 bits.
    let end = Instant::from_picoseconds(5_120_000);
    assert!(out.readies.contains(&(OUT, end)), "{:?}", out.readies);
    sent(&mut out);
    out.begin(end);
    queues.ready(end, OUT, &mut Straight(&mut Vec::new()), &mut out);
    assert_eq!(sent(&mut out), [(OUT, None), (IN, Some(0))]);
}
