//! Results of P4 programs in folders where other things lie, and captures of any time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use experiments::Failure;
use experiments::packet_programs::replay::{CaptureInput, Pace, Replay, ReplayOutcome, nth_packet, replay};
use experiments::packet_programs::{Entries, LoadOptions, PacketProgram, SwitchOptions, build_switch, trace};
use wire::capture::{PcapWriter, Reader, Resolution, Timestamp};
use wire::{LinkLayer, Packet, Tail};

/// Sends everything out on the port beside that on which it came in.
const BESIDE: &str = r#"
#include <core.p4>
#include <v1model.p4>
struct headers_t { }
struct none_t { }
parser P(packet_in packet, out headers_t hdr, inout none_t meta, inout standard_metadata_t standard) {
    state start { transition accept; }
}
control None(inout headers_t hdr, inout none_t meta) { apply { } }
control I(inout headers_t hdr, inout none_t meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = standard.ingress_port + 1; }
}
control E(inout headers_t hdr, inout none_t meta, inout standard_metadata_t standard) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { } }
V1Switch(P(), None(), I(), E(), None(), D()) main;
"#;

const A_DAY: i64 = 86_400;
const A_YEAR: i64 = 365 * A_DAY;

/// An empty folder of this test with the program in it.
fn folder(name: &str) -> (PathBuf, PacketProgram) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packet_folders").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("beside.p4");
    fs::write(&path, BESIDE).unwrap();
    let program = PacketProgram::read(&path, &LoadOptions::default());
    (folder, program.unwrap_or_else(|failure| panic!("{}", failure.render(false))))
}

/// A capture with a packet at each of these seconds after 1970.
fn capture(path: &Path, seconds: &[i64]) -> PathBuf {
    let mut writer =
        PcapWriter::new(File::create(path).unwrap(), LinkLayer::Ethernet, Resolution::Nanoseconds).unwrap();
    for (number, seconds) in seconds.iter().enumerate() {
        writer.write(Timestamp::new(*seconds, 7_000), &Packet::of_bytes(&[number as u8])).unwrap();
    }
    writer.finish().unwrap();
    path.to_owned()
}

/// When packets left by a port.
fn times(out: &Path, port: u16) -> Vec<Timestamp> {
    let reader = Reader::new(File::open(out.join(format!("port-{port}.pcapng"))).unwrap()).unwrap();
    reader.map(|captured| captured.unwrap().time.unwrap()).collect()
}

fn run(
    program: &PacketProgram,
    captures: &[(u16, &Path)],
    pace: Pace,
    packets: Option<u64>,
    out: &Path,
) -> Result<ReplayOutcome, Failure> {
    let captures = captures.iter().map(|(port, path)| CaptureInput { port: *port, path: (*path).to_owned() });
    let captures = captures.collect();
    let plan = Replay { program, entries: Entries::none(), captures, pace, packets, options: SwitchOptions::default() };
    replay(plan, Some(out)).map(|(outcome, _)| outcome)
}

fn refusal(result: Result<ReplayOutcome, Failure>) -> String {
    let failure = result.expect_err("it must be refused");
    assert_eq!(failure.exit_status(), 2);
    failure.render(false)
}

/// Once `--traffic 1=out/port-7.pcapng --out-dir out` removed its own capture, without a word.
#[test]
fn a_run_does_not_write_over_what_it_reads() {
    let (folder, program) = folder("inputs");
    let out = folder.join("out");
    fs::create_dir_all(&out).unwrap();
    let mine = capture(&out.join("port-7.pcapng"), &[1, 2]);
    let before = fs::read(&mine).unwrap();
    let told = refusal(run(&program, &[(1, &mine)], Pace::Timestamps, None, &out));
    assert!(told.contains("port-7.pcapng is read, and results in"), "{told}");
    // By another way to the same folder.
    let around = folder.join("out/../out");
    refusal(run(&program, &[(1, &mine)], Pace::Timestamps, None, &around));
    let named_so = out.join("counters.csv");
    fs::rename(&mine, &named_so).unwrap();
    refusal(run(&program, &[(1, &named_so)], Pace::Timestamps, None, &out));
    assert_eq!(fs::read(&named_so).unwrap(), before);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "something was written");
    // A capture of another name may lie there.
    let other = out.join("mine.pcap");
    fs::rename(&named_so, &other).unwrap();
    run(&program, &[(1, &other)], Pace::Timestamps, None, &out).unwrap();
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[test]
fn a_run_removes_captures_of_the_run_before_and_no_others() {
    let (folder, program) = folder("earlier");
    let (out, input) = (folder.join("out"), capture(&folder.join("in.pcap"), &[1]));
    fs::create_dir_all(&out).unwrap();
    let strange = capture(&out.join("port-9.pcapng"), &[1]);
    fs::write(out.join("port-4.pcapng.partial"), "what a run left that was killed").unwrap();
    run(&program, &[(1, &input)], Pace::Timestamps, None, &out).unwrap();
    assert!(!out.join("port-4.pcapng.partial").exists());
    run(&program, &[(2, &input)], Pace::Timestamps, None, &out).unwrap();
    let there: Vec<bool> = [2, 3, 9].iter().map(|port| out.join(format!("port-{port}.pcapng")).exists()).collect();
    assert_eq!(there, [false, true, true]);
    assert_eq!(times(&out, 9).len(), 1, "{} is not ours", strange.display());
}

/// The clock of an instant ends 213 days after its beginning, and is not that of captures.
#[test]
fn what_leaves_has_the_times_of_the_captures() {
    let (folder, program) = folder("times");
    let start = 40 * A_YEAR;
    let seconds = [start, start + 1, start + 200 * A_DAY];
    let (zero, five) = (capture(&folder.join("0.pcap"), &seconds), capture(&folder.join("5.pcap"), &[start + A_DAY]));
    let out = folder.join("out");
    let outcome = run(&program, &[(5, &five), (0, &zero)], Pace::Timestamps, None, &out).unwrap();
    assert_eq!(times(&out, 1), seconds.map(|seconds| Timestamp::new(seconds, 7_000)));
    assert_eq!(times(&out, 6), [Timestamp::new(start + A_DAY, 7_000)]);
    assert_eq!(outcome.last_arrival, 200 * A_DAY as u64 * 1_000_000);
    let manifest = fs::read_to_string(out.join("manifest.txt")).unwrap();
    assert!(manifest.contains("\ntime 0         1261440000.000000007000 s after 1970\n"), "{manifest}");
    assert!(manifest.contains("\nresult         port-1.pcapng fnv1a64:"), "{manifest}");
    assert!(!manifest.contains('{'), "{manifest}");
}

/// Once all packets after 213 days came at one time, 18446744073709 us.
#[test]
fn a_packet_years_after_the_first_is_refused_by_its_number() {
    let (folder, program) = folder("years");
    let input = capture(&folder.join("in.pcap"), &[A_YEAR, A_YEAR + 1, 3 * A_YEAR, 4 * A_YEAR]);
    let out = folder.join("out");
    let told = refusal(run(&program, &[(0, &input)], Pace::Timestamps, None, &out));
    assert!(told.contains("packet 3 of "), "{told}");
    assert!(told.contains("comes 730 days after the first one, and a run lasts 212 days at the most"), "{told}");
    assert!(!out.join("result.json").exists());
    assert_eq!(run(&program, &[(0, &input)], Pace::Timestamps, Some(2), &out).unwrap().statistics.received, 2);
    assert_eq!(run(&program, &[(0, &input)], Pace::Rate(1), None, &out).unwrap().last_arrival, 3_000_000);
}

#[test]
fn a_port_that_the_switch_has_not_is_refused() {
    let (folder, program) = folder("ports");
    let input = capture(&folder.join("in.pcap"), &[1]);
    let told = refusal(run(&program, &[(600, &input)], Pace::Timestamps, None, &folder.join("out")));
    assert!(told.contains("there is no port 600: the switch has ports 0 to 510"), "{told}");
}

/// A packet that was cut when it was captured: `trace` once took it for a shorter one.
#[test]
fn a_packet_of_a_capture_is_traced_as_it_is_run() {
    let (folder, program) = folder("cut");
    let path = folder.join("cut.pcap");
    let mut writer =
        PcapWriter::new(File::create(&path).unwrap(), LinkLayer::Ethernet, Resolution::Nanoseconds).unwrap();
    let cut = Packet::of_bytes(&[1, 2, 3]).with_tail(Tail::Length(97));
    writer.write(Timestamp::new(1, 0), &Packet::of_bytes(&[9])).unwrap();
    writer.write(Timestamp::new(2, 0), &cut).unwrap();
    writer.finish().unwrap();

    let out = folder.join("out");
    run(&program, &[(3, &path)], Pace::Timestamps, None, &out).unwrap();
    let left = Reader::new(File::open(out.join("port-4.pcapng")).unwrap()).unwrap().nth(1).unwrap().unwrap().packet;
    assert_eq!((left.head.bytes(), left.len()), (&[1, 2, 3][..], 100));

    let mut switch = build_switch(&program, &SwitchOptions::default()).unwrap();
    let observed = nth_packet(&mut switch, CaptureInput { port: 3, path }, Pace::Timestamps, 2).unwrap();
    let text: String = trace(&mut switch, observed).unwrap().iter().map(ToString::to_string).collect();
    assert!(text.starts_with("packet 2 at 1000000.000000 us on port 3, 100 bytes: 010203"), "{text}");
    assert!(text.contains("transmitted on port 4, 100 bytes: 010203..."), "{text}");
}
