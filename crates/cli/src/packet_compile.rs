//! `polyplane compile` of a P4 program: what it has, or what the front end makes of it.

use experiments::packet_programs::{STAGES, Summary, stage};
use experiments::{Failure, FitReport};

use crate::arguments::CompileArguments;
use crate::waiting::Waiting;
use crate::{compile, output, packet_program, plan};

pub fn run(arguments: &CompileArguments) -> Result<u8, Failure> {
    let path = &arguments.program.program;
    if let Some(machine) = packet_program::other_machine(arguments.machine.as_deref())? {
        return on_pipelines(arguments, machine);
    }
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

/// The program fitted to a machine with pipelines.
fn on_pipelines(arguments: &CompileArguments, machine: &str) -> Result<u8, Failure> {
    let loaded = packet_program::load(&arguments.program.program, &arguments.preprocessor)?;
    let plan = plan::machine(machine, &arguments.build, &arguments.target, &loaded.program, 0)?;
    if let Some(view) = &arguments.emit {
        if let Some(text) = compile::listed(view) {
            output::print(&format!("edges\n{text}"))?;
            return Ok(0);
        }
        let flattened = loaded.flatten()?;
        let text = match view.as_str() {
            "edges" => flattened.edges.to_string(),
            _ => compile::emitted(view, &flattened.flat, &plan)?,
        };
        output::print(&text)?;
        return Ok(0);
    }
    let mut waiting = Waiting::new(&format!("compiling `{}`", loaded.program.name));
    let fitted = loaded.fit(&plan, &mut waiting)?;
    waiting.step("least atoms");
    let report = FitReport::of(&fitted.compiled, &plan);
    drop(waiting);
    if arguments.json {
        output::print_json(&report)?;
    } else {
        output::print(&report.to_string())?;
    }
    Ok(0)
}
