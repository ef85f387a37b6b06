//! Reloading a switch whose machine is a chip that a file describes, and what a trace sees of its pipes.

mod common;

use std::fs;
use std::path::Path;

use common::{Running, start_with};
use switchd::{Answer, PortBinding, Refusal, Reloaded, Request, SwitchPlan};
use workbench::kinds::{Given, option};

const CHIP: &str = "pipes = 2\n[[port]]\nports = [0, 4, 128]\nrate = \"1 Gb/s\"\n";

/// Starts a switch of two pipes between ports 0 and 4.
fn start() -> Running {
    start_with(|_, folder| {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../networks/tests/network/counting_tna.p4");
        let program = fs::read_to_string(program).expect("the program is there");
        let mut given = Given::default();
        let chip = folder.write("chip.toml", CHIP).display().to_string();
        given.push(option::named("chip").expect("the chip has it"), chip).expect("the file is there");
        let port = |port| PortBinding::new(port, format!("link{port}"));
        SwitchPlan {
            ports: vec![port(0), port(4)],
            tables: vec![folder.write("routes.txt", "table_add routes forward 10.0.0.2/32 => 4\n")],
            given,
            ..SwitchPlan::of_program(folder.write("counting.p4", &program))
        }
    })
}

fn packet() -> Vec<u8> {
    let mut packet = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0];
    packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
    packet.resize(60, 0);
    packet
}

fn reload(switch: &Running, dry_run: bool) -> Result<Reloaded, Refusal> {
    switch.handle.ask(Request::Reload { dry_run }).map(|answer| match answer {
        Answer::Reloaded(reloaded) => reloaded,
        other => panic!("{other:?}"),
    })
}

fn execute(switch: &Running, lines: &str) -> String {
    switch.handle.ask(Request::Execute { lines: lines.to_owned(), stf: false }).expect("it is carried out").to_string()
}

fn append(switch: &Running, name: &str, text: &str) {
    let path = switch.folder.0.join(name);
    let old = fs::read_to_string(&path).expect("it is there");
    fs::write(path, old + text).expect("it can be written");
}

/// A reload once did not notice that the file of the chip had changed.
#[test]
fn a_changed_file_of_the_chip_is_taken_over() {
    let switch = start();
    switch.cross(0, &packet());
    assert_eq!(reload(&switch, false).expect("nothing is wrong"), Reloaded::default());
    append(&switch, "chip.toml", "[[mirror]]\nsession = 7\nport = 4\n");
    assert!(reload(&switch, true).expect("nothing is wrong").program_changed);
    assert!(!execute(&switch, "configure").contains("session = 7"), "a dry run changes nothing");
    let done = reload(&switch, false).expect("nothing is wrong");
    assert!(done.program_changed && done.lost.is_empty() && !done.kept.is_empty(), "{done:?}");
    assert!(execute(&switch, "configure").contains("session = 7"));
    assert_eq!(switch.cross(0, &packet()).len(), 60, "the entries are there");
    assert_eq!(reload(&switch, false).expect("nothing is wrong"), Reloaded::default());
    append(&switch, "chip.toml", "[[mirror]]\nsession = 7\nport = 4\n");
    let refused = reload(&switch, false).expect_err("the session is there twice");
    assert!(refused.error.contains("chip.toml:9") && refused.exit_status == 2, "{}", refused.error);
    assert_eq!(switch.cross(0, &packet()).len(), 60);
}

#[test]
fn what_requests_have_set_of_the_chip_stays_unless_its_file_changes() {
    let switch = start();
    execute(&switch, "configure mirror = [{ session = 5, port = 4 }]");
    append(&switch, "counting.p4", "// changed\n");
    let done = reload(&switch, false).expect("nothing is wrong");
    assert!(done.program_changed && done.lost.is_empty(), "{done:?}");
    assert!(execute(&switch, "configure").contains("session = 5"));
    append(&switch, "chip.toml", "[[mirror]]\nsession = 7\nport = 4\n");
    let done = reload(&switch, false).expect("nothing is wrong");
    assert_eq!(done.lost, ["what requests have set of the machine: its file has changed"]);
    let settings = execute(&switch, "configure");
    assert!(settings.contains("session = 7") && !settings.contains("session = 5"), "{settings}");
}

/// A trace once ran without the entries of tables that are written by pipe.
#[test]
fn a_trace_has_the_tables_of_each_pipe() {
    let switch = start();
    execute(&switch, "table_clear routes\npipe 0 table_add routes forward 10.0.0.2/32 => 4\n");
    let handle = switch.handle.clone();
    let request = Request::Trace { filter: String::new(), port: Some(0) };
    let traced = std::thread::spawn(move || handle.ask(request));
    while !traced.is_finished() {
        switch.cross(0, &packet());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let Ok(Ok(Answer::Trace { text, .. })) = traced.join() else { panic!("a trace") };
    assert!(text.contains("transmitted on port 4"), "{text}");
    // A reload of the program hands them over, too.
    append(&switch, "counting.p4", "// changed\n");
    assert!(reload(&switch, false).expect("nothing is wrong").lost.is_empty());
    assert_eq!(switch.cross(0, &packet()).len(), 60);
}
