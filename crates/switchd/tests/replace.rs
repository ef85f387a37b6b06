//! Programs that somebody brings to a running switch, such as a controller.

mod common;

use std::net::SocketAddr;

use common::{Running, entries, frame, pair, program, soon, start, start_with};
use control::{Request as Requested, Response, TableNumber, TableRequest};
use switchd::plan::P4RuntimePlan;
use switchd::{NotReplaced, Request, StateKept};
use workbench::LoadedProgram;

fn of_text(text: &str) -> LoadedProgram {
    LoadedProgram::of_text("brought.p4", text, None).expect("the program is right")
}

fn entries_of(switch: &Running, table: usize) -> usize {
    let read = Requested::Table(TableNumber::from(table), TableRequest::read_all());
    let info = switch.handle.info().expect("it runs");
    match switch.handle.execute_together(&info, vec![read]).expect("it can be read").remove(0) {
        Response::Entries(entries) => entries.len(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_switch_without_a_program_waits_for_one() {
    let listen: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let switch = start_with(|plan, _| switchd::SwitchPlan {
        program: None,
        tables: Vec::new(),
        p4runtime: Some(P4RuntimePlan::at(listen)),
        ..plan
    });
    assert!(switch.handle.program().is_awaited);
    switch.far[0].send(&frame(1)).expect("the link takes it");
    let drops = || switch.handle.ask(Request::Drops {}).expect("it answers").to_string();
    assert!(soon(|| drops().contains("no program yet")), "{}", drops());
    let ready = switch.handle.prepare(of_text(&program())).expect("it fits");
    switch.handle.replace(ready, StateKept::Nothing).expect("nothing prevents it");
    let runs = switch.handle.program();
    assert!(!runs.is_awaited && runs.info.table_named("firsts").is_ok());
    assert_eq!(runs.cpu_port.map(|port| port.0), Some(510));
    let lines = entries(1);
    switch.handle.ask(Request::Execute { lines, stf: true }).expect("they fit the program");
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1], "packets pass");
    assert!(drops().contains("no program yet"), "what was discarded before stays counted");
}

#[test]
fn a_program_begins_anew_or_keeps_everything() {
    let switch = start();
    assert_eq!(entries_of(&switch, 0), 1);
    let kept = switch.handle.prepare(of_text(&program())).expect("it fits");
    switch.handle.replace(kept, StateKept::Everything).expect("everything fits");
    assert_eq!((entries_of(&switch, 0), pair(&switch.cross(0, &frame(1)))), (1, [1, 1]));
    // A program without the table would lose its entry.
    let without = of_text(&program().replace("firsts", "others"));
    let without = switch.handle.prepare(without).expect("it fits");
    match switch.handle.replace(without, StateKept::Everything) {
        Err(NotReplaced::WouldLose(findings)) => {
            assert!(findings[0].to_string().contains("firsts"), "{}", findings[0]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(pair(&switch.cross(0, &frame(1))), [1, 1], "the old program stays");
    let info = switch.handle.info().expect("it runs");
    let anew = switch.handle.prepare(of_text(&program())).expect("it fits");
    switch.handle.replace(anew, StateKept::Nothing).expect("nothing prevents it");
    assert_eq!(entries_of(&switch, 0), 0);
    let late = switch.handle.execute_together(&info, Vec::new());
    assert_eq!(late, Err(switchd::NotExecuted::Replaced), "requests name the program for which they are meant");
}
