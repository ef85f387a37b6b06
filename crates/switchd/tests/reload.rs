//! Reloading a running switch: tables change as one, and a new program keeps the state that fits.

mod common;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use common::{Running, entries, frame, pair, program, soon, start};
use switchd::{Answer, Refusal, Reloaded, Request};

fn reload(switch: &Running, dry_run: bool) -> Result<Reloaded, Refusal> {
    switch.handle.ask(Request::Reload { dry_run }).map(|answer| match answer {
        Answer::Reloaded(reloaded) => reloaded,
        other => panic!("{other:?}"),
    })
}

fn write(switch: &Running, name: &str, text: &str) {
    fs::write(switch.folder.0.join(name), text).expect("it can be written");
}

fn counters(switch: &Running) -> String {
    switch.handle.ask(Request::Counters { names: Vec::new(), most: 64 }).expect("the counters").to_string()
}

/// Sends packets into both ports while `change` reloads, and checks each that comes out: it has seen all of one version, and
/// none older than one before it. Ends with a packet that must have seen the version `last`.
fn under_load(switch: &Running, last: u16, change: impl FnOnce()) {
    let is_over = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = switch.far.iter().map(|far| far.try_clone().expect("a descriptor")).collect();
    let seen: Arc<[AtomicU64; 2]> = Arc::default();
    let sending: Vec<_> = senders
        .into_iter()
        .enumerate()
        .map(|(port, far)| {
            let (is_over, seen) = (Arc::clone(&is_over), Arc::clone(&seen));
            far.set_read_timeout(Some(Duration::from_millis(1))).expect("it is a socket");
            std::thread::spawn(move || {
                let (mut out, mut last) = ([0; 2048], 0);
                while !is_over.load(Ordering::Acquire) {
                    for _ in 0..8 {
                        far.send(&frame(1)).expect("the link takes it");
                    }
                    while let Ok(length) = far.recv(&mut out) {
                        let [first, second] = pair(&out[..length]);
                        assert_eq!(first, second, "a packet saw half of a reload");
                        assert!(first >= last, "a packet saw an older version than one before it");
                        last = first;
                        seen[port].fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    let have_seen = |count| seen.iter().all(|seen| seen.load(Ordering::Relaxed) > count);
    let is_loaded = soon(|| have_seen(0));
    change();
    let is_loaded = is_loaded && soon(|| have_seen(100));
    is_over.store(true, Ordering::Release);
    sending.into_iter().for_each(|thread| thread.join().expect("no half was seen"));
    assert!(is_loaded, "packets flow: {seen:?}");
    while switch.far.iter().any(|far| far.recv(&mut [0; 64]).is_ok()) {}
    for far in &switch.far {
        far.set_read_timeout(Some(common::LONG)).expect("it is a socket");
    }
    assert_eq!(pair(&switch.cross(0, &frame(1))), [last, last]);
}

/// Starts a switch on a machine.
fn on(machine: &str) -> Running {
    let machine = workbench::kinds::named(machine).expect("it is there");
    common::start_with(|plan, _| switchd::SwitchPlan { machine: Some(machine), ..plan })
}

#[test]
fn ten_thousand_reloads_under_load_never_show_half_of_one() {
    for (machine, last) in [("native", 10_001), ("v1model", 1_001)] {
        let switch = on(machine);
        under_load(&switch, last, || {
            for value in 2..=last {
                write(&switch, "pair.stf", &entries(value));
                let reloaded = reload(&switch, false).expect("nothing is wrong");
                assert_eq!((reloaded.changes, reloaded.program_changed), (2, false), "two entries are modified");
            }
        });
    }
}

#[test]
fn reloads_of_the_program_under_load_never_show_half_of_one() {
    for (machine, last) in [("native", 12), ("v1model", 60)] {
        let switch = on(machine);
        under_load(&switch, last, || {
            for value in 2..=last {
                // Program and tables change together, and both actions of the program add to what the tables say.
                let program = program().replace("= value;", &format!("= value + {};", value / 2));
                write(&switch, "pair.p4", &program);
                write(&switch, "pair.stf", &entries(value - value / 2));
                assert!(reload(&switch, false).expect("nothing is wrong").program_changed || value % 2 == 1);
            }
        });
    }
}

#[test]
fn what_does_not_compile_or_fit_changes_nothing() {
    let switch = start();
    write(&switch, "pair.stf", "add firsts hdr.ethernet.destination:1 set_first(value:5)\nadd fists x:1 y()\n");
    let refused = reload(&switch, false).expect_err("there is no such table");
    assert!(refused.error.contains("pair.stf:2:5"), "{}", refused.error);
    write(&switch, "pair.stf", &entries(5));
    write(&switch, "pair.p4", &program().replace("count + 1", "count + nonsense"));
    let refused = reload(&switch, false).expect_err("it does not compile");
    assert!(refused.error.contains("nonsense") && refused.exit_status == 2, "{}", refused.error);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    // The table of the new program holds one entry, and the file has 20.
    write(&switch, "pair.p4", &program());
    let many: String =
        (0..20).map(|station| format!("add firsts hdr.ethernet.destination:{station} set_first(value:1)\n")).collect();
    write(&switch, "pair.stf", &many);
    let refused = reload(&switch, false).expect_err("the table holds 16");
    assert!(refused.error.contains("pair.stf:17"), "{}", refused.error);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    fs::remove_file(switch.folder.0.join("pair.stf")).expect("it is there");
    assert!(reload(&switch, false).is_err());
}

#[test]
fn nothing_changes_without_an_edit_and_entries_made_meanwhile_stay() {
    let switch = start();
    let lines = entries(9).replace("destination:1 ", "destination:2 ");
    switch.handle.ask(Request::Execute { lines, stf: true }).expect("there is room");
    let reloaded = reload(&switch, false).expect("nothing is wrong");
    assert_eq!(reloaded, Reloaded::default());
    assert_eq!(pair(&switch.cross(0, &frame(2))), [9, 9]);
    // An edit of the files makes the tables what the files say.
    write(&switch, "pair.stf", &entries(3));
    assert_eq!(reload(&switch, true).expect("nothing is wrong").changes, 4);
    assert_eq!(pair(&switch.cross(0, &frame(2))), [9, 9], "a dry run changes nothing");
    assert_eq!(reload(&switch, false).expect("nothing is wrong").changes, 4);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [3, 3]);
    switch.far[0].send(&frame(2)).expect("the link takes it");
    assert!(soon(|| counters(&switch).contains("0: 4 packets")), "{}", counters(&switch));
}

#[test]
fn a_new_program_keeps_what_fits_and_lists_what_does_not() {
    let switch = start();
    let lines = "add firsts hdr.ethernet.destination:2 set_first(value:4)";
    switch.handle.ask(Request::Execute { lines: lines.to_owned(), stf: true }).expect("there is room");
    for _ in 0..3 {
        switch.cross(0, &frame(1));
    }
    // The second table has another key, the register is larger, and packets are marked in their source address.
    let new = program()
        .replace("key = { hdr.ethernet.destination: ternary; }", "key = { hdr.ethernet.source: exact; }")
        .replace("register<bit<32>>(8)", "register<bit<32>>(16)")
        .replace("seen.count", "hdr.ethernet.source = 77;\n        seen.count");
    write(&switch, "pair.p4", &new);
    let refused = reload(&switch, true).expect_err("the file's entry has no such field any more");
    assert!(refused.error.contains("pair.stf:2"), "{}", refused.error);
    write(&switch, "pair.stf", "add firsts hdr.ethernet.destination:1 set_first(value:1)\n");
    let before = counters(&switch);
    let dry = reload(&switch, true).expect("nothing is wrong");
    assert!(dry.dry_run && dry.program_changed, "{dry:?}");
    assert!(dry.lost.iter().any(|line| line.contains("seconds")), "{dry:?}");
    assert!(dry.kept.iter().any(|line| line.contains("total")), "{dry:?}");
    assert_eq!(counters(&switch), before);
    assert_eq!(switch.cross(0, &frame(1))[11], 1, "the old program runs");
    let done = reload(&switch, false).expect("nothing is wrong");
    assert_eq!((&done.kept, &done.lost), (&dry.kept, &dry.lost), "as the dry run has said");
    let out = switch.cross(0, &frame(1));
    assert_eq!((out[11], pair(&out)[0]), (77, 1), "the new program runs");
    assert!(counters(&switch).contains("0: 5 packets") && counters(&switch).contains("3: 5"), "{}", counters(&switch));
    let Ok(Answer::Switch(report)) = switch.handle.ask(Request::Switch {}) else { panic!("what runs") };
    assert_eq!(report.reloads, 1);
}

#[test]
fn a_new_program_keeps_entries_made_meanwhile_if_the_files_stay() {
    let switch = start();
    let lines = entries(9).replace("destination:1 ", "destination:2 ");
    switch.handle.ask(Request::Execute { lines, stf: true }).expect("there is room");
    write(&switch, "pair.p4", &program().replace("count + 1", "count + 10"));
    assert!(reload(&switch, false).expect("nothing is wrong").lost.is_empty());
    assert_eq!(pair(&switch.cross(0, &frame(2))), [9, 9]);
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
    assert!(counters(&switch).contains("3: 20"), "{}", counters(&switch));
}

#[test]
fn packets_flow_while_programs_are_replaced() {
    let switch = start();
    for round in 0..3 {
        write(&switch, "pair.p4", &program().replace("count + 1", &format!("count + {}", round + 2)));
        let handle = switch.handle.clone();
        let reloading = std::thread::spawn(move || handle.ask(Request::Reload { dry_run: false }));
        let mut crossed = 0;
        while !reloading.is_finished() || crossed == 0 {
            assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
            crossed += 1;
        }
        reloading.join().expect("no panic").expect("nothing is wrong");
    }
}

#[test]
fn an_edit_of_an_included_file_is_an_edit_of_the_program() {
    let switch = start();
    let [head, rest] = ["header ethernet_t", "header pair_t"].map(|word| program().find(word).expect("it is there"));
    let text = program();
    write(&switch, "ethernet.p4", &text[head..rest]);
    write(&switch, "pair.p4", &format!("{}#include \"ethernet.p4\"\n{}", &text[..head], &text[rest..]));
    assert!(reload(&switch, false).expect("nothing is wrong").program_changed);
    assert_eq!(reload(&switch, false).expect("nothing is wrong"), Reloaded::default());
    write(&switch, "ethernet.p4", &text[head..rest].replace("ether_type", "type"));
    assert!(reload(&switch, true).expect("nothing is wrong").program_changed);
    write(&switch, "ethernet.p4", "nonsense");
    assert!(reload(&switch, false).expect_err("it does not compile").error.contains("ethernet.p4:1:1"));
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
}

/// Starts a switch of a plan's file.
fn of_plan(text: &str) -> Running {
    common::start_with(|_, folder| {
        let path = folder.write("switch.toml", text);
        switchd::plan::read(&files::PlanText::read(&path).expect("it is there")).expect("it is right")
    })
}

const PLAN: &str = "program = \"pair.p4\"\nmachine = \"v1model\"\ntables = [\"pair.stf\"]\n\n[[port]]\nport = 0\n\
                    interface = \"link0\"\n\n[[port]]\nport = 1\ninterface = \"link1\"\n";

#[test]
fn everything_that_needs_a_restart_is_said_at_once_and_changes_nothing() {
    let switch = of_plan(PLAN);
    let new = format!(
        "name = \"other\"\n{}\n[metrics]\nlisten = \"127.0.0.1:9\"\n[control]\nsocket = \"a\"\n[queues]\nqueue = \"drop-tail\"\n\
         [[capture]]\nwrite = \"x.pcapng\"\n",
        PLAN.replace("link1", "link2")
    );
    write(&switch, "switch.toml", &new);
    for dry_run in [true, false] {
        let refused = reload(&switch, dry_run).expect_err("it needs a restart").error;
        for name in ["name", "port", "queues", "capture", "metrics", "control"] {
            assert!(refused.contains(&format!("`{name}`")), "{name}: {refused}");
        }
    }
    write(&switch, "switch.toml", PLAN);
    assert_eq!(reload(&switch, false).expect("it is as it was"), Reloaded::default());
}

#[test]
fn spin_and_core_are_taken_over() {
    let switch = of_plan(PLAN);
    let core = live::usable_cores().expect("there are cores")[0];
    write(&switch, "switch.toml", &format!("spin = \"30 us\"\ncore = {core}\n{PLAN}"));
    let expected = vec!["spin = 30 us".to_owned(), format!("core = {core}")];
    assert_eq!(reload(&switch, true).expect("nothing is wrong").settings, expected);
    assert_eq!(reload(&switch, false).expect("nothing is wrong").settings, expected);
    assert!(reload(&switch, false).expect("nothing is wrong").settings.is_empty(), "it has them");
    write(&switch, "switch.toml", &format!("core = 4000\n{PLAN}"));
    let refused = reload(&switch, false).expect_err("there is no such core").error;
    assert!(refused.contains("core 4000 cannot be used"), "{refused}");
    write(&switch, "switch.toml", PLAN);
    assert!(reload(&switch, false).expect_err("the core stays").error.contains("`core`"));
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1]);
}

/// A server whose controller comes and goes.
#[derive(Default)]
struct Server(AtomicBool);

impl switchd::Controllers for Server {
    fn report(&self) -> switchd::ControllersReport {
        let primary = self.0.load(Ordering::Acquire);
        switchd::ControllersReport { primary, packet_ins: 7, ..switchd::ControllersReport::default() }
    }
}

#[test]
fn files_change_nothing_while_a_controller_is_primary() {
    let switch = start();
    let server = Arc::new(Server(AtomicBool::new(true)));
    switch.handle.serve_controllers(&(Arc::clone(&server) as Arc<dyn switchd::Controllers>));
    write(&switch, "pair.stf", &entries(2));
    let told = reload(&switch, true).expect("a dry run changes nothing");
    assert!(told.changes > 0, "{told:?}");
    let refused = reload(&switch, false).expect_err("the tables are the controller's");
    assert!(refused.error.contains("a controller is the primary of this switch"), "{refused:?}");
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1], "the tables stay");
    let shown = switch.handle.ask(Request::Switch {}).expect("it answers").to_string();
    assert!(shown.contains("controllers: a primary; 7 packet-ins"), "{shown}");
    server.0.store(false, Ordering::Release);
    reload(&switch, false).expect("nobody else has the tables");
    assert_eq!(pair(&switch.cross(0, &frame(1))), [2, 2]);
    drop(server);
    let shown = switch.handle.ask(Request::Switch {}).expect("it answers").to_string();
    assert!(!shown.contains("controllers"), "{shown}");
}
