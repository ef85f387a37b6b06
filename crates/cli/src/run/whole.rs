//! `polyplane run` of a program that parses packets: captures, or packets of a plan of traffic, through any machine.

use diagnostics::Diagnostic;
use experiments::kinds::{Kind, Settings};
use experiments::packet_programs::replay::{Replay, replay_into};
use experiments::{Failure, LoadedProgram};

use crate::arguments::RunArguments;
use crate::packets::Packets;
use crate::{loading, output};

pub fn run(
    arguments: &RunArguments,
    program: &LoadedProgram,
    machine: &'static dyn Kind,
    settings: Settings,
) -> Result<u8, Failure> {
    let traffic = &arguments.traffic;
    let plan = machine.pipelines(program, &settings)?;
    if arguments.timeline.is_some() && plan.is_none() {
        let message = format!("`--timeline` is for machines with stages, and {} has none", machine.name());
        return Err(Diagnostic::without_place(message).hint("leave it out, or take a machine with pipelines").into());
    }
    let packets = Packets::named(program, traffic, &arguments.capture, plan.as_ref())?;
    let plan = Replay {
        entries: loading::entries(&arguments.capture.tables, program)?,
        program,
        offer: packets.offer(),
        packets: traffic.packets,
        machine,
        settings,
        seed: traffic.seed,
        timeline: arguments.timeline.unwrap_or(0),
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
