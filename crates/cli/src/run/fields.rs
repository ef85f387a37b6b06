//! `polyplane run` of a program whose fields are bound to packets: held against the interpreter all along.

use std::path::Path;

use diagnostics::Diagnostic;
use experiments::kinds::{Kind, Settings};
use experiments::{
    Architecture, Failure, LoadedProgram, MachinePlan, Manifest, Outcome, OutputFolder, PacketFiles, Run,
};
use machines::mp5::counters::{MOVES, WASTED_CYCLES};
use serde::Serialize;

use super::STANDS_STILL;
use crate::arguments::RunArguments;
use crate::{output, packets};

/// What a program is run on if nobody names packets.
const TRAFFIC: &str = "uniform";

/// What scripts read.
#[derive(Serialize)]
struct Result<'r> {
    program: &'r str,
    machine: &'r str,
    pipelines: usize,
    stages: usize,
    traffic: String,
    comparison: &'r equivalence::Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<&'r machines::Timeline>,
}

pub fn run(
    arguments: &RunArguments,
    loaded: &LoadedProgram,
    kind: &'static dyn Kind,
    settings: &Settings,
) -> std::result::Result<u8, Failure> {
    refuse_of_parsers(arguments)?;
    let take = |path| OutputFolder::take(path, PacketFiles::is_result);
    let folder = arguments.out_dir.as_deref().map(take).transpose()?;
    let Some(mut machine) = kind.pipelines(loaded, settings)? else {
        // It says why it cannot hold the program.
        let refused = kind.fit(loaded, settings).err();
        return Err(refused.unwrap_or_else(|| Failure::plain(format!("{} runs no program of fields", kind.name()))));
    };
    machine.parameters.set_seed(arguments.traffic.seed);
    let planned = arguments.traffic.one()?.unwrap_or(TRAFFIC);
    let (traffic, prepared) = packets::planned(loaded, planned, &arguments.traffic, Some(&machine))?;
    if let Some(folder) = &folder {
        let captures = traffic.inputs().into_iter().filter_map(|input| input.path());
        folder.refuse_inputs(loaded.inputs.iter().map(|(name, _)| Path::new(name)).chain(captures))?;
    }
    let run = Run { loaded, plan: machine, traffic: &traffic };
    // Nothing is written for a run that cannot be made.
    let mut ready = run.ready_on(prepared)?;
    ready.timeline = arguments.timeline.unwrap_or(0);
    let outcome = match folder {
        None => ready.go(None)?,
        Some(folder) => {
            let mut files = PacketFiles::create(folder, &loaded.program)?;
            let outcome = ready.go(Some(&mut files))?;
            let result = json(&loaded.program.name, &outcome, traffic.to_string());
            let mut manifest = Manifest::new("run", &traffic, &loaded.inputs);
            manifest.machine(&outcome.plan);
            manifest.result(outcome.plan.architecture().name(), &outcome.comparison);
            output::tell_files(&files.finish(&loaded.program, &outcome.registers, &result, &manifest)?);
            outcome
        }
    };
    if arguments.json {
        output::print(&json(&loaded.program.name, &outcome, traffic.to_string()))?;
    } else {
        output::print(&as_text(&loaded.program.name, &outcome, &traffic.to_string()))?;
    }
    Ok(if outcome.comparison.standstill.is_some() { STANDS_STILL } else { 0 })
}

/// Refuses what only programs have that parse packets.
fn refuse_of_parsers(arguments: &RunArguments) -> std::result::Result<(), Failure> {
    let capture = &arguments.capture;
    let given = [
        ("--tables", !capture.tables.tables.is_empty()),
        ("--port", capture.port.is_some()),
        ("--rate", capture.rate.is_some()),
    ];
    let mut refused = diagnostics::Diagnostics::new();
    for (option, _) in given.into_iter().filter(|(_, given)| *given) {
        let error = Diagnostic::without_place(format!("`{option}` is for programs that parse packets"));
        refused.push(error.hint("leave it out, or name a program that has a parser, such as a P4 program"));
    }
    let sources = diagnostics::Sources::new();
    refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
}

fn json(program: &str, outcome: &Outcome, traffic: String) -> String {
    let result = Result {
        program,
        machine: outcome.plan.architecture().name(),
        pipelines: outcome.plan.parameters.pipelines(),
        stages: outcome.compiled.pipeline.depth(),
        traffic,
        comparison: &outcome.comparison,
        timeline: outcome.timeline.as_ref(),
    };
    output::json(&result)
}

/// The clock period of the machine's pipelines in picoseconds, rounded down.
fn clock(plan: &MachinePlan) -> u64 {
    let period = plan.parameters.period().picoseconds();
    if plan.architecture() == Architecture::Banzai { period / plan.parameters.pipelines() as u64 } else { period }
}

/// Banzai's one pipeline is as fast as so many of the others.
fn machine_in_words(plan: &MachinePlan) -> String {
    let count = plan.parameters.pipelines();
    match (plan.architecture(), count) {
        (name, 1) => format!("{name}, one pipeline"),
        (Architecture::Banzai, count) => format!("banzai, one pipeline, {count} x as fast"),
        (name, count) => format!("{name}, {count} pipelines"),
    }
}

fn as_text(program: &str, outcome: &Outcome, traffic: &str) -> String {
    let comparison = &outcome.comparison;
    let machine = &comparison.machine;
    let mut lines = vec![
        ("program", program.to_owned()),
        ("machine", machine_in_words(&outcome.plan)),
        ("traffic", traffic.to_owned()),
        ("packets", format!("{} in, {} out", machine.received, machine.transmitted)),
        ("  passed by", format!("{} (the program does not apply to them)", machine.bypassed)),
    ];
    let discarded: Vec<String> = machine.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let discarded = if discarded.is_empty() { "none".to_owned() } else { discarded.join(", ") };
    lines.extend([
        ("  discarded", discarded),
        ("throughput", format!("{:.1} % of what was offered", 100.0 * comparison.throughput)),
        ("cycles", format!("{} of {} ps", machine.cycles, clock(&outcome.plan))),
        ("longest queue", machine.largest_queue.to_string()),
        ("wasted cycles", machine.own(WASTED_CYCLES).to_string()),
        ("recirculations", machine.recirculations.to_string()),
        ("register moves", machine.own(MOVES).to_string()),
        ("marked (ECN)", machine.marked.to_string()),
        ("overtaking", format!("{} packets accessed state before an earlier one did", comparison.access_violations)),
        ("reordered", format!("{} packets left after a later one of their flow", comparison.reordered_packets)),
        ("same meaning", comparison.verdict.to_string()),
    ]);
    let mut text: String = lines.iter().map(|(name, value)| format!("{name:<15} {value}\n")).collect();
    if let Some(standstill) = &comparison.standstill {
        text.push_str(&format!("\n{standstill}"));
    }
    if let Some(timeline) = &outcome.timeline {
        text.push_str(&format!("\n{timeline}"));
    }
    text
}
