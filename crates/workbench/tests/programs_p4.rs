//! Every program in `programs/p4/` passes its packet tests on the switch or chip for which it is written.
//! `programs/p4/reference.py` generates these tests without using any of our code.

#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use basis::Instant;
use control::{ActionCall, Info, Request, Response, TableNumber, TableRequest, Target};
use diagnostics::Failure;
use diagnostics::Sources;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::tofino::{ChipSettings, Tofino, TofinoParameters};
use node::{Outbox, Port};
use on_all_cores::on_all_cores;
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::Packet;
use workbench::Entries;
use workbench::kinds::{self, Fitted, Given, Settings, option};
use workbench::packet_test::{PacketTest, TestOutcome};
use workbench::run::{CaptureInput, Offer, Pace, Run};
use workbench::{LoadOptions, LoadedProgram};

fn said<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// Returns the folders of the programs with their names, sorted by name.
fn folders() -> Vec<(String, PathBuf)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4");
    let mut folders: Vec<(String, PathBuf)> = fs::read_dir(&all)
        .expect("programs/p4")
        .map(|entry| entry.expect("an entry of programs/p4").path())
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .filter(|(name, path)| path.join(format!("{name}.p4")).exists())
        .collect();
    folders.sort();
    assert!(folders.len() >= 15, "programs are missing: {folders:?}");
    folders
}

fn folder(name: &str) -> PathBuf {
    folders().into_iter().find(|(known, _)| known == name).expect("the program").1
}

fn program(name: &str) -> LoadedProgram {
    let program = said(LoadedProgram::read(&folder(name).join(format!("{name}.p4")), &LoadOptions::default()));
    assert_eq!(program.warnings, "", "our own programs have no warnings");
    program
}

/// Returns the name of the machine for which a program is written.
fn usual(program: &LoadedProgram) -> &'static str {
    kinds::usual(program).name()
}

/// Runs every packet test of a folder on a kind of machine.
fn outcomes(folder: &Path, program: &LoadedProgram, machine: &str, given: &[(&str, &str)]) -> Vec<TestOutcome> {
    let mut settings = Settings::default();
    given.iter().for_each(|(name, text)| said(settings.given.push(option::named(name).expect("the option"), *text)));
    let kind = said(kinds::named(machine));
    outcomes_on(folder, program, |test| said(test.fit(kind, program, &settings))).collect()
}

/// Runs the packet tests of a folder, each when the iterator is asked for its outcome, on what `fit` makes for it. Tests that
/// ask for the same options run on the same, for a machine of machine code takes long to make.
fn outcomes_on<'p>(
    folder: &Path,
    program: &'p LoadedProgram,
    fit: impl Fn(&PacketTest) -> Box<dyn Fitted + 'p>,
) -> impl Iterator<Item = TestOutcome> {
    let mut tests: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "stf"))
        .collect();
    tests.sort();
    assert!(!tests.is_empty(), "{}: no packet tests", folder.display());
    let mut fitted: Vec<(Given, Box<dyn Fitted + 'p>)> = Vec::new();
    tests.into_iter().map(move |path| {
        let test = said(PacketTest::read(&path, program));
        assert_eq!(test.warnings(), "", "our own tests have no warnings");
        let known = fitted.iter().position(|(options, _)| *options == test.options()).unwrap_or_else(|| {
            fitted.push((test.options(), fit(&test)));
            fitted.len() - 1
        });
        said(test.run(Entries::none(), &*fitted[known].1, 1))
    })
}

#[test]
fn every_program_passes_its_packet_tests() {
    on_all_cores(&folders(), |(name, folder)| {
        let program = program(name);
        for outcome in outcomes(folder, &program, usual(&program), &[]) {
            assert!(outcome.passed, "{outcome}");
            assert!(!outcome.expectations.is_empty() && !outcome.checks.is_empty(), "{outcome}");
        }
    });
}

/// The machine that runs programs of threads, and none in P4.
const OF_THREADS: &str = "trio";

/// The packets of a test arrive one microsecond apart, so that none overtakes another on any machine. On its usual machine
/// every program passes in the test above.
#[test]
fn every_program_passes_on_every_machine_that_it_fits() {
    let machines = kinds::ALL.into_iter().filter(|machine| machine.name() != OF_THREADS);
    let held = on_all_cores(&folders(), |(name, folder)| {
        let program = program(name);
        let mut held = BTreeSet::from([usual(&program)]);
        for machine in machines.clone().filter(|machine| machine.name() != usual(&program)) {
            match machine.fit(&program, &Settings::default()) {
                Err(Failure::DoesNotFit(_)) => continue,
                fitted => drop(said(fitted)),
            }
            held.insert(machine.name());
            for outcome in outcomes(folder, &program, machine.name(), &[]) {
                assert!(outcome.passed, "{name} on {}: {outcome}", machine.name());
            }
        }
        held
    });
    let held: BTreeSet<&str> = held.into_iter().flatten().collect();
    for machine in machines {
        assert!(held.contains(machine.name()), "{} holds no program", machine.name());
    }
}

#[test]
fn no_program_depends_on_undefined_values() {
    on_all_cores(&folders(), |(name, folder)| {
        let program = program(name);
        let outcomes = match usual(&program) {
            "tofino" => outcomes_on(folder, &program, |test| InterpretedChip::fit(&program, test, Some(7))).collect(),
            usual => outcomes(folder, &program, usual, &[("undefined", "random:7")]),
        };
        for outcome in outcomes {
            assert!(outcome.passed, "{name}: {outcome}");
        }
    });
}

/// A chip whose blocks run in the interpreter; no machine of a name is one.
struct InterpretedChip<'p> {
    program: &'p LoadedProgram,
    undefined: Option<u64>,
    chip: Option<ChipSettings>,
}

impl<'p> InterpretedChip<'p> {
    fn fit(program: &'p LoadedProgram, test: &PacketTest, undefined: Option<u64>) -> Box<dyn Fitted + 'p> {
        let parse = |file: &str| said(ChipSettings::parse(file, &fs::read_to_string(file).expect("the chip")));
        let chip = test.options().last("chip").map(parse);
        Box::new(Self { program, undefined, chip })
    }
}

impl Fitted for InterpretedChip<'_> {
    fn program(&self) -> &LoadedProgram {
        self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let executor = PacketInterpreter::new(self.program.program.clone());
        let (undefined, chip) = (self.undefined, self.chip.clone());
        let parameters = TofinoParameters { seed, undefined, chip, ..TofinoParameters::default() };
        Ok(Box::new(Tofino::new(executor, self.program.info.clone(), parameters)?))
    }
}

#[test]
fn programs_for_the_chip_pass_in_the_interpreter() {
    let mut programs = 0;
    for (name, folder) in folders() {
        let program = program(&name);
        if usual(&program) != "tofino" {
            continue;
        }
        programs += 1;
        for outcome in outcomes_on(&folder, &program, |test| InterpretedChip::fit(&program, test, None)) {
            assert!(outcome.passed, "{name}: {outcome}");
        }
    }
    assert!(programs >= 7, "programs are missing");
}

/// What a packet test of `ndp` prints and does not compare.
#[test]
fn egress_sees_whether_a_deflected_packet_was_the_last_of_its_queue() {
    let program = program("ndp");
    let outcomes = outcomes(&folder("ndp"), &program, usual(&program), &[]);
    let full = outcomes.iter().find(|outcome| outcome.test.ends_with("full.stf")).expect("the test");
    let found: Vec<&str> = full.reads.iter().flat_map(|read| read.found.iter().map(String::as_str)).collect();
    // It begins at 1, and the first and the third of three packets left an empty queue.
    assert_eq!(found, ["3", "3"]);
    assert_eq!(full.statistics.discarded.of(machines::tofino::reasons::DEFLECTION_FULL), 4);
}

#[test]
fn packet_tests_detect_small_mistakes_in_programs() {
    // Shows that the first test is strict: it must fail if a single comparison, field or constant is wrong.
    let slips = [
        ("router", "time_to_live <= 1", "time_to_live == 0"),
        ("router", "header_length - 5) * 32", "header_length - 5) * 16"),
        ("packet_counter", "bytes_so_far + more_bytes", "bytes_so_far + more_packets"),
        ("heavy_hitter", "estimate < third ? estimate : third", "estimate"),
        ("stateful_firewall", "first == 1 && second == 1", "first == 1"),
        ("token_bucket", "short + cost > CAPACITY", "short + cost >= CAPACITY"),
        ("learning_switch", "egress_port == standard_metadata.ingress_port", "egress_port == 511"),
        ("ecmp", "product[31:16]", "product[15:0]"),
        ("flowlet", "now - before > meta.timeout", "now - before >= meta.timeout"),
        ("firewall", "now - second[47:0] <= meta.timeout", "now - second[47:0] < meta.timeout"),
        ("firewall", "first[48:48] == 1 && second[48:48] == 1", "(first[48:48] == 1 || second[48:48] == 1)"),
        ("telemetry", "standard_metadata.enq_qdepth", "standard_metadata.deq_qdepth"),
        ("source_routing", "hdr.hops.pop_front(1)", "hdr.hops.pop_front(2)"),
        ("tunnel", "hdr.outer.do_not_fragment = 1", "hdr.outer.do_not_fragment = 0"),
        ("calculator", "sum[32:32] == 1", "sum[31:31] == 1"),
        ("load_balancer", "return ~sum[15:0]", "return sum[15:0]"),
        ("rate_limiter", "MeterType.bytes", "MeterType.packets"),
        ("nat", "} else if (result == 0) {", "} else if (result == 1) {"),
        ("nat", "by = sum(by, change(before, hdr.quoted_udp.checksum))", "by = sum(by, 0)"),
        ("nat", "owner == 0 || is_over || meta", "owner == 0 || meta"),
        ("nat", "(last[48:48] == 1 ? meta.closing_timeout : meta.idle_timeout)", "meta.idle_timeout"),
        ("nat", "6w0b100000 : suggested[15:10]", "6w0b100001 : suggested[15:10]"),
        ("nat", "+ (bit<16>)wide[16:16]", ""),
        ("ipv6_router", "hdr.ipv6.hop_limit <= 1", "hdr.ipv6.hop_limit == 0"),
        ("ipv6_router", "+ 0x100;", "+ 0x101;"),
        ("ipv6_router", "0xffc00000_00000000", "0xffff0000_00000000"),
        ("ipv6_router", "payload_length + 40 > (bit<17>)meta.mtu", "payload_length + 40 >= (bit<17>)meta.mtu"),
        ("tna_router", "next_hop_rates.execute(color)", "next_hop_rates.execute()"),
        ("tna_router", "value == SAMPLED_ONE_OF - 1", "value == SAMPLED_ONE_OF"),
        ("tna_router", "(4, 5, 0, PROTOCOL_TCP): ports;", "(4, 5, _, PROTOCOL_TCP): ports;"),
        ("tna_router", "MeterType_t.BYTES", "MeterType_t.PACKETS"),
        ("tna_learning_switch", "intrinsic.egress_port == hdr.bridge.from", "intrinsic.egress_port == 511"),
        ("tna_load_balancer", "tcp_checksum.subtract({ hdr.tcp.checksum });", ""),
        ("tna_load_balancer", "meta.rest }, true)", "meta.rest })"),
        ("tna_heavy_hitter", "min(min(in_first, in_second), in_third)", "min(in_first, in_second)"),
        ("tna_heavy_hitter", "global_tstamp[31:16]", "global_tstamp[30:15]"),
        ("tna_heavy_hitter", "(0x1EDC6F41, true, false", "(0x1EDC6F41, false, false"),
        ("tna_mirror", "intrinsic.pkt_length - 9", "intrinsic.pkt_length"),
        ("tna_mirror", "0, intrinsic.ingress_mac_tstamp };", "0, 0 };"),
        ("tna_queue_telemetry", "(bit<32>)intrinsic.enq_tstamp;", "(bit<32>)intrinsic.deq_timedelta;"),
        ("tna_queue_telemetry", "for_manager.mcast_grp_b = second_group;", ""),
        ("tna_two_pass", "meta.looked_up = meta.first_pass.gateway;", ""),
        ("ndp", "half_until = now + half_pessimistic_time;", "half_until = now;"),
        ("ndp", "hdr.udp.checksum = 0;", ""),
        ("ndp", "if (until < now)", "if (false)"),
        ("ndp", "if (half_until < now)", "if (false)"),
        ("ndp", "is_pessimistic && is_recent", "is_pessimistic"),
        ("ndp", "trims_yellow && color != MeterColor_t.GREEN", "false"),
        ("ndp", "hdr.internal.is_last == 1", "false"),
        ("ndp", "hdr.ipv4.code_point = RETURNED;", ""),
        ("ndp", "for_manager.deflect_on_drop = 1;", ""),
        ("ndp", "intrinsic.egress_port & RECIRCULATION_MASK == RECIRCULATION_PORT", "false"),
        ("tna_two_pass", "packet.extract(meta.first_pass);", "packet.advance(PORT_METADATA_SIZE);"),
        (
            "atp",
            "is_new = before & bitmap == 0;\n                    merged",
            "is_new = true;\n                    merged",
        ),
        ("atp", "if (count < fan_in)", "if (count + 1 < fan_in)"),
        ("atp", "hdr.ipv4.congestion == 3", "false"),
        ("atp", "(int<32>)(value.updated - oldest) < 0", "false"),
        ("atp", "is_aggregated = is_served && own_level == level && level < 5;", "is_aggregated = true;"),
        ("atp", "hdr.half.value_##N = saturate_##N.execute(place);", "hdr.half.value_##N = add_##N.execute(place);"),
        ("atp", "is_own = owner == hdr.atp.identifier;", "is_own = true;"),
        ("atp", "(!is_own || halves != merged)", "!is_own"),
        ("atp", "is_first_level && has_two_halves ? TAKEN_OUT : EMPTY", "EMPTY"),
    ];
    // In the interpreter, for machine code of so many programs would take minutes to make.
    on_all_cores(&slips, |(name, right, wrong)| {
        let folder = folder(name);
        let path = folder.join(format!("{name}.p4"));
        let text = fs::read_to_string(&path).expect("the program");
        assert!(text.contains(*right), "{name} has no `{right}`");
        let mut sources = Sources::new();
        let main = sources.add(path.to_string_lossy(), text.replace(*right, wrong));
        let slipped = LoadedProgram::load(&mut sources, main, &LoadOptions::default())
            .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
        let (kind, given) = said(kinds::interpreted(&slipped, &Given::default()));
        let settings = Settings { given, ..Settings::default() };
        let mut outcomes = outcomes_on(&folder, &slipped, |test| said(test.fit(kind, &slipped, &settings)));
        assert!(outcomes.any(|outcome| !outcome.passed), "{name}: `{wrong}` went unnoticed");
    });
}

/// Builds a new machine of the kind for which a program is written.
fn switch(program: &LoadedProgram) -> Box<dyn Device> {
    said(said(kinds::usual(program).fit(program, &Settings::default())).build(1))
}

/// Reads all entries of all tables.
fn tables(switch: &mut dyn Device) -> Vec<Response> {
    let numbers = 0..switch.info().tables.len();
    let read = |number| Request::Table(TableNumber::from(number), TableRequest::read_all());
    numbers.map(|number| switch.execute(&read(number)).expect("tables can be read")).collect()
}

#[test]
fn command_file_and_packet_test_fill_the_router_equally() {
    let (folder, program) = (folder("router"), program("router"));
    let filled = |file: &str| {
        let mut switch = switch(&program);
        said(said(Entries::read(&folder.join(file), &program)).apply(&mut *switch));
        tables(&mut *switch)
    };
    assert_eq!(filled("commands.txt"), filled("router.stf"));
}

#[test]
fn packet_counts_of_a_real_capture_are_right_on_every_machine() {
    // `programs/p4/count.py` computed these numbers.
    let expected: [(&str, &[(u16, u64)]); 7] = [
        ("ecmp", &[(11, 1091), (12, 1046), (13, 873), (14, 692)]),
        ("flowlet", &[(11, 757), (12, 1034), (13, 921), (14, 990)]),
        ("packet_counter", &[(2, 1745), (3, 1957)]),
        ("heavy_hitter", &[(2, 1745), (3, 1957)]),
        ("stateful_firewall", &[(2, 1663), (3, 1957)]),
        ("token_bucket", &[(2, 2445)]),
        ("rate_limiter", &[(2, 1044 + 321 + 1205 + 224)]),
    ];
    let machines = on_all_cores(&expected, |(name, expected)| {
        let (folder, program) = (folder(name), program(name));
        let mut machines = BTreeSet::new();
        for machine in kinds::ALL {
            let entries = said(Entries::read(&folder.join("office.txt"), &program));
            let capture = CaptureInput { port: 1, path: folder.join("../../captures/office.pcap") };
            let offer = Offer::Captures { captures: vec![capture], pace: Pace::Timestamps };
            let outcome = match (Run { entries, ..Run::new(&program, machine, offer) }).go(None) {
                Err(Failure::DoesNotFit(_)) => continue,
                outcome => said(outcome).0,
            };
            let outcome = outcome.replayed().expect("the program has a parser");
            assert!(outcome.is_conserved(), "{outcome}");
            let out = outcome.ports.iter().map(|(port, went)| (*port, went.packets_out));
            let out: Vec<_> = out.filter(|(_, packets)| *packets > 0).collect();
            assert_eq!(out, *expected, "{name} on {}", machine.name());
            machines.insert(machine.name());
        }
        machines
    });
    let machines: BTreeSet<&str> = machines.into_iter().flatten().collect();
    // The chip for TNA runs programs of another architecture, and one runs programs of threads.
    assert_eq!(machines.len(), kinds::ALL.len() - 2, "each machine holds some of them: {machines:?}");
}

/// Sends a frame of 14 bytes, and returns the ports by which it leaves.
fn frame(switch: &mut dyn Device, port: u16, destination: u64, source: u64) -> Vec<u16> {
    let address = |address: u64| address.to_be_bytes().into_iter().skip(2);
    let bytes: Vec<u8> = address(destination).chain(address(source)).chain([0x88, 0xB5]).collect();
    let mut out = Outbox::default();
    out.begin(Instant::ZERO);
    switch.receive(Instant::ZERO, Port(port), &mut vec![Packet::of_bytes(&bytes)], &mut out);
    let mut ports: Vec<u16> = out.transmissions.iter().map(|transmission| transmission.port.0).collect();
    ports.sort_unstable();
    ports
}

/// Acts as the control plane of the learning switch, which answers each digest with two entries. Returns the number of
/// digests.
fn answer_digests(switch: &mut dyn Device, info: &Info, digest: &str) -> usize {
    let digests = Request::TakeDigests(info.digest_named(digest).expect("the digest"));
    let Ok(Response::Digests(stations)) = switch.execute(&digests) else { panic!("digests can be taken") };
    for station in &stations {
        let [address, port] = station.as_slice() else { panic!("an address and a port: {station:?}") };
        let mut insert = |table: &str, key: Vec<&Bits>, action: &str, data: Vec<Bits>| {
            let table = info.table_named(table).expect("the table");
            let action = info.action_named(table, action).expect("the action");
            let key = key.into_iter().cloned().map(FieldMatch::Exact).collect();
            let target = Target::Action(ActionCall { action, data });
            let request = Request::Table(table, TableRequest::insert(key, None, target));
            switch.execute(&request).expect("a station is new");
        };
        insert("sources", vec![address, port], "NoAction", vec![]);
        insert("destinations", vec![address], "forward", vec![port.clone()]);
    }
    stations.len()
}

#[test]
fn the_learning_switches_learn_from_digests() {
    learns_from_digests("learning_switch", "station_t");
    learns_from_digests("tna_learning_switch", "new_station");
}

fn learns_from_digests(name: &str, digest: &str) {
    const ONE: u64 = 0x0200_0000_000A;
    const OTHER: u64 = 0x0200_0000_000B;
    let (folder, program) = (folder(name), program(name));
    let mut switch = switch(&program);
    said(said(Entries::read(&folder.join("commands.txt"), &program)).apply(&mut *switch));
    let info = program.info.clone();
    assert_eq!(frame(&mut *switch, 0, OTHER, ONE), [1, 2, 3], "no station is known");
    assert_eq!(answer_digests(&mut *switch, &info, digest), 1);
    assert_eq!(frame(&mut *switch, 1, ONE, OTHER), [0], "the first station is known by now");
    assert_eq!(answer_digests(&mut *switch, &info, digest), 1);
    assert_eq!(frame(&mut *switch, 0, OTHER, ONE), [1], "the other station is known, too");
    assert_eq!(answer_digests(&mut *switch, &info, digest), 0, "a known station causes no digest");
    assert_eq!(frame(&mut *switch, 2, OTHER, ONE), [1], "the first station has moved");
    let digests = Request::TakeDigests(info.digest_named(digest).expect("the digest"));
    let moved = Response::Digests(vec![vec![Bits::from_u64(ONE, 48), Bits::from_u64(2, 9)]]);
    assert_eq!(switch.execute(&digests), Ok(moved));
}
