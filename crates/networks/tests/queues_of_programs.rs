//! Tests of programs that read the queues between ingress and egress of their switches, in whole networks.

use std::fs::{self, File};
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use basis::Instant;
use networks::plan::read;
use networks::{Next, Outcome, Ran, Running, files, run};
use wire::capture::Reader;

const BOTTLENECK: &str = "left-switch:4";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/queues_of_programs")
}

fn results(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("queues_of_programs").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A plan whose queues are sampled more often than it says.
fn text(name: &str) -> String {
    let text = fs::read_to_string(folder().join(name)).expect("a plan");
    text.replace("every = \"50 us\"", "every = \"1 us\"").replace("every = \"10 us\"", "every = \"1 us\"")
}

fn go(text: &str, running: &Running<'_>) -> Result<Ran, String> {
    let plan = read("test", "test.toml", text, &folder(), None).map_err(|failure| failure.render(false))?;
    run(plan, running, &mut |_| Next::GoOn).map_err(|failure| failure.render(false))
}

fn ran(name: &str, text: &str) -> Outcome {
    let folder = results(name);
    let running = Running::through(&folder, NonZeroUsize::MIN);
    let outcome = go(text, &running).unwrap_or_else(|why| panic!("{name}: {why}")).outcome().expect("the end");
    assert_eq!(outcome.defect, None, "packets are conserved");
    outcome
}

/// The mean number of bytes that waited at a port, over the time from `since` to the end.
fn mean_queue(outcome: &Outcome, port: &str, since: Instant) -> f64 {
    let queues = outcome.series.queues();
    let (_, changes) = queues.iter().find(|(name, _)| *name == port).expect("it is looked at");
    let ends = changes.iter().skip(1).map(|(at, _)| *at).chain([outcome.end]);
    let parts = changes.iter().zip(ends).filter(|&(_, end)| end > since);
    let sum: f64 = parts.map(|(&(at, bytes), end)| bytes as f64 * end.since(at.max(since)).seconds()).sum();
    sum / outcome.end.since(since).seconds()
}

fn delivered(outcome: &Outcome) -> u64 {
    outcome.flows.iter().filter_map(|flow| flow.arrived).sum()
}

fn assert_within(share: f64, one: f64, other: f64, what: &str) {
    assert!((one - other).abs() <= share * other, "{what}: {one} and {other}");
}

#[test]
fn dctcp_works_alike_with_marks_of_a_program() {
    let of_discipline = ran("discipline", &text("discipline.toml"));
    let of_program = ran("program", &text("program.toml"));
    let both = [&of_program, &of_discipline];
    // What the first windows left behind is gone after 2 ms.
    let [queue, expected] = both.map(|outcome| mean_queue(outcome, BOTTLENECK, Instant::from_microseconds(2000)));
    // DCTCP holds the queue near the threshold of 20 packets of 1538 bytes.
    assert!((10.0..25.0).contains(&(expected / 1538.0)), "{expected} bytes wait");
    assert_within(0.05, queue, expected, "the mean queue");
    let [goodput, expected] = both.map(|outcome| delivered(outcome) as f64);
    // 10 ms of 10 Gb/s are 12.5 MB.
    assert!(expected > 0.9 * 12.5e6 && expected < 12.5e6, "{expected} bytes of payload");
    assert_within(0.05, goodput, expected, "the goodput");
    for outcome in both {
        assert_eq!(outcome.summary.packets.dropped, 0, "marks are enough");
    }
    // The same for the interpreter, to the byte.
    let interpreted = text("program.toml").replace("entries =", "machine = \"v1model\"\nentries =");
    assert_eq!(files(&ran("interpreted", &interpreted))[0], files(&of_program)[0]);
    // Without the program's marks the queue would fill up.
    let deaf = text("program.toml").replace("left.txt", "deaf.txt");
    let routes: String = text("left.txt").lines().filter(|line| line.contains("routes")).collect::<Vec<_>>().join("\n");
    let entries = results("deaf-entries");
    fs::create_dir_all(&entries).expect("a folder");
    fs::write(entries.join("deaf.txt"), format!("{routes}\ntable_set_default thresholds mark_above 500000\n"))
        .expect("a file");
    let deaf = deaf.replace("deaf.txt", &entries.join("deaf.txt").to_string_lossy());
    assert!(mean_queue(&ran("deaf", &deaf), BOTTLENECK, Instant::from_microseconds(2000)) > 3.0 * queue);
}

/// A packet on a captured port: when, in picoseconds, and its first bytes.
type Seen = (u64, Vec<u8>);

/// The packets of a capture.
fn captured(outcome: &Outcome, port: &str) -> Vec<Seen> {
    let is_of = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(port));
    let path = outcome.captures.iter().find(is_of).unwrap_or_else(|| panic!("a capture of {port}"));
    let reader = Reader::new(BufReader::new(File::open(path).expect("a file"))).expect("a capture");
    let packets = reader.map(|packet| packet.expect("a packet"));
    packets.map(|packet| (packet.time.expect("a time").picoseconds, packet.packet.head.bytes().to_vec())).collect()
}

/// The type of a frame that has records, and where the first of them is.
const TELEMETRY: [u8; 2] = [0x88, 0xB5];
const RECORD: usize = 14 + 4;

fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    bytes[at..at + length].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// What the first record of a frame says: ingress and egress time in microseconds, depth and time of the queue.
fn record(frame: &[u8]) -> [u64; 4] {
    let frame = &frame[RECORD..];
    [number(frame, 8, 6), number(frame, 14, 6), number(frame, 20, 4), number(frame, 24, 4)]
}

#[test]
fn telemetry_reports_the_queue_that_each_packet_met() {
    let outcome = ran("telemetry", &text("telemetry.toml"));
    assert_eq!(outcome.flows.iter().filter(|flow| flow.completed.is_some()).count(), 3);
    // What came into the left switch for the other side, in order, and what left it there.
    let is_for_the_right = |(_, frame): &Seen| frame[..4] == [2, 0, 10, 1];
    let mut came: Vec<Seen> = (0..3).flat_map(|port| captured(&outcome, &format!("left-switch-port-{port}"))).collect();
    came.retain(is_for_the_right);
    came.sort_by_key(|(at, _)| *at);
    let mut left = captured(&outcome, "left-switch-port-3");
    left.retain(is_for_the_right);
    assert_eq!(came.len(), left.len(), "nothing is lost");
    assert!(left.iter().all(|(_, frame)| frame[12..14] == TELEMETRY), "all are watched");
    // First in, first out: the packet that came after n others waits for those of them that are not on the line yet.
    let mut deepest = 0;
    for (before, ((came_at, _), (left_at, frame))) in came.iter().zip(&left).enumerate() {
        let gone = left.iter().filter(|(at, _)| at <= came_at).count().min(before);
        let [ingress, egress, depth, time] = record(frame);
        assert_eq!(depth, (before - gone) as u64, "packet {before}");
        assert_eq!((ingress, egress), (came_at / 1_000_000, left_at / 1_000_000), "packet {before}");
        assert_eq!(time, egress - ingress, "packet {before}");
        deepest = deepest.max(depth);
    }
    assert!(deepest > 100, "{deepest} packets wait at most");
    // The probes have seen the same: each look finds those that had come and had not left.
    let queues = outcome.tables.iter().find(|table| table.name == "queues").expect("queues.csv").to_csv();
    let mut looks = 0;
    for look in queues.lines().skip(1).filter(|look| look.contains("left-switch:3")) {
        let mut cells = look.split(',');
        let at: u64 = cells.next().and_then(|cell| cell.parse().ok()).expect("a time");
        let waiting: usize = cells.nth(1).and_then(|cell| cell.parse().ok()).expect("packets");
        let until = |seen: &[Seen]| seen.iter().filter(|(time, _)| *time < at).count();
        assert_eq!(waiting, until(&came) - until(&left), "at {at} ps");
        looks += 1;
    }
    assert!(looks > 500, "{looks} looks saw another queue");
    // The collector gets the same records behind those of the right switch, which had nothing to wait for.
    let told: Vec<Seen> = captured(&outcome, "right-switch-port-2");
    let second = |frame: &[u8]| frame[RECORD + 28..][..28].to_vec();
    assert_eq!(told.len(), left.len());
    for ((_, told), (_, left)) in told.iter().zip(&left) {
        assert_eq!(second(told), &left[RECORD..][..28]);
    }
}

#[test]
fn resumes_with_packets_between_ingress_and_egress() {
    for (name, text) in [("program", text("program.toml")), ("telemetry", text("telemetry.toml"))] {
        let text = text.replace("10 ms", "2 ms");
        for machine in ["native", "v1model"] {
            let text = text.replace("entries =", &format!("machine = \"{machine}\"\nentries ="));
            let whole = ran(&format!("{name}-{machine}-whole"), &text);
            let folder = results(&format!("{name}-{machine}-paused"));
            let mut running = Running { version: "1", ..Running::through(&folder, NonZeroUsize::MIN) };
            for pause in [77, 300, 301, 900] {
                running.pause_at = Some(Instant::from_microseconds(pause));
                assert!(matches!(go(&text, &running), Ok(Ran::Paused(_))), "{name} on {machine} pauses at {pause} us");
                running.resumes = true;
            }
            running.pause_at = None;
            let ended = go(&text, &running).unwrap_or_else(|why| panic!("{why}")).outcome().expect("the end");
            assert!(files(&ended) == files(&whole), "{name} on {machine}: other results");
            for (one, other) in ended.captures.iter().zip(&whole.captures) {
                assert!(fs::read(one).expect("a capture") == fs::read(other).expect("a capture"), "{}", one.display());
            }
        }
    }
}

#[test]
fn refuses_programs_that_read_queues_behind_the_switch() {
    let text = text("program.toml").replacen("queue = \"drop-tail\"", "queue = \"ecn\"", 1);
    let running_in = results("refused");
    let running = Running::through(&running_in, NonZeroUsize::MIN);
    let Err(why) = go(&text, &running) else { panic!("it ran") };
    for part in ["test.toml:", "queue = \"ecn\"", "`enq_qdepth`", "after egress", "queue = \"drop-tail\""] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

/// What a switch is that forwards by a program and does nothing in egress, and a fixed-function one.
const SWITCHES: [(&str, &str); 2] = [
    (
        "inside",
        "[switch]\nprogram = \"../../crates/networks/tests/network/forward.p4\"\n\
         entries = [\"../../crates/networks/tests/network/routes.txt\"]",
    ),
    ("router", "[switch]"),
];

/// Runs an incast of three senders over both, which must not differ in anything; gives what came of it.
#[track_caller]
fn same_inside_as_behind(name: &str, transport: &str, queue: &str) -> Outcome {
    let [inside, router] = SWITCHES.map(|(kind, switch)| {
        let text = format!(
            "[topology]\nkind = \"single-switch\"\nhosts = 4\n[transport]\n{transport}\n{switch}\n{queue}\n\
             [[workload]]\nkind = \"incast\"\nsenders = 3\nreceiver = 0\nbytes = \"300 kB\"\n\
             [probes]\nevery = \"1 us\"\nqueues = [\"*\"]\n"
        );
        ran(&format!("{name}-{kind}"), &text)
    });
    assert_eq!(inside.flows, router.flows);
    let table = |outcome: &Outcome, name: &str| {
        outcome.tables.iter().find(|table| table.name == name).expect("a table").to_csv()
    };
    for name in ["queues", "drops", "links"] {
        assert_eq!(table(&inside, name), table(&router, name), "{name}");
    }
    // The machine counts more than the router, but its queues count the same.
    let of_queues = |outcome: &Outcome| -> Vec<String> {
        table(outcome, "counters").lines().filter(|line| line.contains("SAI_")).map(str::to_owned).collect()
    };
    assert_eq!(of_queues(&inside), of_queues(&router));
    assert!(!of_queues(&inside).is_empty());
    inside
}

#[test]
fn queues_inside_and_behind_a_switch_are_alike() {
    let drop_tail = "queue = \"drop-tail\"\nlimit = \"15 packets\"";
    let lossy = same_inside_as_behind("lossy", "kind = \"cubic\"", drop_tail);
    assert!(lossy.summary.packets.dropped > 0, "there is not always room");
    // With memory that ports share, and pauses: of what waits inside the switch others are asked to stop.
    let shared = format!("{drop_tail}\n[switch.buffer]\ntotal = \"30 kB\"");
    same_inside_as_behind("shared", "kind = \"cubic\"", &shared);
    let lossless = "queue = \"drop-tail\"\nlimit = \"15 packets\"\n[switch.flow_control]\nxoff = \"10 packets\"";
    let lossless = same_inside_as_behind("lossless", "kind = \"rocev2\"\ndcqcn = false", lossless);
    assert_eq!(lossless.summary.packets.dropped, 0, "pauses keep everything");
    let pauses = lossless.tables.iter().find(|table| table.name == "counters").expect("counters").to_csv();
    assert!(pauses.contains("SAI_PORT_STAT_PFC_0_TX_PKTS"), "{pauses}");
    // Classes by the code point that packets come with: nobody sets one here, and the program chooses none.
    let classes = "queue = \"strict-priorities\"\n[[switch.class]]\nqueue = \"drop-tail\"\nlimit = \"15 packets\"\n\
                   [[switch.class]]\ndscps = [46]\nqueue = \"drop-tail\"\nlimit = \"5 packets\"";
    same_inside_as_behind("classes", "kind = \"cubic\"", classes);
}
