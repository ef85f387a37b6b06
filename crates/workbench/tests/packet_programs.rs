//! Runs P4 programs from their files to the result files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use diagnostics::Failure;
use wire::capture::{PcapWriter, Reader, Resolution, Timestamp};
use wire::{LinkLayer, Packet};
use workbench::kinds;
use workbench::run::{CaptureInput, Offer, Pace, Replayed, Run};
use workbench::{LoadOptions, LoadedProgram};

/// Forwards packets between ports 0 and 1, decrements their first byte, and drops packets whose first byte is 0.
const HUB: &str = include_str!("packet_programs/hub.p4");

/// Returns an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packet_programs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn hub(folder: &Path) -> LoadedProgram {
    let path = folder.join("hub.p4");
    fs::write(&path, HUB).unwrap();
    LoadedProgram::read(&path, &LoadOptions::default()).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// The start of the captures in seconds after 1970, which is later than an `Instant` can represent.
const EPOCH: i64 = 1_700_000_000;

/// Writes a capture with packets at these microseconds after its start.
fn capture(folder: &Path, name: &str, packets: &[(u64, &[u8])]) -> PathBuf {
    let path = folder.join(name);
    let file = File::create(&path).unwrap();
    let mut writer = PcapWriter::new(file, LinkLayer::Ethernet, Resolution::Nanoseconds).unwrap();
    for (microseconds, bytes) in packets {
        let time = Timestamp::new(EPOCH + (microseconds / 1_000_000) as i64, microseconds % 1_000_000 * 1_000_000);
        writer.write(time, &Packet::of_bytes(bytes)).unwrap();
    }
    writer.finish().unwrap();
    path
}

/// Returns the times in microseconds after [`EPOCH`] and the bytes of packets that left by a port.
fn left(folder: &Path, port: u16) -> Vec<(u64, Vec<u8>)> {
    left_since(folder, port, EPOCH)
}

fn left_since(folder: &Path, port: u16, seconds: i64) -> Vec<(u64, Vec<u8>)> {
    let file = File::open(folder.join(format!("port-{port}.pcapng"))).unwrap();
    let packets = Reader::new(file).unwrap().map(Result::unwrap);
    packets
        .map(|captured| {
            let since = captured.time.unwrap().picoseconds_since(Timestamp::new(seconds, 0));
            (u64::try_from(since).unwrap() / 1_000_000, captured.packet.head.bytes().to_vec())
        })
        .collect()
}

fn run(
    program: &LoadedProgram,
    captures: &[(u16, &Path)],
    pace: Pace,
    out: &Path,
) -> Result<(Replayed, Vec<PathBuf>), Failure> {
    let captures = captures.iter().map(|(port, path)| CaptureInput { port: *port, path: (*path).to_owned() });
    let run = Run::new(program, kinds::MEANING, Offer::Captures { captures: captures.collect(), pace });
    let (outcome, finished) = run.go(Some(out))?;
    Ok((outcome.replayed().expect("the program has a parser"), finished.written))
}

#[test]
fn captures_of_two_ports_are_merged_in_order_of_time() {
    let folder = folder("two_ports");
    let program = hub(&folder);
    let zero = capture(&folder, "zero.pcap", &[(5, &[1, 10]), (9, &[0, 11])]);
    let one = capture(&folder, "one.pcap", &[(2, &[7, 20]), (7, &[8, 21])]);
    let out = folder.join("out");
    let (outcome, written) = run(&program, &[(0, &zero), (1, &one)], Pace::Timestamps, &out).unwrap();
    // Time 0 is the earliest packet of all.
    assert_eq!(left(&out, 0), [(2, vec![6, 20]), (7, vec![7, 21])]);
    assert_eq!(left(&out, 1), [(5, vec![0, 10])]);
    assert_eq!(outcome.last_arrival, 7, "from the first packet on");
    assert!(outcome.is_conserved());
    assert_eq!(
        fs::read_to_string(out.join("drops.csv")).unwrap(),
        "reason,block,packets\ndropped by the program,ingress,1\n"
    );
    let names: Vec<String> =
        written.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let expected = [
        "counters.csv",
        "digests.jsonl",
        "drops.csv",
        "manifest.txt",
        "port-0.pcapng",
        "port-1.pcapng",
        "registers.csv",
        "result.json",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_rate_overrides_timestamps() {
    let folder = folder("rate");
    let program = hub(&folder);
    let capture = capture(&folder, "zero.pcap", &[(500, &[1]), (900, &[2]), (100, &[3])]);
    let out = folder.join("out");
    run(&program, &[(0, &capture)], Pace::Rate(250_000), &out).unwrap();
    assert_eq!(left_since(&out, 1, 0), [(0, vec![0]), (4, vec![1]), (8, vec![2])]);
}

#[test]
fn a_timestamp_before_its_predecessor_is_raised_to_it() {
    let folder = folder("back");
    let program = hub(&folder);
    let capture = capture(&folder, "zero.pcap", &[(5, &[1]), (9, &[2]), (6, &[3])]);
    let out = folder.join("out");
    run(&program, &[(0, &capture)], Pace::Timestamps, &out).unwrap();
    assert_eq!(left(&out, 1), [(5, vec![0]), (9, vec![1]), (9, vec![2])]);
}

#[test]
fn a_run_replaces_the_previous_one_only_if_it_succeeds() {
    let folder = folder("again");
    let program = hub(&folder);
    let capture = capture(&folder, "zero.pcap", &[(5, &[1])]);
    let out = folder.join("out");
    run(&program, &[(1, &capture)], Pace::Timestamps, &out).unwrap();
    run(&program, &[(0, &capture)], Pace::Timestamps, &out).unwrap();
    assert!(!out.join("port-0.pcapng").exists(), "a capture of the first run is left");
    let before = fs::read(out.join("port-1.pcapng")).unwrap();

    let mut cut = fs::read(&capture).unwrap();
    cut.extend_from_slice(&cut.clone()[24..30]);
    let broken = folder.join("broken.pcap");
    fs::write(&broken, cut).unwrap();
    assert!(run(&program, &[(0, &broken)], Pace::Timestamps, &out).is_err());
    assert_eq!(fs::read(out.join("port-1.pcapng")).unwrap(), before);
    assert!(!has_partial(&out), "half a result is left");
}

fn has_partial(out: &Path) -> bool {
    fs::read_dir(out).unwrap().any(|entry| entry.unwrap().path().to_string_lossy().contains("partial"))
}

/// A run once took digests from the machine when a packet had arrived, with the time of that packet, and lost all but the latest
/// 1,024 that had been sent since the packet before.
#[test]
fn all_digests_are_written_with_the_times_at_which_they_were_sent() {
    let folder = folder("digests");
    let text = "struct tick_t { number : 64; }; digest tick_t ticks; timer tick every 10000; reason last;\n\
         on timer tick goto tell; on packet goto leave;\n\
         tell: begin DigestSend(ticks, r_work.argument); exit; end\n\
         leave: begin PacketDrop(this_packet, last); exit; end\n";
    let path = folder.join("ticks.mc");
    fs::write(&path, text).unwrap();
    let program = LoadedProgram::read(&path, &LoadOptions::default()).unwrap_or_else(|failure| panic!("{failure}"));
    let capture = capture(&folder, "two.pcap", &[(0, &[1; 20]), (20_005, &[2; 20])]);
    let captures = vec![CaptureInput { port: 0, path: capture }];
    let trio = kinds::named("trio").expect("a kind");
    let run = Run::new(&program, trio, Offer::Captures { captures, pace: Pace::Timestamps });
    let out = folder.join("out");
    let (outcome, _) = run.go(Some(&out)).unwrap_or_else(|failure| panic!("{failure}"));
    let outcome = outcome.replayed().expect("packets of ports");
    assert_eq!(outcome.digests["ticks"], 2000);
    let lines = fs::read_to_string(out.join("digests.jsonl")).unwrap();
    for (number, line) in lines.lines().enumerate() {
        let time = (number + 1) * 10;
        let expected = format!(r#"{{"digest":"ticks","time_us":{time},"values":{{"number":"{number:#x}"}}}}"#);
        assert_eq!(line, expected);
    }
    assert_eq!(lines.lines().count(), 2000);
    // A control plane would have found the latest 1,024.
    assert_eq!(outcome.statistics.counted.get("unread_digests"), Some(2000 - 1024));
}

/// The timeline of the chip for programs of threads is a file; without a folder for it, `--timeline` once did nothing.
#[test]
fn a_timeline_that_is_a_file_asks_for_a_folder() {
    let folder = folder("timeline");
    let path = folder.join("drop.mc");
    let text = "reason all; on packet goto it; it: begin PacketDrop(this_packet, all); exit; end";
    fs::write(&path, text).unwrap();
    let program = LoadedProgram::read(&path, &LoadOptions::default()).unwrap_or_else(|failure| panic!("{failure}"));
    let capture = capture(&folder, "one.pcap", &[(0, &[1; 20])]);
    let run = || {
        let captures = vec![CaptureInput { port: 0, path: capture.clone() }];
        let offer = Offer::Captures { captures, pace: Pace::Timestamps };
        let trio = kinds::named("trio").expect("a kind");
        Run { timeline: 100, ..Run::new(&program, trio, offer) }
    };
    let refused = run().go(None).map(|_| ()).expect_err("there is no folder").to_string();
    assert!(refused.contains("`--out-dir`"), "{refused}");
    let out = folder.join("out");
    run().go(Some(&out)).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(out.join("trace.json").is_file());
}
