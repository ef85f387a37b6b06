//! The examples run to their ends. They name files from the project's folder, as their readers do.

use std::path::Path;
use std::sync::Once;

use polyplane::Failure;

#[path = "../examples/incast.rs"]
mod incast;
#[path = "../examples/mp5_against_the_interpreter.rs"]
mod mp5_against_the_interpreter;
#[path = "../examples/own_congestion_control.rs"]
mod own_congestion_control;
#[path = "../examples/own_discipline.rs"]
mod own_discipline;
#[path = "../examples/own_switch.rs"]
mod own_switch;
#[path = "../examples/own_workload.rs"]
mod own_workload;
#[path = "../examples/trace.rs"]
mod trace;

/// Runs an example in the project's folder.
fn run(main: fn() -> Result<(), Failure>) {
    static IN_FOLDER: Once = Once::new();
    IN_FOLDER.call_once(|| {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::env::set_current_dir(project).expect("the project's folder is there");
    });
    main().expect("the example runs to its end");
}

#[test]
fn a_packet_is_traced() {
    run(trace::main);
}

#[test]
fn mp5_is_held_against_the_interpreter() {
    run(mp5_against_the_interpreter::main);
}

#[test]
fn an_incast_runs_with_two_transports() {
    run(incast::main);
}

#[test]
fn a_switch_from_outside_is_named_in_a_plan() {
    run(own_switch::main);
}

#[test]
fn a_congestion_control_from_outside_is_named_in_a_plan() {
    run(own_congestion_control::main);
}

#[test]
fn a_queue_discipline_from_outside_is_named_in_a_plan() {
    run(own_discipline::main);
}

#[test]
fn a_workload_from_outside_is_named_in_a_plan() {
    run(own_workload::main);
}
