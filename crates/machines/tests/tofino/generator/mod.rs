//! The packet generators: timers, ports that go down, recirculated patterns; batches and gaps; what lies in front.

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant};
use machines::Device;
use machines::tofino::TofinoParameters;
use node::{Control, Node, Port, Station};

use crate::bench::{Bench, End, chip_with};
use crate::manager::support::read_file;

const PROGRAM: &str = include_str!("generator.p4");

fn try_bench(text: &str, is_tofino_2: bool) -> Result<Bench, Vec<String>> {
    let chip = read_file(text).unwrap_or_else(|found| panic!("{found:?}"));
    let program = if is_tofino_2 { PROGRAM.replace("<tna.p4>", "<t2na.p4>") } else { PROGRAM.to_owned() };
    let parameters = TofinoParameters { chip: Some(chip), ..TofinoParameters::default() };
    chip_with(&program, parameters).map(Bench::of).map_err(|unsuitable| unsuitable.findings)
}

fn bench(text: &str) -> Bench {
    let ports = "[[port]]\nports = [1, 5, 6]\n";
    let mut bench = try_bench(&format!("{text}\n{ports}"), false).unwrap();
    start(&mut bench);
    bench
}

fn start(bench: &mut Bench) {
    bench.out.begin(Instant::ZERO);
    bench.chip.wake(Instant::ZERO, &mut bench.out);
}

fn at(nanoseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_picoseconds(1000 * nanoseconds)
}

/// A packet that a generator has made.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    /// The device port at which it arrived, and when, in nanoseconds.
    port: u16,
    time: u64,
    /// The header of the generator, and the packet.
    bytes: Vec<u8>,
}

/// Wakes a chip as it asks for until a time; returns what has left it by port 5.
fn run(bench: &mut Bench, until: Instant) -> Vec<Made> {
    let mut made = take(bench);
    while let Some(now) = bench.out.deadline().filter(|&at| at <= until) {
        bench.out.take_deadline();
        bench.out.begin(now);
        bench.chip.wake(now, &mut bench.out);
        made.extend(take(bench));
    }
    made
}

fn take(bench: &mut Bench) -> Vec<Made> {
    let of = |end: End| {
        let End::Sent(5, bytes) = end else { panic!("{end:?}") };
        let time = bytes[2..8].iter().fold(0, |time, byte| time << 8 | u64::from(*byte));
        Made { port: u16::from_be_bytes([bytes[0], bytes[1]]), time, bytes: bytes[8..].to_vec() }
    };
    bench.ends().into_iter().map(of).collect()
}

fn counter(bench: &Bench, name: &str) -> u64 {
    let mut value = None;
    bench.chip.counters(&mut |counter| {
        if counter.name == name {
            value = Some(counter.value);
        }
    });
    value.unwrap()
}

const ONE_SHOT: &str = "[[generator]]\napplication = 3\ntrigger = \"one_shot\"\ntimer = \"1 us\"\npacket = \"aabbcc\"\n\
                        batches = 2\npackets = 3\npacket_gap = \"100 ns\"\nbatch_gap = \"1 us\"\n";

#[test]
fn a_one_shot_timer_makes_batches_of_packets_once() {
    let mut bench = bench(ONE_SHOT);
    let made = run(&mut bench, at(1_000_000));
    let header = |batch: u16, packet: u16| -> Vec<u8> {
        let [batch, packet] = [batch, packet].map(u16::to_be_bytes);
        [&[3, 0][..], &batch, &packet, &[0xAA, 0xBB, 0xCC]].concat()
    };
    let expected: Vec<Made> = [(0, 0, 1000), (0, 1, 1100), (0, 2, 1200), (1, 0, 2000), (1, 1, 2100), (1, 2, 2200)]
        .map(|(batch, packet, time)| Made { port: 68, time, bytes: header(batch, packet) })
        .into();
    assert_eq!(made, expected);
    assert_eq!(bench.out.deadline(), None);
    let counted = ["generator_triggers", "generator_batches", "generated"].map(|name| counter(&bench, name));
    assert_eq!(counted, [1, 2, 6]);
    assert_eq!(bench.chip.account().generated, 6);
}

#[test]
fn without_gaps_packets_follow_each_other_at_the_rate_of_the_generators_port() {
    // 101 bytes with the header of 6, and 24 on the wire: 125 bytes, 10 ns at 100 Gb/s and 100 ns at 10 Gb/s.
    let text = "[[generator]]\napplication = 0\ntrigger = \"one_shot\"\ntimer = \"1 us\"\npacket = \"00\"\nlength = 95\n\
                packets = 3\nbatches = 2\n";
    let times = |bench: &mut Bench| run(bench, at(10_000)).iter().map(|made| made.time).collect::<Vec<_>>();
    assert_eq!(times(&mut bench(text)), [1000, 1010, 1020, 1030, 1040, 1050]);
    let slower = format!("{text}[[port]]\nports = [68]\nrate = \"10 Gb/s\"\n");
    assert_eq!(times(&mut bench(&slower)), [1000, 1100, 1200, 1300, 1400, 1500]);
}

#[test]
fn a_periodic_timer_goes_on_and_lets_a_run_end() {
    let text = "[[generator]]\napplication = 1\ntrigger = \"periodic\"\ntimer = \"500 ns\"\npacket = \"01\"\n";
    let mut bench = bench(text);
    let times: Vec<u64> = run(&mut bench, at(2000)).iter().map(|made| made.time).collect();
    assert_eq!(times, [500, 1000, 1500, 2000]);
    assert!(bench.chip.rests_after().is_some(), "only the timer is left");
    assert!(bench.out.deadline().is_some());
    // An end can be set: then a run waits for it.
    let mut limited = super::generator::bench(&format!("{text}triggers = 2\n"));
    assert!(limited.chip.rests_after().is_none());
    assert_eq!(run(&mut limited, at(9000)).len(), 2);
    assert_eq!(limited.out.deadline(), None);
}

#[test]
fn a_driven_run_ends_although_a_timer_goes_on() {
    let text = "[[generator]]\napplication = 1\ntrigger = \"periodic\"\ntimer = \"500 ns\"\npacket = \"01\"\n\
                [[port]]\nports = [1, 5]\n";
    struct Count(usize);
    impl node::Sink for Count {
        fn transmitted(&mut self, _: node::Transmission) {
            self.0 += 1;
        }
        fn discarded(&mut self, _: Instant, discarded: node::Discarded) {
            panic!("{discarded:?}");
        }
        fn event(&mut self, _: Instant, _: measure::Event) {}
    }
    let mut bench = try_bench(text, false).unwrap();
    let packet = |time| node::Offered { at: at(time), port: Port(1), packet: wire::Packet::of_bytes(&[0, 5, 1]) };
    let mut count = Count(0);
    let end = machines::drive(&mut bench.chip, [packet(0), packet(1600)], measure::Interest::default(), &mut count);
    assert_eq!((end.unwrap(), count.0), (at(1600), 2 + 3));
}

#[test]
fn triggers_while_packets_are_made_are_missed() {
    let text = "[[generator]]\napplication = 1\ntrigger = \"periodic\"\ntimer = \"100 ns\"\npacket = \"01\"\npackets = 3\n\
                packet_gap = \"100 ns\"\n";
    let mut bench = bench(text);
    let times: Vec<u64> = run(&mut bench, at(800)).iter().map(|made| made.time).collect();
    // Triggers at 200, 300, 500, 600 and 800 ns come while packets are still to be made.
    assert_eq!(times, [100, 200, 300, 400, 500, 600, 700, 800]);
    assert_eq!(counter(&bench, "generator_missed"), 5);
}

#[test]
fn a_port_that_goes_down_triggers_once_until_it_comes_up() {
    let text = "[[generator]]\napplication = 2\ntrigger = \"port_down\"\nports = [6]\npacket = \"07\"\npackets = 2\n";
    let mut bench = bench(text);
    let link = |bench: &mut Bench, time, port, up| {
        bench.out.begin(at(time));
        bench.chip.control(at(time), Control::Link { port: Port(port), up }, &mut bench.out);
        run(bench, at(time + 90))
    };
    let made = link(&mut bench, 100, 6, false);
    let bytes: Vec<Vec<u8>> = made.iter().map(|made| made.bytes.clone()).collect();
    assert_eq!(bytes, [[2, 0, 0, 6, 0, 0, 7], [2, 0, 0, 6, 0, 1, 7]]);
    assert_eq!((made[0].port, made[0].time), (68, 100));
    assert_eq!(link(&mut bench, 200, 6, false), []);
    assert_eq!(link(&mut bench, 300, 1, false), []);
    assert_eq!(link(&mut bench, 400, 6, true), []);
    assert_eq!(link(&mut bench, 500, 6, false).len(), 2);
}

#[test]
fn a_recirculated_pattern_triggers_and_tells_what_it_was() {
    let text = "[[generator]]\napplication = 4\ntrigger = \"recirculation\"\npattern = \"0xff010000\"\n\
                mask = \"0xffff0000\"\npacket = \"09\"\n";
    let mut bench = bench(text);
    let send = |bench: &mut Bench, bytes: &[u8]| {
        let [to, rest] = [&[0, 68][..], bytes];
        let ends = bench.packet(1, &[to, rest].concat());
        ends.into_iter()
            .map(|end| match end {
                End::Sent(5, bytes) => bytes[8..].to_vec(),
                end => panic!("{end:?}"),
            })
            .collect::<Vec<_>>()
    };
    // The packet itself comes round as well.
    let first: Vec<u8> = vec![0xFF, 1, 2, 3, 4];
    assert_eq!(send(&mut bench, &first), [first, vec![4, 1, 2, 3, 0, 0, 9]]);
    assert_eq!(send(&mut bench, &[0xFF, 2, 2, 3, 4]).len(), 1);
    assert_eq!(send(&mut bench, &[0xFF, 1, 2]).len(), 1, "too short");
}

#[test]
fn tofino_2_has_more_applications_and_the_whole_pattern_behind_the_header() {
    let text = "[[generator]]\napplication = 12\ntrigger = \"recirculation\"\npacket = \"09\"\nbatches = 2\n\
                pattern = \"0x00000000000000000000000000000000\"\nmask = \"0xf0000000000000000000000000000000\"\n\
                [[port]]\nports = [1, 5]\n";
    let mut second = try_bench(text, true).unwrap();
    start(&mut second);
    let tag: Vec<u8> = (1..=16).collect();
    let mut ends = second.packet(1, &[&[0, 68][..], &tag].concat());
    while let Some(now) = second.out.take_deadline() {
        second.out.begin(now);
        second.chip.wake(now, &mut second.out);
        ends.extend(second.ends());
    }
    let bytes: Vec<Vec<u8>> = ends
        .into_iter()
        .map(|end| match end {
            End::Sent(5, bytes) => bytes[8..].to_vec(),
            end => panic!("{end:?}"),
        })
        .collect();
    let made = |batch: u8| [&[12, 0, 0, batch, 0, 0][..], &tag, &[9]].concat();
    assert_eq!(bytes, [tag.clone(), made(0), made(1)]);
    let found = try_bench(text, false).map(drop).unwrap_err();
    assert_eq!(
        found,
        [
            "application 12 of the packet generator of pipe 0: the applications of tna are 0 to 7",
            "application 12 of the packet generator of pipe 0 has a pattern of 16 bytes, and tna compares 4"
        ]
    );
}

#[test]
fn each_pipe_has_a_generator_and_packets_may_arrive_at_other_ports() {
    let text = "pipes = 2\n[[generator]]\napplication = 0\ntrigger = \"one_shot\"\ntimer = \"1 us\"\npacket = \"01\"\n\
                packets = 2\nport = 70\nincrement_port = true\n[[port]]\nports = [5]\n";
    let mut bench = try_bench(text, false).unwrap();
    start(&mut bench);
    let made: Vec<(u16, u8)> = run(&mut bench, at(2000)).iter().map(|made| (made.port, made.bytes[0])).collect();
    // The number of the pipe is in bits 4 and 3.
    assert_eq!(made, [(70, 0), (128 + 70, 1 << 3), (71, 0), (128 + 71, 1 << 3)]);
}

#[test]
fn a_generator_goes_on_where_it_was_saved() {
    let mut first = bench(ONE_SHOT);
    let before = run(&mut first, at(1100));
    let mut saver = Saver::default();
    first.chip.save(&mut saver).unwrap();
    let bytes = saver.into_bytes();
    let mut second = try_bench("[[port]]\nports = [1, 5, 6]\n", false).unwrap();
    second.chip.restore(&mut Loader::new(&bytes)).unwrap();
    second.out.wake_at(first.out.deadline().unwrap());
    let mut after = Vec::new();
    while let Some(now) = second.out.take_deadline() {
        second.out.begin(now);
        second.chip.wake(now, &mut second.out);
        after.append(&mut second.out.transmissions);
    }
    assert_eq!((before.len(), after.len()), (2, 4));
    assert_eq!(second.chip.statistics().transmitted, 6);
}

#[test]
fn a_generated_packet_has_a_trace_of_its_own() {
    let mut bench = bench(ONE_SHOT);
    bench.chip.observe().unwrap();
    run(&mut bench, at(10_000));
    let traces = bench.chip.take_traces();
    assert_eq!(traces.len(), 6);
    assert!(traces.iter().all(|trace| trace.to_string().contains("port 68")), "{}", traces[0]);
}

#[test]
fn mistakes_are_found_at_their_places() {
    let text = "[[generator]]\napplication = 1\ntrigger = \"sometimes\"\n\
                [[generator]]\napplication = 1\npipes = [0, 1]\ntrigger = \"periodic\"\ntimer = \"1 ps\"\npacket = \"1\"\n\
                [[generator]]\napplication = 2\ntrigger = \"recirculation\"\npattern = \"01\"\nmask = \"0102\"\npacket = \"01\"\n";
    let found = read_file(text).unwrap_err();
    let has = |what: &str, place: &str| {
        let has = found.iter().any(|(message, at)| message.contains(what) && at.starts_with(place));
        assert!(has, "{what} at {place}: {found:?}");
    };
    has("there is no `trigger` called `sometimes`", "\"sometimes\"");
    has("no `packet`", "[[generator]]");
    has("application 1 of pipe 0 is there twice", "1");
    has("invalid value in `pipes`", "1");
    has("the timer is too short", "\"1 ps\"");
    has("`packet` must be bytes", "\"1\"");
    has("the mask has 2 bytes, and the pattern 1", "\"0102\"");
}
