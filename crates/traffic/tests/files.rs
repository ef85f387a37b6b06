//! Replay of captures, tables and published traces.

mod common;

use common::{assert_findings, file, packets, plan, prepare, rendered, values};
use proptest::prelude::*;
use traffic::{Input, Pace, PublishedShape, PublishedTrace, Replay, StatefulAccess, Traffic, TrafficSource};
use wire::capture::{PcapWriter, Resolution, Timestamp};
use wire::{FiveTuple, LinkLayer, Packet};

const WIRE: [&str; 2] = ["sport", "dport"];

/// Returns a capture of generated packets of a few flows, 10 us apart except for the third, whose time goes back.
fn capture(count: u64) -> Vec<u8> {
    let mut writer = PcapWriter::new(Vec::new(), LinkLayer::Ethernet, Resolution::Nanoseconds).unwrap();
    for (number, offered) in
        packets(&plan(&format!("uniform:packets={count},flows=9,size=64..300")), &WIRE).iter().enumerate()
    {
        let microseconds = if number == 2 { 5 } else { 10 * number as u64 };
        let time = Timestamp::new(1_700_000_000, 999_000_000_000 + microseconds * 1_000_000);
        writer.write(time, &offered.packet).unwrap();
    }
    // A packet other than IP takes part too.
    writer.write(Timestamp::new(1_700_000_001, 0), &Packet::of_bytes(&[0xFF; 60])).unwrap();
    writer.finish().unwrap()
}

fn replay(bytes: &[u8], change: impl FnOnce(&mut Replay)) -> Traffic {
    let mut replay = Replay::of(file("x.pcap", bytes));
    change(&mut replay);
    Traffic::new(TrafficSource::Capture(replay))
}

#[test]
fn replays_at_line_rate_with_one_port_per_flow() {
    let all = packets(&replay(&capture(20), |replay| replay.repeat = 3), &WIRE);
    assert_eq!(all.len(), 63);
    let mut bytes = 0;
    for offered in &all {
        bytes += offered.packet.len().max(64) as u64;
        assert_eq!(offered.at.picoseconds(), bytes * 1000 / 64 / 4);
        let port = FiveTuple::of(&offered.packet).map_or(0, |flow| flow.hash() % 64);
        assert_eq!(u64::from(offered.port.0), port);
    }
    assert!(all[..21].iter().zip(&all[21..42]).all(|(first, second)| first.packet == second.packet));
}

#[test]
fn replays_by_timestamps_with_scaled_gaps() {
    let paced = |numerator, denominator| {
        replay(&capture(20), |replay| {
            replay.pace = Pace::Timestamps { numerator, denominator };
            replay.repeat = 2;
        })
    };
    let at =
        |traffic: &Traffic| packets(traffic, &WIRE).iter().map(|p| p.at.picoseconds() / 1_000_000).collect::<Vec<_>>();
    let times = at(&paced(1, 1));
    assert_eq!(times[..5], [0, 10, 10, 30, 40], "a time that goes back is replaced by the latest one");
    assert_eq!(times[20], 1000);
    assert_eq!(times[21], 1050, "the next round begins after the mean gap of 50 us");
    assert_eq!(at(&paced(1, 10))[..5], [0, 1, 1, 3, 4]);
    let prepared = prepare(&paced(1, 1), &WIRE).unwrap();
    let (sources, found) = prepared.warnings();
    assert!(found.render(sources, false).contains("1 packets have earlier times"));
}

#[test]
fn refuses_or_accepts_captures_with_faults() {
    let mut bytes = capture(5);
    bytes.truncate(bytes.len() - 10);
    let text = prepare(&replay(&bytes, |_| {}), &WIRE).unwrap_err();
    assert!(text.contains("x.pcap: byte ") && text.contains("the file ends inside a packet record"), "{text}");
    assert!(text.contains("`faults=accept`"), "{text}");
    let accepting = replay(&bytes, |replay| replay.accepts_faults = true);
    assert_eq!(packets(&accepting, &WIRE).len(), 5);
    assert!(prepare(&replay(b"not a capture", |_| {}), &WIRE).unwrap_err().contains("this is not a capture"));
    let far = replay(&capture(5), |replay| replay.pace = Pace::Timestamps { numerator: u32::MAX, denominator: 1 });
    assert_eq!(packets(&far, &WIRE).len(), 6);
    let too_far = replay(&capture(5), |replay| {
        replay.pace = Pace::Timestamps { numerator: u32::MAX, denominator: 1 };
        replay.repeat = u32::MAX;
    });
    assert!(prepare(&too_far, &WIRE).unwrap_err().contains("more time than a run can have"));
}

fn table(text: &str) -> Traffic {
    Traffic::new(TrafficSource::Table(file("t.csv", text)))
}

#[test]
fn a_table_has_a_packet_per_line() {
    let text =
        "time, port, x, length, y\n0.25, 3, 7, 100, -1\n# why not\n0.25, 1, 0x10, 64, 4294967295\n\n2,0,1,64,2\n";
    let all = packets(&table(text), &["x", "y", "arrival", "length", "z"]);
    let seen: Vec<_> = all.iter().map(|offered| (offered.at.picoseconds(), offered.port.0, values(offered))).collect();
    assert_eq!(
        seen,
        [
            (250_000, 1, vec![16, u32::MAX, 0, 64, 0]),
            (250_000, 3, vec![7, u32::MAX, 0, 100, 0]),
            (2_000_000, 0, vec![1, 2, 2, 64, 0]),
        ],
        "of equal times the smaller port comes first"
    );
    assert_eq!(all[1].packet.len(), 100);
    let prepared = prepare(&table(text), &["x", "y", "arrival", "z"]).unwrap();
    let (sources, found) = prepared.warnings();
    let warnings = found.render(sources, false);
    assert!(warnings.contains("warning: no column for z"), "{warnings}");
    let mut fields = [0; 4];
    assert!(prepared.binding().load(&all[0].packet, 0, &mut fields));
    assert_eq!(fields[..2], [16, u32::MAX.into()]);
}

#[test]
fn tables_default_to_line_rate_and_ports_in_turn() {
    let all = packets(&table("x\n1\n2\n3\n"), &["x"]);
    let seen: Vec<_> = all.iter().map(|offered| (offered.at.picoseconds(), offered.port.0)).collect();
    assert_eq!(seen, [(250, 0), (500, 1), (750, 2)]);
}

#[test]
fn reports_all_mistakes_of_a_table_with_positions() {
    let text = "x,yy,port,time,x\n1,2,64,0,1\n1,2\n,2,1,0.1234567,3\n1,4294967296,1,9,1\n1,2,3,1,1\n";
    let text = prepare(&table(text), &["x", "y"]).unwrap_err();
    let expected = [
        ("t.csv:1:3", "the program has no field `yy`", "(x, y)"),
        ("t.csv:1:16", "column `x` appears twice", "leave one out"),
        ("t.csv:1:1", "no column for y", "0 on arrival"),
        ("t.csv:2:5", "there is no port 64", "64 ports"),
        ("t.csv:3:1", "2 values, but the first line has 5 columns", "one value per column"),
        ("t.csv:4:1", "`` is not a number", "hexadecimal"),
        ("t.csv:4:6", "`0.1234567` is not a time", "six digits"),
        ("t.csv:6:1", "this packet is earlier than one before it", "sort"),
    ];
    assert_findings(&text, &expected);
    let text = prepare(&table("x\n4294967296\n-2147483649\n-2147483648\n4294967295"), &["x"]).unwrap_err();
    assert_eq!(text.matches("does not fit the field's 32 bits").count(), 2, "{text}");
    assert!(prepare(&table("# nothing\n"), &["x"]).unwrap_err().contains("the table is empty"));
}

const FLOWS: &str = "flowid,stage_num_1,state_in_stage_1,...\n1,10,0,4,7\n2,4,1\n";
const PACKETS: &str = "port,pkt_size,flowid,time\n0,64,2,9\n5,64,1,3\n1,200,2,3\n5,64,2,3\n";

fn published(flows: &str, packets: &str) -> Result<PublishedTrace, String> {
    PublishedTrace::read(&file("flows.csv", flows), &file("packets.csv", packets)).map_err(rendered)
}

#[test]
fn reads_published_traces_in_order_of_time() {
    let trace = published(FLOWS, PACKETS).unwrap();
    let seen: Vec<_> =
        trace.packets().map(|(p, accesses)| (p.cycle, p.port, p.size, p.flow, accesses.to_vec())).collect();
    let [four_of_1, ten_of_1, four_of_2] =
        [(4, 7), (10, 0), (4, 1)].map(|(stage, index)| StatefulAccess { stage, index });
    assert_eq!(
        seen,
        [
            (3, 1, 200, 2, vec![four_of_2]),
            (3, 5, 64, 1, vec![four_of_1, ten_of_1]),
            (3, 5, 64, 2, vec![four_of_2]),
            (9, 0, 64, 2, vec![four_of_2]),
        ]
    );
    let shape = PublishedShape::from_name("heavytail_60_12_16_4_512_64.csv").unwrap();
    assert_eq!((shape.ports, shape.pipelines, shape.stages, shape.stateful_stages), (60, 12, 16, 4));
    assert_eq!((shape.register_size, shape.packet_size), (512, 64.into()));
    assert_eq!(PublishedShape::from_name("uniform_64_4.csv"), None);
}

#[test]
fn reports_all_mistakes_of_a_trace_with_positions() {
    let text =
        published("flowid\n1,4,0,4,1\n2,5\n2,x,0\n3,1,1\n3,2,2\n", "0,64,1,1\nport\n0,64,9,1\n0,64,3\n-1,64,3,1\n")
            .unwrap_err();
    for (place, message) in [
        ("flows.csv:2:1", "flow 1 accesses stage 4 twice"),
        ("flows.csv:3:3", "a stage without an index"),
        ("flows.csv:4:3", "`x` is not a valid stage"),
        ("flows.csv:6:1", "flow 3 appears twice"),
        ("packets.csv:1:1", "the header line is missing"),
        ("packets.csv:2:1", "this line is not a packet"),
        ("packets.csv:3:6", "flow 9 is not in the file of flows"),
        ("packets.csv:4:1", "this line is not a packet"),
        ("packets.csv:5:1", "`-1` is not a valid port"),
    ] {
        let found = text.split("\n\n").any(|finding| finding.contains(place) && finding.contains(message));
        assert!(found, "{place} {message}: {text}");
    }
}

/// Generates valid bytes with some of them changed, removed or added.
fn mutated(valid: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(&b"0,-.x\n\"#9"[..])]);
    (proptest::collection::vec(change, 0..8), any::<prop::sample::Index>()).prop_map(move |(changes, cut)| {
        let mut bytes = valid.clone();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            if value % 3 == 0 { bytes.insert(place, value) } else { bytes[place] = value }
        }
        bytes.truncate(cut.index(2 * bytes.len()).max(1));
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn survives_arbitrary_and_damaged_files(
        which in 0..4usize,
        noise in proptest::collection::vec(any::<u8>(), 0..300),
        capture in mutated(capture(4)),
        table in mutated(b"time,port,x,length,y\n0.25,3,7,100,-1\n0.5,1,0x10,64,4294967295\n2,0,1,64,2\n".to_vec()),
        flows in mutated(FLOWS.as_bytes().to_vec()),
        trace in mutated(PACKETS.as_bytes().to_vec()),
        repeat in 1..3u32,
        timed in any::<bool>(),
    ) {
        let input = |name: &str, bytes: &[u8]| Input::of_bytes(name, bytes);
        let pace = if timed { Pace::Timestamps { numerator: 1, denominator: 3 } } else { Pace::LineRate };
        let capture = if which == 0 { &noise } else { &capture };
        let table = if which == 1 { &noise } else { &table };
        for accepts_faults in [false, true] {
            let replay = Replay { input: input("c", capture), pace, repeat, accepts_faults };
            let traffic = Traffic::new(TrafficSource::Capture(replay));
            if prepare(&traffic, &WIRE).is_ok() {
                let all = packets(&traffic, &WIRE);
                prop_assert!(all.windows(2).all(|pair| pair[0].at <= pair[1].at));
            }
        }
        let traffic = Traffic::new(TrafficSource::Table(input("t", table)));
        if prepare(&traffic, &["x", "y"]).is_ok() {
            let all = packets(&traffic, &["x", "y"]);
            prop_assert!(all.windows(2).all(|pair| (pair[0].at, pair[0].port) <= (pair[1].at, pair[1].port)));
        }
        let (flows, trace) = if which == 2 { (&noise, &noise) } else { (&flows, &trace) };
        if let Ok(trace) = PublishedTrace::read(&input("f", flows), &input("p", trace)) {
            prop_assert_eq!(trace.packets().count(), trace.len());
        }
    }
}

#[test]
fn the_program_determines_records_or_headers() {
    let form = |text: &str, fields: &[&str]| packets(&plan(text), fields)[0].packet.sidecar.link;
    assert_eq!(form("uniform", &["sport", "id"]), LinkLayer::Ethernet);
    assert_eq!(form("uniform", &["mux", "arrival"]), LinkLayer::Record);
    assert_eq!(form("uniform:form=record", &["sport"]), LinkLayer::Record);
    assert_eq!(form("uniform:field.sport=1..9", &["sport"]), LinkLayer::Record);
    // A program that requires other headers than the generated ones gets records, and a warning says so.
    let mut sources = diagnostics::Sources::new();
    let id = sources.add("x.toml", "applies = \"udp.dport == 7777\"");
    let shapes = [runtime::binding::FieldShape { name: "x", width: 32 }];
    let waiting = runtime::binding::Binding::resolve(&shapes, Some((&sources, id))).unwrap();
    let prepared =
        plan("uniform").prepare(&waiting, 4, basis::Duration::from_nanoseconds(1)).map_err(rendered).unwrap();
    let first = prepared.packets().next().unwrap();
    assert_eq!(first.packet.sidecar.link, LinkLayer::Record);
    assert!(prepared.binding().load(&first.packet, 0, &mut [0]));
    assert!(rendered(prepared.warnings().clone()).contains("does not apply to generated headers"));
}

/// The traces and captures that the project was given are read if they are present: see docs/traffic.md.
#[test]
fn reads_the_given_captures_and_traces_without_findings() {
    let files = |variable: &str| {
        let directory = std::env::var_os(variable)?;
        let mut files: Vec<_> =
            std::fs::read_dir(directory).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        Some(files)
    };
    let is = |path: &std::path::Path, start: &str, end: &str| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(start) && name.ends_with(end))
    };
    for path in files("CAPTURES").into_iter().flatten().filter(|path| is(path, "", ".pcap")) {
        let traffic = Traffic::new(TrafficSource::Capture(Replay::of(Input::Path(path))));
        assert!(packets(&traffic, &WIRE).len() > 100);
    }
    let traces = files("MP5_TRACES").unwrap_or_default();
    for flows in traces.iter().filter(|path| is(path, "flows_", ".csv")) {
        for kind in ["uniform", "heavytail"] {
            let name = flows.file_name().unwrap().to_str().unwrap().replace("flows", kind);
            let shape = PublishedShape::from_name(&name).unwrap();
            let trace = PublishedTrace::read(&Input::Path(flows.clone()), &Input::Path(flows.with_file_name(&name)));
            let trace = trace.unwrap_or_else(|findings| panic!("{}", rendered(findings)));
            assert_eq!(trace.len(), shape.ports as usize * 100);
            let text = format!("published:{},ports={}", flows.with_file_name(&name).display(), shape.ports);
            for fields in [&WIRE[..], &["stage_0", "stage_14"]] {
                assert_eq!(packets(&plan(&text), fields).len(), trace.len());
            }
            // Flow 0, in traces without state, accesses nothing.
            let least = shape.stateful_stages.min(1) as usize;
            assert!(trace.flows().all(|it| (least..=shape.stateful_stages as usize).contains(&it.len())));
        }
    }
}
