//! The time that packets take in a chip, and what waits in it.

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters, reasons};
use measure::{Event, Interest};
use node::{Control, Course, Discarded, Limit, Node, Offered, Port, Reason, Sink, Station, Transmission};
use wire::Packet;

use crate::bench::{ACTOR, Bench, Order, chip_with, flag};

/// A clock of 1 GHz; 10 ns in each gress, 5 ns to the queue.
const SHORT: &str = "clock = \"1 GHz\"\n[latency]\ningress_parser = \"0 ns\"\ningress = \"10 ns\"\ningress_deparser = \"0 ns\"\n\
    traffic_manager = \"5 ns\"\negress_parser = \"0 ns\"\negress = \"10 ns\"\negress_deparser = \"0 ns\"\n";

/// Returns a chip whose file has such a text, behind what makes everything short.
fn chip(text: &str) -> Bench {
    let (first, rest) = SHORT.split_once('\n').unwrap();
    let settings = ChipSettings::parse("chip.toml", &format!("{first}\n{text}\n{rest}"));
    let settings = settings.unwrap_or_else(|failure| panic!("{failure}"));
    Bench::with(TofinoParameters { chip: Some(settings), rounds: 10, ..TofinoParameters::default() })
}

/// What has left a chip: port and time in nanoseconds, and why the others did not.
#[derive(Debug, Default)]
struct Left {
    sent: Vec<(u16, u64)>,
    packets: Vec<Packet>,
    lost: Vec<Reason>,
}

impl Sink for Left {
    fn transmitted(&mut self, transmission: Transmission) {
        self.sent.push((transmission.port.0, transmission.at.picoseconds() / 1000));
        self.packets.push(transmission.packet);
    }

    fn discarded(&mut self, _at: Instant, discarded: Discarded) {
        self.lost.push(discarded.reason);
    }

    fn event(&mut self, _at: Instant, _event: Event) {}
}

/// A packet of so many bytes at a time in nanoseconds.
fn offered(at: u64, port: u16, order: Order, length: usize) -> Offered {
    let packet = Packet::of_bytes(&order.packet(length - Order::LENGTH));
    Offered { at: Instant::ZERO + Duration::from_nanoseconds(at), port: Port(port), packet }
}

fn run(bench: &mut Bench, packets: Vec<Offered>) -> Left {
    let mut left = Left::default();
    machines::drive(&mut bench.chip, packets, Interest::default(), &mut left).unwrap_or_else(|still| panic!("{still}"));
    let account = bench.chip.account();
    assert_eq!(account.held, 0);
    left
}

/// The bytes that ingress of the test's program puts in front.
const SEEN: usize = 12;

#[test]
fn a_packet_takes_the_time_of_each_part() {
    let mut bench = chip("");
    let left = run(&mut bench, vec![offered(100, 0, Order { port: 4, ..Order::default() }, 80)]);
    assert_eq!(left.sent, [(4, 100 + 10 + 5 + 10)]);
}

#[test]
fn a_link_carries_one_packet_after_the_other() {
    let mut bench = chip("[[port]]\nports = [0, 4]\nrate = \"1 Gb/s\"");
    let order = Order { port: 4, ..Order::default() };
    let left = run(&mut bench, vec![offered(100, 0, order, 80), offered(200, 0, order, 80)]);
    // 24 bytes of framing; 8 ns a byte.
    let on_line = 8 * (80 + SEEN as u64 + 24);
    assert_eq!(left.sent, [(4, 125), (4, 125 + on_line)]);
}

/// A link once lost the rest of the cycle that was under way at the end of each packet: packets of 96 bytes, 24 bytes
/// around each, took 10 ns at 100 Gb/s and not 9.6.
#[test]
fn a_link_carries_its_rate_whatever_the_clock() {
    let mut bench = chip("");
    let order = Order { port: 4, ..Order::default() };
    let left = run(&mut bench, (0..100).map(|number| offered(100 + number / 10, 0, order, 96 - SEEN)).collect());
    let [first, last] = [left.sent[0].1, left.sent[99].1];
    assert_eq!((first, last), (125, 125 + 99 * 96 / 10));
}

/// Deflected packets that egress drops once left their queue at the clock of the chip, however slow their port.
#[test]
fn packets_that_egress_drops_take_the_rate_of_their_port() {
    let mut bench = chip("[[port]]\nports = [0, 4]\nrate = \"1 Gb/s\"");
    let [dropped, sent] = [flag::DROP_IN_EGRESS, 0].map(|flags| Order { flags, port: 4, ..Order::default() });
    let left = run(&mut bench, [dropped, dropped, sent].map(|order| offered(100, 0, order, 80)).to_vec());
    let on_line = 8 * (80 + SEEN as u64 + 24);
    assert_eq!((left.sent, left.lost.len()), (vec![(4, 125 + 2 * on_line)], 2));
}

#[test]
fn each_gress_takes_one_packet_a_cycle() {
    let mut bench = chip("");
    let packets =
        (0..4).map(|number| offered(100, 4 * number, Order { port: 16 + 4 * number, ..Order::default() }, 80));
    let left = run(&mut bench, packets.collect());
    assert_eq!(left.sent, [(16, 125), (20, 126), (24, 127), (28, 128)]);
}

#[test]
fn pipes_have_cycles_of_their_own() {
    let mut bench = chip("pipes = 2");
    let to = |port| Order { port, ..Order::default() };
    let packets = [(0, 4), (128, 132), (4, 8)].map(|(from, port)| offered(100, from, to(port), 80));
    let left = run(&mut bench, packets.to_vec());
    assert_eq!(left.sent, [(4, 125), (132, 125), (8, 126)]);
}

#[test]
fn egress_is_told_what_a_packet_waited_for() {
    let mut bench = chip("[[port]]\nports = [0, 4]\nrate = \"1 Gb/s\"");
    let order = Order { port: 4, ..Order::default() };
    run(&mut bench, vec![offered(100, 0, order, 80), offered(101, 0, order, 80)]);
    // Both in queue 3, of which the first was taken at once.
    let status = bench.chip.queue_status(4, 3).unwrap();
    assert_eq!((status.enqueued.packets, status.dequeued.packets, status.high_water.packets), (2, 2, 1));
}

#[test]
fn what_finds_no_room_in_memory_is_dropped() {
    let mut bench = chip(
        "[[port]]\nports = [0, 4]\nrate = \"1 Gb/s\"\n[memory]\ncell = \"80 B\"\n[[memory.pool]]\nsize = \"240 B\"",
    );
    let order = Order { port: 4, ..Order::default() };
    // With what ingress adds, each packet takes 2 of 3 cells; the first goes on its link at once.
    let left = run(&mut bench, (0..3).map(|number| offered(100 + number, 0, order, 100)).collect());
    assert_eq!((left.sent.len(), &left.lost[..]), (2, &[queues::reasons::SHARED_BUFFER_FULL][..]));
}

#[test]
fn recirculated_packets_wait_for_their_port_and_take_its_rate() {
    let mut bench = chip("[[port]]\nports = [0, 4]\n[[port]]\nports = [68]\nrate = \"1 Gb/s\"");
    let order = Order { port: 4, again: 1, ..Order::default() };
    let left = run(&mut bench, vec![offered(100, 0, order, 80), offered(100, 4, order, 80)]);
    // The packet is without what ingress puts in front when it recirculates.
    let on_line = 8 * (80 + 24);
    let first = 100 + 25 + on_line + 25;
    assert_eq!(left.sent, [(4, first), (4, first + on_line)]);
    assert_eq!(bench.chip.statistics().recirculations, 2);
}

/// A driver in real time calls a chip late. Packets that had left a recirculation port in the meantime once overtook those that
/// had left it before: SwitchML's sums over four pipes were wrong.
#[test]
fn packets_on_one_way_keep_their_order_if_calls_are_late() {
    let mut bench = chip("[[port]]\nports = [0, 4]");
    let order = Order { port: 4, again: 3, ..Order::default() };
    let mut now = Instant::from_microseconds(1);
    let lengths: Vec<usize> = (0..20).map(|number| 100 + number).collect();
    let (mut left, mut readies) = (Vec::new(), Vec::new());
    let mut packets: Vec<Packet> =
        lengths.iter().map(|&length| Packet::of_bytes(&order.packet(length - Order::LENGTH))).collect();
    bench.out.begin(now);
    bench.chip.receive(now, Port(0), &mut packets, &mut bench.out);
    while left.len() < lengths.len() {
        now += Duration::from_microseconds(7);
        bench.out.begin(now);
        readies.append(&mut bench.out.readies);
        for (port, _) in readies.drain(..) {
            bench.chip.control(now, Control::PortReady(port), &mut bench.out);
        }
        if bench.out.take_deadline().is_some() {
            bench.chip.wake(now, &mut bench.out);
        }
        left.extend(bench.out.transmissions.drain(..).map(|sent| sent.packet.len() - SEEN));
        assert!(now < Instant::from_microseconds(10_000), "{left:?}");
    }
    assert_eq!(left, lengths);
}

/// What was due before a late call once had the time of the call: timestamps were wrong, and meters counted with the wrong time.
#[test]
fn what_was_due_before_a_late_call_has_its_own_time() {
    let stamped = |late: Duration| {
        let program = ACTOR.replace(
            "hdr.seen.port_metadata = md.port_metadata;",
            "hdr.seen.port_metadata = ig_intr_md.ingress_mac_tstamp[31:0];",
        );
        let settings = ChipSettings::parse("chip.toml", &format!("{SHORT}[[port]]\nports = [0, 4, 68]\n")).unwrap();
        let parameters = TofinoParameters { chip: Some(settings), ..TofinoParameters::default() };
        let mut bench = Bench::of(chip_with(&program, parameters).unwrap());
        let packet = Order { port: 4, again: 3, ..Order::default() }.packet(93);
        let start = Instant::from_microseconds(1);
        bench.out.begin(start);
        (0..3).for_each(|_| bench.give(start, 0, &packet));
        let (mut stamps, mut readies) = (Vec::new(), Vec::<(Port, Instant)>::new());
        loop {
            readies.append(&mut bench.out.readies);
            let ready = readies.iter().map(|(port, at)| (*at, Some(*port))).min();
            let deadline = bench.out.deadline().map(|at| (at, None));
            let Some((due, port)) = deadline.into_iter().chain(ready).min() else { break };
            let now = due + late;
            bench.out.begin(now);
            match port {
                Some(port) => {
                    readies.retain(|ready| *ready != (port, due));
                    bench.chip.control(now, Control::PortReady(port), &mut bench.out);
                }
                None => {
                    bench.out.take_deadline();
                    bench.chip.wake(now, &mut bench.out);
                }
            }
            assert!(bench.out.transmissions.iter().all(|sent| sent.at >= now), "nothing is sent in the past");
            let sent = bench.out.transmissions.iter().map(|sent| sent.packet.head.bytes()[8..12].to_vec());
            stamps.extend(sent.map(|stamp| u32::from_be_bytes(stamp.try_into().unwrap())));
            bench.ends();
        }
        stamps
    };
    let expected = stamped(Duration::ZERO);
    // Three times through both gresses and over the link, of which each packet takes 9.92 ns.
    assert_eq!(expected, [1104, 1114, 1124]);
    for late in [1, 30, 5_000] {
        assert_eq!(stamped(Duration::from_nanoseconds(late)), expected, "{late} ns late");
    }
}

#[test]
fn recirculation_that_takes_time_has_no_limit() {
    let mut bench = chip("");
    let order = Order { port: 4, again: 255, ..Order::default() };
    let left = run(&mut bench, vec![offered(100, 0, order, 80)]);
    assert_eq!((left.sent.len(), bench.chip.statistics().recirculations), (1, 255));
}

#[test]
fn resubmissions_and_mirrors_take_time() {
    let mut bench = chip("[[port]]\nports = [0, 4, 7]");
    let resubmitted = Order { flags: flag::RESUBMIT, port: 4, ..Order::default() };
    assert_eq!(run(&mut bench, vec![offered(100, 0, resubmitted, 80)]).sent, [(4, 100 + 10 + 25)]);
    let mirrored = Order { flags: flag::MIRROR_IN_EGRESS, port: 4, session: 9, ..Order::default() };
    assert_eq!(run(&mut bench, vec![offered(1000, 0, mirrored, 80)]).sent, [(4, 1025), (7, 1025 + 15)]);
}

#[test]
fn packets_beyond_what_ingress_can_take_are_dropped() {
    let mut bench = chip("ingress_buffer = 2");
    let order = Order { port: 4, ..Order::default() };
    let left = run(&mut bench, (0..4).map(|port| offered(100, 4 * port, order, 80)).collect());
    assert_eq!((left.sent.len(), &left.lost[..]), (2, &[reasons::INGRESS_FULL; 2][..]));
}

#[test]
fn nothing_passes_a_port_that_is_down() {
    let mut bench = chip("[[port]]\nports = [0, 4]\n[[port]]\nports = [8]\nup = false");
    let to = |port| Order { port, ..Order::default() };
    let left =
        run(&mut bench, vec![offered(100, 0, to(8), 80), offered(100, 8, to(4), 80), offered(100, 0, to(4), 80)]);
    assert_eq!((left.sent.len(), &left.lost[..]), (1, &[reasons::PORT_DOWN; 2][..]));
}

/// The lines of a trace that say where packets go.
fn ways(trace: &machines::trace::Trace) -> Vec<String> {
    let words = ["recirculated", "transmitted on port", "queue of port"];
    let is_way = |line: &&str| words.iter().any(|word| line.contains(word));
    trace.to_string().lines().filter(is_way).map(str::to_owned).collect()
}

#[test]
fn traces_follow_packets_through_queues_and_lines() {
    let mut bench = chip("[[port]]\nports = [0, 4]\nrate = \"1 Gb/s\"");
    // Inside when the recorder comes: it is in no trace, and keeps no trace from being finished.
    let mut course = Course::new(Limit::default(), Interest::default());
    let mut left = Left::default();
    let plain = Order { port: 4, ..Order::default() };
    course.offer(&mut bench.chip, offered(100, 0, plain, 80), &mut left).unwrap();
    bench.chip.observe().unwrap();
    let again = Order { again: 1, ..plain };
    course.offer(&mut bench.chip, offered(101, 0, again, 80), &mut left).unwrap();
    course.offer(&mut bench.chip, offered(102, 4, plain, 80), &mut left).unwrap();
    assert!(bench.chip.take_traces().is_empty(), "both are inside");
    course.finish(&mut bench.chip, &mut left).unwrap();
    let [first, second] = &bench.chip.take_traces()[..] else { panic!("two traces") };
    assert_eq!((first.packet, first.port, second.packet, second.port), (1, 0, 2, 4));
    assert_eq!(ways(first).len(), 4, "{first}");
    assert_eq!(ways(second).len(), 2, "{second}");
}

/// A chip that is saved while packets are in queues and in lines goes on as if nothing had happened.
/// A cable of a network once led to the port for a CPU of the first pipe, because its number is between those of two pipes.
#[test]
fn cables_belong_to_the_ports_of_all_pipes_before_those_for_a_cpu() {
    let mut bench = chip("pipes = 2\n");
    bench.chip.number_ports_in_order();
    let to = |port| Order { port, ..Order::default() };
    let packets = [(0, 128), (1_000, 64), (2_000, 188)];
    let left = run(&mut bench, packets.map(|(at, port)| offered(at, 15, to(port), 64)).into());
    assert_eq!(left.sent.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [16, 32, 31]);
}

#[test]
fn a_chip_is_saved_with_the_packets_inside() {
    let text = "pipes = 2\n[[port]]\nports = [0, 4, 132]\nrate = \"1 Gb/s\"\n[[port]]\nports = [68]\nrate = \"1 Gb/s\"";
    let order =
        |number: u64| Order { port: [4, 132][number as usize % 2], again: (number % 3) as u8, ..Order::default() };
    let packets = |from: u64, to: u64| (from..to).map(move |number| offered(100 + 3 * number, 0, order(number), 80));
    let mut whole = chip(text);
    let expected = run(&mut whole, packets(0, 40).collect());
    for stop in [1, 7, 20, 39] {
        let mut first = chip(text);
        let mut left = Left::default();
        let mut course = Course::new(Limit::default(), Interest::default());
        packets(0, stop).for_each(|packet| course.offer(&mut first.chip, packet, &mut left).unwrap());
        assert!(first.chip.account().held > 0, "{stop}");
        let mut saver = Saver::default();
        first.chip.save(&mut saver).unwrap();
        let bytes = saver.into_bytes();
        let mut second = chip(text);
        second.chip.restore(&mut Loader::new(&bytes)).unwrap();
        assert_eq!(second.chip.account(), first.chip.account());
        // The course goes on: it remembers what the first chip has asked for.
        packets(stop, 40).for_each(|packet| course.offer(&mut second.chip, packet, &mut left).unwrap());
        course.finish(&mut second.chip, &mut left).unwrap();
        assert_eq!((left.sent, left.lost), (expected.sent.clone(), expected.lost.clone()), "{stop}");
        assert_eq!(second.chip.statistics(), whole.chip.statistics());
    }
}
