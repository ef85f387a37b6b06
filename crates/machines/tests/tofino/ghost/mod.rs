//! The ghost thread of T2NA: it runs on changes of queues, in each pipe, and ingress reads what it wrote.

use basis::{Duration, Instant};
use machines::tofino::{ChipSettings, TofinoParameters};
use node::{Discarded, Offered, Port, Sink, Station, Transmission};

use crate::bench::{Bench, End, chip_with};
use crate::manager::support::{drain, hold_queues_of, read_file};

const PROGRAM: &str = include_str!("ghost.p4");

fn bench_of(program: &str, text: &str) -> Bench {
    let chip = read_file(text).unwrap_or_else(|found| panic!("{found:?}"));
    Bench::of(chip_with(program, TofinoParameters { chip: Some(chip), ..TofinoParameters::default() }).unwrap())
}

/// A packet to a queue of a port that asks for the depth of a queue.
fn ask(port: u16, queue: u8, index: u16) -> Vec<u8> {
    // 80 bytes behind ingress, which are a cell.
    let front = [&port.to_be_bytes()[..], &[queue], &index.to_be_bytes()].concat();
    front.into_iter().chain(std::iter::repeat_n(0xEE, 80 - 14 - 5)).collect()
}

/// What ingress has read for a packet that was sent: depth, updates, and what the thread heard last.
fn answer(end: &End) -> (u32, u32, [u32; 3]) {
    let End::Sent(_, bytes) = end else { panic!("{end:?}") };
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let (queue, pipe_and_depth) = (u32::from(u16::from_be_bytes([bytes[8], bytes[9]])), word(10));
    (word(0), word(4), [queue, pipe_and_depth >> 24, pipe_and_depth & 0xFF_FFFF])
}

/// The number of the queue 2 of port 4: each port has 16.
const QUEUE: u16 = 4 * 16 + 2;

#[test]
fn the_thread_writes_the_depth_of_queues_that_change() {
    let mut bench = bench_of(PROGRAM, "[[port]]\nports = [1, 2, 4]\n");
    hold_queues_of(&mut bench, 5, 1000, 1000);
    // The first packet is on the line at once, and its queue has changed, but is as deep as before.
    let first = bench.packet(1, &ask(4, 2, QUEUE));
    assert_eq!(answer(&first[0]), (0, 0, [0, 0, 0]));
    for _ in 0..3 {
        assert!(bench.packet(1, &ask(4, 2, QUEUE)).is_empty());
    }
    // A packet for another port is told at once: three packets wait, and the queue has changed four times.
    let other = bench.packet(1, &ask(1, 0, QUEUE));
    assert_eq!(answer(&other[0]), (3, 4, [u32::from(QUEUE), 0, 3]));
    let waited: Vec<_> = drain(&mut bench).iter().map(answer).collect();
    assert_eq!(waited, [(0, 1), (1, 2), (2, 3)].map(|(depth, updates)| (depth, updates, [QUEUE.into(), 0, depth])));
    // The queue has become empty again: four changes in, and three out.
    let after = bench.packet(1, &ask(2, 0, QUEUE));
    assert_eq!((answer(&after[0]).0, answer(&after[0]).1), (0, 7));
}

/// The header with what a thread is told was invalid once, and its fields undefined.
#[test]
fn what_the_thread_and_ingress_are_told_is_defined() {
    let chip = read_file("[[port]]\nports = [1, 2, 4]\n").unwrap_or_else(|found| panic!("{found:?}"));
    let parameters = TofinoParameters { chip: Some(chip), undefined: Some(7), ..TofinoParameters::default() };
    let mut bench = Bench::of(chip_with(PROGRAM, parameters).unwrap());
    hold_queues_of(&mut bench, 5, 1000, 1000);
    for _ in 0..3 {
        bench.packet(1, &ask(4, 2, QUEUE));
    }
    let told = bench.packet(1, &ask(1, 0, QUEUE));
    assert_eq!(answer(&told[0]), (2, 3, [u32::from(QUEUE), 0, 2]));
}

#[test]
fn the_thread_of_each_pipe_hears_of_all_queues() {
    let mut bench = bench_of(PROGRAM, "pipes = 2\n[[port]]\nports = [1, 4, 129, 132]\n");
    hold_queues_of(&mut bench, 140, 1000, 1000);
    for _ in 0..3 {
        bench.packet(1, &ask(132, 2, QUEUE));
    }
    let first = bench.packet(1, &ask(1, 0, QUEUE));
    assert_eq!(answer(&first[0]), (2, 3, [QUEUE.into(), 1, 2]));
    // Meanwhile the queue of port 1 has changed, which has gone through it at once.
    let second = bench.packet(129, &ask(129, 0, QUEUE));
    assert_eq!(answer(&second[0]), (2, 3, [16, 0, 0]));
}

#[test]
fn a_program_that_has_two_versions_finds_the_depth_in_both() {
    let versions = PROGRAM
        .replace("Register<bit<32>, bit<16>>(2048) depths;", "Register<bit<32>, bit<16>>(2048) depths; Register<bit<32>, bit<16>>(2048) others;")
        .replace(
            "write_depth.execute((bit<16>)ghost.qid);",
            "if (ghost.ping_pong == 1) { write_depth.execute((bit<16>)ghost.qid); } else { write_other.execute((bit<16>)ghost.qid); }",
        )
        .replace(
            "    RegisterAction<bit<32>, bit<16>, bit<32>>(updates) count = {",
            "    RegisterAction<bit<32>, bit<16>, bit<32>>(others) write_other = { void apply(inout bit<32> value) { value = (bit<32>)ghost.qlength; } };
    RegisterAction<bit<32>, bit<16>, bit<32>>(updates) count = {",
        )
        .replace(
            "    RegisterAction<bit<32>, bit<16>, bit<32>>(updates) read_updates = {",
            "    RegisterAction<bit<32>, bit<16>, bit<32>>(others) read_other = { void apply(inout bit<32> value, out bit<32> result) { result = value; } };
    RegisterAction<bit<32>, bit<16>, bit<32>>(updates) read_updates = {",
        )
        .replace("hdr.answer.last_depth = (bit<24>)ghost.qlength;", "hdr.answer.last_depth = read_other.execute(hdr.ask.index)[23:0];");
    let mut bench = bench_of(&versions, "[[port]]\nports = [1, 4]\n");
    hold_queues_of(&mut bench, 5, 1000, 1000);
    for _ in 0..3 {
        bench.packet(1, &ask(4, 2, QUEUE));
    }
    let end = bench.packet(1, &ask(1, 0, QUEUE));
    let (depth, updates, [.., other]) = answer(&end[0]);
    // Both versions are written at once: the thread has run twice for each of three changes.
    assert_eq!((depth, other, updates), (2, 2, 6));
}

#[test]
fn a_depth_that_does_not_fit_is_told_as_the_greatest_and_runs_are_counted() {
    let mut bench = bench_of(PROGRAM, "[[port]]\nports = [1, 4]\n");
    // Without cells, depths are bytes, of which 18 bits can tell 262,143.
    crate::manager::support::hold_queues_without_cells(&mut bench, 5);
    let long = [ask(4, 2, QUEUE), vec![0; 200_000]].concat();
    for _ in 0..3 {
        bench.packet(1, &long);
    }
    let end = bench.packet(1, &ask(1, 0, QUEUE));
    assert_eq!(answer(&end[0]).0, 0x3_FFFF);
    let mut runs = None;
    bench.chip.counters(&mut |counter| {
        if counter.name == "ghost_runs" {
            runs = Some(counter.value);
        }
    });
    assert_eq!(runs, Some(4));
}

/// A clock of 1 GHz, 10 ns in the parser, 10 ns in each of 20 stages, 10 ns in the deparser, and nothing else: a packet joins
/// its queue 220 ns after it came, and reaches stage 10 after 110 ns.
const TIMES: &str = "
clock = \"1 GHz\"
[latency]
ingress_parser = \"10 ns\"
ingress = \"200 ns\"
ingress_deparser = \"10 ns\"
traffic_manager = \"0 ns\"
egress_parser = \"0 ns\"
egress = \"0 ns\"
egress_deparser = \"0 ns\"
[[port]]
ports = [1, 4]
rate = \"1 Gb/s\"
[ghost]
";

/// What leaves a chip.
#[derive(Default)]
struct Sent(Vec<End>);

impl Sink for Sent {
    fn transmitted(&mut self, sent: Transmission) {
        self.0.push(End::Sent(sent.port.0, sent.packet.head.bytes().to_vec()));
    }
    fn discarded(&mut self, _: Instant, discarded: Discarded) {
        panic!("{discarded:?}");
    }
    fn event(&mut self, _: Instant, _: measure::Event) {}
}

/// Returns a chip in which everything takes its time.
fn timed(text: &str) -> Bench {
    let chip = ChipSettings::parse("chip.toml", text).unwrap_or_else(|failure| panic!("{failure}"));
    let parameters = TofinoParameters { chip: Some(chip), ..TofinoParameters::default() };
    Bench::of(chip_with(PROGRAM, parameters).unwrap())
}

/// Returns the depth and the number of updates that packets for one queue read, which come at these times in nanoseconds.
fn read_at(ghost: &str, times: &[u64]) -> Vec<(u32, u32)> {
    let mut bench = timed(&format!("{TIMES}{ghost}"));
    let offered = times.iter().map(|&time| Offered {
        at: Instant::ZERO + Duration::from_nanoseconds(time),
        port: Port(1),
        packet: wire::Packet::of_bytes(&ask(4, 2, QUEUE)),
    });
    let mut sent = Sent::default();
    machines::drive(&mut bench.chip, offered, measure::Interest::default(), &mut sent).unwrap();
    sent.0.iter().map(|end| (answer(end).0, answer(end).1)).collect()
}

#[test]
fn a_packet_reads_the_depth_when_it_reaches_the_stage_while_those_before_it_are_still_to_come() {
    // The first packet joins the queue at 220 ns, and its link takes it at once; the others wait for 832 ns. The second joins
    // at 270, the third at 331, the fourth at 381. They read 110 ns after they came: at 110, 160, 221 and 271 ns.
    assert_eq!(read_at("stage = 10", &[0, 50, 111, 161]), [(0, 0), (0, 0), (0, 1), (1, 2)]);
    // In the first stage, 10 ns after they came, nothing has reached the queue but for the last.
    assert_eq!(read_at("stage = 0", &[0, 50, 111, 161, 211]), [(0, 0), (0, 0), (0, 0), (0, 0), (0, 1)]);
    // And in the last stage, 200 ns after.
    assert_eq!(read_at("stage = 19", &[0, 19, 21, 69, 71]), [(0, 0), (0, 0), (0, 1), (2, 3), (2, 3)]);
}

#[test]
fn what_the_thread_hears_can_take_time() {
    // The queue changes at 220 ns; the thread hears of it at 250, before the packet that came at 140 ns reads.
    assert_eq!(read_at("stage = 10\nlatency = \"30 ns\"", &[0, 111, 139, 140]), [(0, 0), (0, 0), (0, 0), (0, 1)]);
}

#[test]
fn packets_on_their_way_to_the_stage_are_saved() {
    use basis::snapshot::{Loader, Saver, Snapshot};
    use node::Node;
    let text = format!("{TIMES}stage = 10\nlatency = \"30 ns\"");
    let at = |time| Instant::ZERO + Duration::from_nanoseconds(time);
    let mut chips = [timed(&text), timed(&text)];
    let calls = |bench: &mut Bench, asked: &mut Vec<(Port, Instant)>, from: u64, to: u64| {
        let mut ends = Vec::new();
        for time in from..to {
            bench.out.begin(at(time));
            if [0, 50, 140].contains(&time) {
                let packet = wire::Packet::of_bytes(&ask(4, 2, QUEUE));
                bench.chip.receive(at(time), Port(1), &mut vec![packet], &mut bench.out);
            }
            bench.chip.wake(at(time), &mut bench.out);
            asked.append(&mut bench.out.readies);
            let due: Vec<_> = asked.extract_if(.., |(_, when)| *when <= at(time)).collect();
            for (port, _) in due {
                bench.chip.control(at(time), node::Control::PortReady(port), &mut bench.out);
            }
            ends.extend(bench.out.transmissions.drain(..).map(|sent| (sent.at, sent.packet.head.bytes().to_vec())));
        }
        ends
    };
    // At 230 ns, one packet has gone through its queue, one is on its way to it, one to the stage, and the thread has not
    // heard of the queue.
    let mut asked = Vec::new();
    calls(&mut chips[0], &mut asked, 0, 230);
    let mut saver = Saver::default();
    chips[0].chip.save(&mut saver).unwrap();
    chips[1].chip.restore(&mut Loader::new(&saver.into_bytes())).unwrap();
    let [first, second] = chips.each_mut().map(|bench| calls(bench, &mut asked.clone(), 230, 2500));
    assert_eq!(first, second);
    assert_eq!(first.len(), 2);
}
