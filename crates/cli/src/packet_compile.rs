//! `polyplane compile` of a P4 program: what it has, or what the front end makes of it.

use experiments::packet_programs::{STAGES, Summary, stage};
use experiments::{Failure, FitReport, fit};

use crate::arguments::CompileArguments;
use crate::{output, packet_program, plan};

pub fn run(arguments: &CompileArguments) -> Result<u8, Failure> {
    let path = &arguments.program.program;
    packet_program::refuse(
        &[("--binding", arguments.program.binding.is_some())],
        "is for programs whose fields are bound to packets",
        "the parser of a P4 program says where its fields are; leave it out",
    )?;
    if let Some(machine) = packet_program::other_machine(arguments.machine.as_deref())? {
        return on_pipelines(arguments, machine);
    }
    packet_program::refuse_pipelines(&arguments.build, &arguments.target)?;
    match arguments.emit.as_deref() {
        Some("list") => output::print(&(STAGES.join("\n") + "\n"))?,
        Some(name) => output::print(&stage(path, &arguments.preprocessor.options(), name)?)?,
        None => {
            let loaded = packet_program::load(path, &arguments.preprocessor)?;
            match (arguments.p4info, arguments.json) {
                (true, true) => output::print(&control::p4info::to_json(&loaded.info))?,
                (true, false) => output::print(&control::p4info::to_text(&loaded.info))?,
                (false, true) => output::print_json(&Summary::of(&loaded))?,
                (false, false) => output::print(&Summary::of(&loaded).to_string())?,
            }
        }
    }
    Ok(0)
}

/// What the machine says of the program; those with pipelines refuse what P4 has and they have not.
fn on_pipelines(arguments: &CompileArguments, machine: &str) -> Result<u8, Failure> {
    let loaded = packet_program::load(&arguments.program.program, &arguments.preprocessor)?;
    let plan = plan::machine(machine, &arguments.build, &arguments.target, &loaded.program, 0)?;
    let compiled = fit(&loaded.program, &plan)?;
    output::print(&FitReport::of(&compiled, &plan).to_string())?;
    Ok(0)
}
