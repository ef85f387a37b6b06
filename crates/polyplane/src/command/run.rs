//! `polyplane run`: runs a program on a machine with packets.

use polyplane::Failure;
use polyplane::rooms::workbench::Run;

use crate::arguments::RunArguments;
use crate::{loading, output, packets};

/// The traffic of a program that works on fields if `--traffic` is not given.
const TRAFFIC: &str = "uniform";

pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let program = loading::load(&arguments.program)?;
    let (machine, settings) = arguments.on.chosen(&program)?;
    let mut traffic = arguments.traffic.clone();
    if traffic.traffic.is_empty() && program.binds_fields() {
        traffic.traffic.push(TRAFFIC.to_owned());
    }
    let plan = machine.pipelines(&program, &settings)?;
    let offer = packets::offered(&program, &traffic, &arguments.capture, plan.as_ref())?;
    let entries = loading::entries(&arguments.capture.tables, &program)?;
    let (packets, seed, timeline) = (traffic.packets, traffic.seed, arguments.timeline.unwrap_or(0));
    let run = Run { program: &program, entries, offer, packets, machine, settings, seed, timeline };
    let (outcome, written) = run.go(arguments.out_dir.as_deref())?;
    output::tell_files(&written);
    if arguments.json {
        output::print_json(&outcome)?;
    } else {
        output::print(&outcome.to_string())?;
    }
    Ok(outcome.exit_status())
}
