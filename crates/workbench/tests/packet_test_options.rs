//! Packet tests that say on which machine they run, and how long they wait.

use std::fs;
use std::path::PathBuf;

use workbench::kinds::{self, Settings, option};
use workbench::packet_test::{PacketTest, TestOutcome};
use workbench::{Entries, LoadOptions, LoadedProgram};

/// Sends every packet to port 8 and counts it, in queue 0 of the port.
const PROGRAM: &str = r"
#include <core.p4>
#include <tna.p4>
struct headers_t { }
struct metadata_t { }
parser IngressParser(packet_in packet, out headers_t hdr, out metadata_t meta, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}
control Ingress(
    inout headers_t hdr, inout metadata_t meta, in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser, inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    Counter<bit<32>, bit<1>>(2, CounterType_t.PACKETS) second_of_ten;
    apply {
        for_manager.ucast_egress_port = 8;
        second_of_ten.count(intrinsic.ingress_mac_tstamp >= 10000 && intrinsic.ingress_mac_tstamp < 20000 ? 1w1 : 1w0);
    }
}
control IngressDeparser(
    packet_out packet, inout headers_t hdr, in metadata_t meta, in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{ apply { } }
parser EgressParser(packet_in packet, out headers_t hdr, out metadata_t meta, out egress_intrinsic_metadata_t intrinsic) {
    state start { packet.extract(intrinsic); transition accept; }
}
control Egress(
    inout headers_t hdr, inout metadata_t meta, in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{ apply { } }
control EgressDeparser(
    packet_out packet, inout headers_t hdr, in metadata_t meta, in egress_intrinsic_metadata_for_deparser_t for_deparser)
{ apply { } }
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
";

/// A packet of 100 bytes takes 80 us at this rate, and two of them fill the queue.
const CHIP: &str = "[[port]]\nports = [4]\n[[port]]\nports = [8]\nrate = \"10 Mb/s\"\n[port.queue]\nqueues = 1\n\
                    [[port.queue.class]]\nqueues = [0]\nlimit = 4\n";

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("packet_test_options").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("program.p4"), PROGRAM).unwrap();
    fs::write(folder.join("slow.toml"), CHIP).unwrap();
    folder
}

/// Runs a test of these lines in a folder of this name, on a machine with these settings.
fn run(name: &str, machine: &str, lines: &str, settings: &Settings) -> Result<TestOutcome, String> {
    let folder = folder(name);
    let program = LoadedProgram::read(&folder.join("program.p4"), &LoadOptions::default());
    let program = program.map_err(|failure| failure.render(false)).unwrap();
    let path = folder.join("test.stf");
    fs::write(&path, lines).unwrap();
    let kind = kinds::named(machine).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let ran = PacketTest::read(&path, &program)
        .and_then(|test| test.fit(kind, &program, settings).and_then(|fitted| test.run(Entries::none(), &*fitted, 1)));
    ran.map_err(|failure| failure.render(false).replace(&folder.display().to_string(), "FOLDER"))
}

fn refused(name: &str, machine: &str, lines: &str) -> String {
    run(name, machine, lines, &Settings::default()).expect_err("the test is refused")
}

fn packet() -> String {
    format!("packet 4 {}\n", "ab".repeat(100))
}

#[test]
fn packets_meet_in_the_queues_of_the_chip_that_a_test_names() {
    let option = "option chip slow.toml\n";
    // One is on the line, two wait, and the others find no room.
    let burst = format!("{}{}", packet().repeat(5), "expect 8\n".repeat(3));
    let passes = |name: &str, lines: &str| run(name, "tofino", lines, &Settings::default()).unwrap().passed;
    assert!(passes("burst", &format!("{option}{burst}")));
    // Where nothing waits, all five get through.
    assert!(!passes("no_chip", &burst));
    assert!(passes("no_chip", &format!("{burst}{}", "expect 8\n".repeat(2))));
    // The queue is empty again after each `wait`.
    let one = format!("{}wait\n", packet());
    assert!(passes("waits", &format!("{option}{}{}", one.repeat(5), "expect 8\n".repeat(5))));
}

#[test]
fn a_test_waits_for_a_time_after_the_last_packet() {
    let lines = |wait: &str| {
        let checks = "check_counter second_of_ten(0) packets == 1\ncheck_counter second_of_ten(1) packets == 2\n";
        format!("{}{wait}\n{}{}expect 8\nexpect 8\nexpect 8\n{checks}", packet(), packet(), packet())
    };
    let passes = |wait: &str| run("wait", "tofino", &lines(wait), &Settings::default()).unwrap().passed;
    assert!(passes("wait 10 us"));
    assert!(passes("wait 18 us"));
    assert!(!passes("wait 9 us"));
    assert!(!passes("wait 19 us"));
    assert!(!passes("wait"));
    // The second packet of a chip that takes long is finished, too, after 80 us.
    let slow =
        format!("option chip slow.toml\n{}wait 10 us\n{}{}", packet().repeat(2), packet(), "expect 8\n".repeat(3));
    let late = format!("{slow}check_counter second_of_ten(1) packets == 0\n");
    assert!(run("wait", "tofino", &late, &Settings::default()).unwrap().passed);
}

#[test]
fn what_the_command_line_says_goes_before_the_options_of_a_test() {
    let folder = folder("both");
    let wide = CHIP.replace("limit = 4", "limit = 100");
    fs::write(folder.join("wide.toml"), wide).unwrap();
    let mut settings = Settings::default();
    let chip = folder.join("wide.toml").display().to_string();
    settings.given.push(option::named("chip").unwrap(), chip).unwrap_or_else(|_| panic!("the file is there"));
    let lines = format!("option chip slow.toml\n{}{}", packet().repeat(5), "expect 8\n".repeat(5));
    assert!(run("both", "tofino", &lines, &settings).unwrap().passed);
}

#[test]
fn options_that_cannot_be_are_reported_at_their_lines() {
    let wrong = "option ship slow.toml\noption chip fast.toml\noption executor native\noption executor interpreter\n\
                 wait\noption chip-cpu-port 65\n";
    let found = refused("wrong", "tofino", wrong);
    for (place, message) in [
        ("test.stf:1:8", "no machine has the option `ship`"),
        ("test.stf:2:13", "`fast.toml`: for tofino, there is no such file"),
        ("test.stf:4:1", "the option `executor` is given twice"),
        ("test.stf:6:1", "the machine is built before the first line"),
    ] {
        assert!(found.contains(place) && found.contains(message), "{place} {message}\n{found}");
    }
    let foreign = refused("foreign", "tofino", "wait\n".replace("wait", "option fifo-depth 8").as_str());
    assert!(foreign.contains("test.stf:1:1") && foreign.contains("`fifo-depth` is an option of mp5"), "{foreign}");
}
