//! `polyplane run` of a P4 program: captures through a v1model switch.

use diagnostics::Diagnostic;
use experiments::Failure;
use experiments::packet_programs::replay::{Pace, Replay, replay_into};

use crate::arguments::RunArguments;
use crate::{output, packet_program, plan};

pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let traffic = &arguments.traffic;
    let program = packet_program::load(&arguments.program.program, &arguments.preprocessor)?;
    if let Some(machine) = packet_program::other_machine(arguments.machine.as_deref())? {
        // If it cannot hold the program, it says why.
        let plan = plan::machine(machine, &arguments.build, &arguments.target, &program.program, traffic.seed)?;
        program.fit(&plan, &mut ())?;
        let error = Diagnostic::without_place(format!("captures do not run through a P4 program on `{machine}` yet"));
        return Err(error.hint("`polyplane check` runs packets through it that go everywhere in the program").into());
    }
    if traffic.traffic.is_empty() {
        let error = Diagnostic::without_place("no packets come in");
        return Err(error.hint("`--traffic capture.pcap`, or `--traffic 1=capture.pcap` for those of port 1").into());
    }
    if traffic.timestamps && arguments.capture.rate.is_some() {
        let error = Diagnostic::without_place("`--timestamps` and `--rate` exclude each other");
        return Err(error.hint("leave one of them out").into());
    }
    let captures: Vec<&str> = traffic.traffic.iter().map(String::as_str).collect();
    let plan = Replay {
        entries: packet_program::entries(&arguments.capture.tables, &program)?,
        program: &program,
        captures: packet_program::captures(&captures, arguments.capture.port)?,
        pace: arguments.capture.rate.map_or(Pace::Timestamps, Pace::Rate),
        packets: traffic.packets,
        options: arguments.switch.options(traffic.seed),
    };
    let (outcome, written) = replay_into(plan, arguments.out_dir.as_deref())?;
    output::tell_files(&written);
    if arguments.json {
        output::print_json(&outcome)?;
    } else {
        output::print(&outcome.to_string())?;
    }
    Ok(u8::from(!outcome.is_conserved()))
}
