//! Result folders of P4 programs that contain other files, and captures with any timestamps.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use diagnostics::Failure;
use files::OutputFolder;
use wire::capture::{PcapWriter, Reader, Resolution, Timestamp};
use wire::{LinkLayer, Packet, Tail};
use workbench::kinds::{self, Settings};
use workbench::run::{CaptureInput, Offer, Pace, Replayed, Run};
use workbench::trace_nth;
use workbench::{LoadOptions, LoadedProgram};

/// Sends every packet out on the port after its ingress port.
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

/// Parses twelve bytes, writes a checksum that covers the rest of the packet into the last four of them, and sends the
/// packet out on the port after its ingress port.
const SUM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header first_t { bit<16> a; bit<48> b; }
header second_t { bit<32> sum; }
struct headers_t { first_t first; second_t second; }
struct none_t { }
parser P(packet_in packet, out headers_t hdr, inout none_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.first);
        transition select(packet.lookahead<bit<32>>()) {
            0: last;
            default: accept;
        }
    }
    state last {
        packet.extract(hdr.second);
        transition accept;
    }
}
control None(inout headers_t hdr, inout none_t meta) { apply { } }
control I(inout headers_t hdr, inout none_t meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = standard.ingress_port + 1; }
}
control E(inout headers_t hdr, inout none_t meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers_t hdr, inout none_t meta) {
    apply {
        update_checksum_with_payload(
            hdr.second.isValid(), { hdr.first.a, hdr.first.b }, hdr.second.sum, HashAlgorithm.crc32);
        update_checksum_with_payload(
            hdr.second.isValid(), { hdr.first.b }, hdr.first.a, HashAlgorithm.csum16);
    }
}
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), None(), I(), E(), C(), D()) main;
"#;

const A_DAY: i64 = 86_400;
const A_YEAR: i64 = 365 * A_DAY;

/// Returns an empty folder for a test, and the program in it.
fn folder(name: &str) -> (PathBuf, LoadedProgram) {
    folder_of(name, BESIDE)
}

fn folder_of(name: &str, text: &str) -> (PathBuf, LoadedProgram) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packet_folders").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("beside.p4");
    fs::write(&path, text).unwrap();
    let program = LoadedProgram::read(&path, &LoadOptions::default());
    (folder, program.unwrap_or_else(|failure| panic!("{}", failure.render(false))))
}

/// Writes a capture with a packet at each of these seconds after 1970.
fn capture(path: &Path, seconds: &[i64]) -> PathBuf {
    let mut writer =
        PcapWriter::new(File::create(path).unwrap(), LinkLayer::Ethernet, Resolution::Nanoseconds).unwrap();
    for (number, seconds) in seconds.iter().enumerate() {
        writer.write(Timestamp::new(*seconds, 7_000), &Packet::of_bytes(&[number as u8])).unwrap();
    }
    writer.finish().unwrap();
    path.to_owned()
}

/// Returns the times at which packets left by a port.
fn times(out: &Path, port: u16) -> Vec<Timestamp> {
    let reader = Reader::new(File::open(out.join(format!("port-{port}.pcapng"))).unwrap()).unwrap();
    reader.map(|captured| captured.unwrap().time.unwrap()).collect()
}

fn run(
    program: &LoadedProgram,
    captures: &[(u16, &Path)],
    pace: Pace,
    packets: Option<u64>,
    out: &Path,
) -> Result<Replayed, Failure> {
    let captures = captures.iter().map(|(port, path)| CaptureInput { port: *port, path: (*path).to_owned() });
    let captures = captures.collect();
    let run = Run { packets, ..Run::new(program, kinds::MEANING, Offer::Captures { captures, pace }) };
    run.go(Some(out)).map(|(outcome, _)| outcome.replayed().expect("the program has a parser"))
}

fn refusal(result: Result<Replayed, Failure>) -> String {
    let failure = result.expect_err("it must be refused");
    assert_eq!(failure.exit_status(), 2);
    failure.render(false)
}

/// Regression test: `--traffic 1=out/port-7.pcapng --out-dir out` used to delete its own input without a message.
#[test]
fn a_run_does_not_overwrite_its_inputs() {
    let (folder, program) = folder("inputs");
    let out = folder.join("out");
    fs::create_dir_all(&out).unwrap();
    let mine = capture(&out.join("port-7.pcapng"), &[1, 2]);
    let before = fs::read(&mine).unwrap();
    let told = refusal(run(&program, &[(1, &mine)], Pace::Timestamps, None, &out));
    assert!(told.contains("port-7.pcapng is an input, and the results in"), "{told}");
    // By another path to the same folder.
    let around = folder.join("out/../out");
    refusal(run(&program, &[(1, &mine)], Pace::Timestamps, None, &around));
    let named_so = out.join("counters.csv");
    fs::rename(&mine, &named_so).unwrap();
    refusal(run(&program, &[(1, &named_so)], Pace::Timestamps, None, &out));
    assert_eq!(fs::read(&named_so).unwrap(), before);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "something was written");
    // A capture whose name is not that of a result can be in the folder.
    let other = out.join("mine.pcap");
    fs::rename(&named_so, &other).unwrap();
    run(&program, &[(1, &other)], Pace::Timestamps, None, &out).unwrap();
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[test]
fn a_run_removes_only_captures_of_the_previous_run() {
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

/// Instants count from the start of the run and end after 213 days; captures have timestamps of their own.
#[test]
fn departing_packets_have_the_clock_of_the_captures() {
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

/// Regression test: all packets after 213 days used to arrive at the same time, 18446744073709 us.
#[test]
fn a_packet_years_after_the_first_is_rejected() {
    let (folder, program) = folder("years");
    let input = capture(&folder.join("in.pcap"), &[A_YEAR, A_YEAR + 1, 3 * A_YEAR, 4 * A_YEAR]);
    let out = folder.join("out");
    let told = refusal(run(&program, &[(0, &input)], Pace::Timestamps, None, &out));
    assert!(told.contains("packet 3 of "), "{told}");
    assert!(told.contains("arrives 730 days after the first one, but a run lasts 212 days at most"), "{told}");
    assert!(!out.join("result.json").exists());
    assert_eq!(run(&program, &[(0, &input)], Pace::Timestamps, Some(2), &out).unwrap().statistics.received, 2);
    assert_eq!(run(&program, &[(0, &input)], Pace::Rate(1), None, &out).unwrap().last_arrival, 3_000_000);
}

#[test]
fn a_port_that_does_not_exist_is_rejected() {
    let (folder, program) = folder("ports");
    let input = capture(&folder.join("in.pcap"), &[1]);
    let told = refusal(run(&program, &[(600, &input)], Pace::Timestamps, None, &folder.join("out")));
    assert!(told.contains("there is no port 600: the switch has ports 0 to 510"), "{told}");
}

/// Regression test: `trace` used to take a packet that was truncated by the capture for a shorter packet.
#[test]
fn trace_and_run_see_the_same_truncated_packet() {
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

    let mut switch = kinds::ALL[0].fit(&program, &Settings::default()).unwrap().build(1).unwrap();
    let offer = Offer::Captures { captures: vec![CaptureInput { port: 3, path }], pace: Pace::Timestamps };
    let text: String = trace_nth(&mut *switch, &offer, 2).unwrap().iter().map(ToString::to_string).collect();
    assert!(text.starts_with("packet 2 at 1000000.000000 us on port 3, 100 bytes: 010203"), "{text}");
    assert!(text.contains("transmitted on port 4, 100 bytes: 010203..."), "{text}");
}

/// The part of a packet of which only the length is known reads as zeros. It takes no memory while the packet is
/// processed and is not written to the capture of departing packets.
#[test]
fn an_unknown_tail_reads_as_zeros_but_is_not_written() {
    let (folder, program) = folder_of("zeros", SUM);
    let record = |name: &str, packet: &Packet| {
        let path = folder.join(name);
        let mut writer =
            PcapWriter::new(File::create(&path).unwrap(), LinkLayer::Ethernet, Resolution::Nanoseconds).unwrap();
        writer.write(Timestamp::new(1, 0), packet).unwrap();
        writer.finish().unwrap();
        path
    };
    for machine in ["native", "v1model"].map(|name| kinds::named(name).unwrap()) {
        for (known, length) in [(1, 12), (3, 500_000), (8, 1001), (10, 100), (12, 14), (15, 77), (4, 11)] {
            let head: Vec<u8> = (1..=8).chain([0; 4]).chain(100..).take(known).collect();
            let unknown = length - known as u32;
            let cut = Packet::of_bytes(&head).with_tail(Tail::Length(unknown));
            let mut whole = head.clone();
            whole.resize(length as usize, 0);
            let left = [("cut", cut), ("whole", Packet::of_bytes(&whole))].map(|(name, packet)| {
                // The maximum number of bytes in a record of a capture.
                let packet = if packet.head.len() > 262_144 { return None } else { packet };
                let (path, out) = (record("in.pcap", &packet), folder.join(name));
                let captures = vec![CaptureInput { port: 3, path }];
                let offer = Offer::Captures { captures, pace: Pace::Timestamps };
                let ran = Run::new(&program, machine, offer).go(Some(&out));
                let (outcome, _) = ran.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
                assert_eq!(outcome.replayed().expect("a parser").statistics.transmitted, 1);
                let left = Reader::with_head_limit(File::open(out.join("port-4.pcapng")).unwrap(), usize::MAX);
                Some(left.unwrap().next().unwrap().unwrap().packet)
            });
            let [Some(cut), whole] = left else { panic!("it is short") };
            assert_eq!(cut.len(), length as usize);
            assert!(cut.head.len() <= known.max(12), "{} of {known} bytes are written", cut.head.len());
            if let Some(whole) = whole {
                let mut bytes = Vec::new();
                cut.append_to(&mut bytes);
                assert_eq!(bytes, whole.head.bytes(), "{}, {known} of {length} bytes", machine.name());
            }
        }
    }
}

/// Regression test: a second command used to mix its rows with those of the first.
#[test]
fn a_folder_in_use_is_rejected() {
    let (folder, program) = folder("in_use");
    let input = capture(&folder.join("in.pcap"), &[1]);
    let out = folder.join("a/b/out");
    let first = OutputFolder::take(&out, |_| true).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let told = refusal(run(&program, &[(1, &input)], Pace::Timestamps, None, &out));
    assert!(told.contains("another command is writing into"), "{told}");
    drop(first);
    assert!(!folder.join("a").exists(), "folders that were created for nothing are removed");
    run(&program, &[(1, &input)], Pace::Timestamps, None, &out).unwrap();
    fs::write(folder.join("file"), "").unwrap();
    let told = refusal(run(&program, &[(1, &input)], Pace::Timestamps, None, &folder.join("file")));
    assert!(told.contains("cannot write results into"), "{told}");
}

/// Files that an earlier run wrote and this one does not are removed, unless they have changed since.
#[test]
fn unchanged_files_of_an_earlier_run_are_removed() {
    let (folder, program) = folder("changed");
    let (out, input) = (folder.join("out"), capture(&folder.join("in.pcap"), &[1]));
    let both = [(1, input.as_path()), (4, input.as_path())];
    run(&program, &both, Pace::Timestamps, None, &out).unwrap();
    fs::write(out.join("port-5.pcapng"), "mine now").unwrap();
    fs::write(out.join("notes.txt"), "mine").unwrap();
    run(&program, &[(7, &input)], Pace::Timestamps, None, &out).unwrap();
    let mut there: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    let captures: Vec<_> = there.iter().filter(|name| name.to_string_lossy().starts_with("port-")).collect();
    assert_eq!(captures, ["port-5.pcapng", "port-8.pcapng"]);
    assert_eq!(fs::read(out.join("port-5.pcapng")).unwrap(), b"mine now");
    assert!(out.join("notes.txt").exists());
    // The manifest names all files of its run.
    let manifest = fs::read_to_string(out.join("manifest.txt")).unwrap();
    for name in there
        .iter()
        .map(|name| name.to_string_lossy())
        .filter(|name| !["manifest.txt", "notes.txt", "port-5.pcapng"].contains(&&**name))
    {
        assert!(manifest.contains(&format!("result         {name} ")), "{name}: {manifest}");
    }
}
