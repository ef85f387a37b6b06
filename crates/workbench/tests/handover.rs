//! State is handed over between running programs of `programs/p4`, from each machine to itself and to the next one.

#[path = "../../control/tests/common/reads.rs"]
mod reads;

use std::fs;
use std::path::{Path, PathBuf};

use basis::Instant;
use control::handover::{Handover, Outcome};
use control::{RegisterRequest, Request, Response};
use diagnostics::Failure;
use machines::Device;
use measure::{Event, Interest};
use node::{Discarded, Offered, Port, Sink, Transmission};
use reads::everything;
use wire::Packet;
use workbench::kinds::{self, Settings};
use workbench::{Entries, LoadOptions, LoadedProgram};

fn said<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

struct Nobody;

impl Sink for Nobody {
    fn transmitted(&mut self, _: Transmission) {}

    fn discarded(&mut self, _: Instant, _: Discarded) {}

    fn event(&mut self, _: Instant, _: Event) {}
}

/// The packet tests of a program.
fn tests(name: &str) -> (LoadedProgram, Vec<PathBuf>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4").join(name);
    let mut tests: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    tests.retain(|path| path.extension().is_some_and(|ending| ending == "stf"));
    tests.sort();
    (said(LoadedProgram::read(&folder.join(format!("{name}.p4")), &LoadOptions::default())), tests)
}

/// Builds the device of a machine; `None` if the machine cannot hold the program.
fn device(program: &LoadedProgram, machine: &str) -> Option<Box<dyn Device>> {
    match said(kinds::named(machine)).fit(program, &Settings::default()) {
        Err(Failure::DoesNotFit(_)) => None,
        fitted => Some(said(said(fitted).build(1))),
    }
}

/// Carries out the requests of a packet test and sends its packets.
fn run(device: &mut dyn Device, program: &LoadedProgram, test: &Path) {
    let entries = said(Entries::read(test, program));
    let packets: Vec<(u32, Vec<u8>)> = entries.packets().map(|(port, bytes)| (port, bytes.to_vec())).collect();
    // A test may delete what an earlier step of it has put there, and some expect to be refused.
    let _ = entries.apply(device);
    let offered = packets.into_iter().zip(1..).map(|((port, bytes), microseconds)| Offered {
        at: Instant::from_microseconds(microseconds),
        port: Port(port as u16),
        packet: Packet::of_bytes(&bytes),
    });
    node::drive(device, offered, Interest::default(), &mut Nobody).expect("it comes to rest");
}

fn hand_over(old: &mut dyn Device, new: &mut dyn Device) -> Outcome {
    let plan = Handover::plan(old.info(), new.info());
    plan.carry_out(|request| old.execute(request), |request| new.execute(request)).expect("reads are not refused")
}

#[test]
fn state_moves_between_machines_unchanged() {
    let mut handed_over = 0;
    for name in ["router", "learning_switch", "stateful_firewall", "rate_limiter", "packet_counter", "load_balancer"] {
        let (program, tests) = tests(name);
        let machines = ["v1model", "native", "banzai", "mp5"];
        for (at, machine) in machines.iter().enumerate() {
            let Some(mut old) = device(&program, machine) else { continue };
            tests.iter().for_each(|test| run(&mut *old, &program, test));
            let info = old.info().clone();
            let read = everything(&info, |request| old.execute(request));
            for other in [machine, &machines[(at + 1) % machines.len()]] {
                let Some(mut new) = device(&program, other) else { continue };
                let outcome = hand_over(&mut *old, &mut *new);
                assert!(outcome.findings.is_empty(), "{name}, {machine} to {other}: {:?}", outcome.findings);
                assert!(!outcome.carried.is_empty(), "{name} has state on {machine}");
                assert_eq!(read, everything(&info, |request| new.execute(request)), "{name}, {machine} to {other}");
                handed_over += 1;
            }
        }
    }
    assert!(handed_over >= 20, "{handed_over} hand-overs");
}

/// Loads a program with a part of its text replaced.
fn changed(name: &str, changes: &[(&str, &str)]) -> LoadedProgram {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../programs/p4/{name}/{name}.p4"));
    let mut text = fs::read_to_string(&path).expect("the program");
    for (old, new) in changes {
        assert!(text.contains(old), "{name} has no `{old}`");
        text = text.replace(old, new);
    }
    said(LoadedProgram::of_text(&format!("{name}.p4"), &text, None))
}

fn texts(outcome: &Outcome) -> Vec<String> {
    outcome.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_changed_router_takes_what_fits() {
    let (program, tests) = tests("router");
    let mut old = device(&program, "native").expect("it holds every program");
    run(&mut *old, &program, &tests[1]);
    let renamed = changed("router", &[("table stations", "table neighbours"), ("stations.apply", "neighbours.apply")]);
    let mut new = device(&renamed, "native").expect("it holds every program");
    let outcome = hand_over(&mut *old, &mut *new);
    let [finding] = &texts(&outcome)[..] else { panic!("{:?}", texts(&outcome)) };
    assert!(finding.starts_with("the new program has no table `RouterIngress.stations`; "), "{finding}");
    assert!(outcome.carried.iter().any(|carried| carried.to_string().starts_with("table `RouterIngress.routes`: ")));
}

#[test]
fn a_register_may_grow_and_not_vanish() {
    let (program, tests) = tests("packet_counter");
    let mut old = device(&program, "mp5").expect("it fits");
    tests.iter().for_each(|test| run(&mut *old, &program, test));
    let register = old.info().register_named("packets").expect("it has one");
    let size = old.info().register(register).size;
    let read = |device: &mut dyn Device| {
        let register = device.info().register_named("packets").expect("it has one");
        match device.execute(&Request::Register(register, RegisterRequest::Read(None))) {
            Ok(Response::Registers(elements)) => elements,
            other => panic!("{other:?}"),
        }
    };
    let longer =
        changed("packet_counter", &[("register<bit<32>>(CLASSES) packets", "register<bit<32>>(1000) packets")]);
    let mut new = device(&longer, "v1model").expect("it fits");
    assert_eq!(texts(&hand_over(&mut *old, &mut *new)), Vec::<String>::new());
    assert_eq!(read(&mut *new)[..size as usize], read(&mut *old)[..]);
    let renamed = changed(
        "packet_counter",
        &[
            ("register<bit<32>>(CLASSES) packets;", "register<bit<32>>(CLASSES) seen;"),
            ("packets.read(", "seen.read("),
            ("packets.write(", "seen.write("),
        ],
    );
    let mut new = device(&renamed, "mp5").expect("it fits");
    let [finding] = &texts(&hand_over(&mut *old, &mut *new))[..] else { panic!("one thing is lost") };
    assert!(finding.starts_with("the new program has no register `"), "{finding}");
}

#[test]
fn requests_together_change_all_or_nothing_on_every_machine() {
    let (program, tests) = tests("router");
    for machine in kinds::ALL {
        let Some(mut device) = device(&program, machine.name()) else { continue };
        run(&mut *device, &program, &tests[1]);
        let info = device.info().clone();
        let before = everything(&info, |request| device.execute(request));
        let entries = said(Entries::read(&tests[1], &program));
        let mut requests: Vec<Request> = entries.requests().cloned().collect();
        // The entries are there already.
        let refused = device.execute_together(&requests).expect_err("duplicates");
        assert!(refused.to_string().contains("already"), "{refused}");
        assert_eq!(before, everything(&info, |request| device.execute(request)), "{}", machine.name());
        let clear = |table: usize| Request::Table(table.into(), control::TableRequest::Clear);
        requests.splice(0..0, (0..info.tables.len()).filter(|&at| !info.tables[at].is_constant).map(clear));
        device.execute_together(&requests).unwrap_or_else(|refused| panic!("{}: {refused}", machine.name()));
    }
}
