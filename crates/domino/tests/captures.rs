//! Runs the programs of `programs/domino/` on the captures of `programs/captures/`, binding fields to packets by name
//! and by binding files. The expected numbers are those in the programs' READMEs; `programs/captures/count.py` computes
//! them independently of this workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use basis::Instant;
use diagnostics::Sources;
use ir::Program;
use ir::interpret::Interpreter;
use runtime::binding::{Binding, Departure, FieldShape};
use wire::Packet;
use wire::capture::Reader;

/// A packet that the program has processed.
struct Processed {
    fields: BTreeMap<String, i128>,
    packet: Packet,
    departure: Departure,
}

impl Processed {
    fn field(&self, name: &str) -> i128 {
        self.fields[name]
    }
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

fn compile(name: &str) -> (Program, Binding) {
    let folder = programs().join("domino").join(name);
    let mut sources = Sources::new();
    let compiled = domino::compile_file(&mut sources, &folder.join(format!("{name}.c")));
    let program = compiled.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false))).program;
    let file = fs::read_to_string(folder.join(format!("{name}.toml"))).ok();
    let file = file.map(|text| sources.add(format!("{name}.toml"), text));
    let shapes: Vec<FieldShape<'_>> =
        program.fields().map(|(_, field)| FieldShape { name: &field.name, width: field.ty.width() }).collect();
    let binding = Binding::resolve(&shapes, file.map(|id| (&sources, id)));
    let binding = binding.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
    (program, binding)
}

/// Runs a program on a capture. The first packet arrives at time 0, and all packets arrive on port 0.
fn run(name: &str, capture: &str) -> Vec<Processed> {
    let (program, binding) = compile(name);
    let mut interpreter = Interpreter::new(&program);
    let mut values = vec![0; program.variables.len()];
    let bytes = fs::read(programs().join("captures").join(capture)).expect("the capture");
    let (mut first, mut processed) = (None, Vec::new());
    for captured in Reader::new(&bytes[..]).expect("a capture") {
        let captured = captured.expect("a whole record");
        let time = captured.time.expect("a timestamp");
        let since = time.picoseconds_since(*first.get_or_insert(time));
        let mut packet = captured.packet;
        packet.sidecar.arrival = Instant::from_picoseconds(u64::try_from(since).expect("time goes on"));
        if !binding.load(&packet, 0, &mut values) {
            continue;
        }
        interpreter.packet(&mut values);
        let departure = binding.store(&values, &mut packet);
        let number = |(id, field): ir::Field<'_>| (field.name.clone(), field.ty.number(values[id.index()]));
        processed.push(Processed { fields: program.fields().map(number).collect(), packet, departure });
    }
    processed
}

fn count(packets: &[Processed], is_meant: impl Fn(&Processed) -> bool) -> usize {
    packets.iter().filter(|packet| is_meant(packet)).count()
}

#[test]
fn flowlet_spreads_flows_over_all_paths() {
    let packets = run("flowlet", "office.pcap");
    assert_eq!(packets.len(), 3702);
    assert_eq!(count(&packets, |packet| packet.field("pause") > 500), 1355);
    let on_path = |path: u16| count(&packets, |packet| packet.departure.port == Some(path));
    assert_eq!((0..8).map(on_path).collect::<Vec<_>>(), [604, 453, 522, 458, 437, 501, 351, 376]);
}

#[test]
fn heavy_flows_get_a_lower_traffic_class() {
    let packets = run("heavy_hitters", "office.pcap");
    let flow = |packet: &Processed| (packet.field("sport"), packet.field("dport"));
    let heavy: BTreeSet<_> = packets.iter().filter(|packet| packet.field("heavy") == 1).map(flow).collect();
    assert_eq!(heavy.len(), 53);
    // The second byte of the IPv4 header holds the DSCP above two ECN bits.
    assert_eq!(count(&packets, |packet| packet.packet.head.bytes()[15] >> 2 == 1), 880);
}

#[test]
fn the_firewall_drops_unsolicited_packets() {
    let packets = run("stateful_firewall", "office.pcap");
    let dropped: Vec<_> = packets.iter().filter(|packet| packet.departure.drop).collect();
    let ports: Vec<i128> = dropped.iter().map(|packet| packet.field("dport")).collect();
    assert_eq!(ports, [22, 23, 80, 443, 3389, 8080]);
    assert!(dropped.iter().all(|packet| packet.field("src") == 0x0a4d_0084 && packet.field("dst") == 0x0a4d_0003));
}

#[test]
fn finds_changing_time_to_live_of_cached_names() {
    for (capture, answers, changes) in [("dns.pcap", 240, 4), ("office.pcap", 75, 2)] {
        let packets = run("dns_ttl_change", capture);
        assert_eq!(packets.len(), answers, "{capture}: the program applies to answers only");
        let mut most = BTreeMap::new();
        for packet in &packets {
            most.insert(packet.field("rdata") as u32, packet.field("changes"));
        }
        let changing: Vec<_> = most.into_iter().filter(|&(_, changes)| changes > 0).collect();
        // 198.51.100.1 and .2 are the addresses of the names under .dyn.
        assert_eq!(changing, [(0xC633_6401, changes), (0xC633_6402, changes)], "{capture}");
    }
}

#[test]
fn learns_each_sender_once() {
    let packets = run("learning_filter", "office.pcap");
    let endpoints: BTreeSet<_> = packets.iter().map(|packet| (packet.field("src"), packet.field("sport"))).collect();
    assert_eq!((endpoints.len(), count(&packets, |packet| packet.field("learn") == 1)), (231, 230));
}

#[test]
fn fair_queueing_and_sequencing_of_packets() {
    let late = |packet: &Processed| packet.field("start") > packet.field("virtual_time");
    assert_eq!(count(&run("stfq", "office.pcap"), late), 2117);
    let numbers = run("sequencer", "office.pcap");
    assert_eq!(numbers.iter().map(|packet| packet.field("sequence")).max(), Some(803));
    assert_eq!(
        run("packet_counter", "office.pcap").iter().map(|packet| packet.field("length")).sum::<i128>(),
        1_865_833
    );
}

#[test]
fn programs_ignore_packets_of_other_protocols() {
    for name in ["conga", "hula_probe", "rcp"] {
        assert!(run(name, "office.pcap").is_empty(), "{name} applies to something in office.pcap");
    }
}
