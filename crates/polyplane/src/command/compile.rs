//! `polyplane compile`: fits a program to a machine, and shows the stage map or the program's text after any pass.

use std::fmt::Write;

use polyplane::Failure;
use polyplane::rooms::control::p4info;
use polyplane::rooms::diagnostics::{Diagnostic, Diagnostics, Sources};
use polyplane::rooms::ir::pipeline::Pipeline;
use polyplane::rooms::passes::{Compiled, Made, Observer, PASSES};
use polyplane::rooms::workbench::Summary;
use polyplane::rooms::workbench::kinds::{self, MachineKind, Settings};
use polyplane::rooms::workbench::{
    FitReport, Language, LoadedProgram, MachinePlan, STAGES, StageMap, read_pipeline, stage,
};

use crate::arguments::CompileArguments;
use crate::waiting::WaitNotice;
use crate::{controller_files, image, loading, output};

/// The views that `--emit` can show besides the text after a pass.
const VIEWS: [&str; 7] = ["source", "dependencies-dot", "stages-dot", "smt", "pipeline", "list", "stages-svg"];

pub fn run(arguments: &CompileArguments) -> Result<u8, Failure> {
    let path = &arguments.program.program;
    let is_p4 = Language::of(path)? == Language::P4;
    if let Some(pipeline) = read_pipeline(path)? {
        return laid_out(&pipeline, arguments);
    }
    let view = arguments.emit.as_deref();
    if is_p4
        && arguments.on.name.is_none()
        && let Some(view) = view
    {
        arguments.on.options.given.refuse_foreign(&[kinds::MEANING])?;
        output::print(&of_front_end(arguments, view)?)?;
        return Ok(0);
    }
    let program = loading::load(&arguments.program)?;
    if let Some(folder) = &arguments.controller_files {
        return controller_files::write(arguments, &program, folder);
    }
    if program.has_threads() && !arguments.p4info {
        return image::compile(arguments, &program);
    }
    image::refuse(arguments, &program)?;
    let (kind, settings) = arguments.on.chosen(&program)?;
    if arguments.p4info {
        let text = if arguments.json { p4info::to_json(&program.info) } else { p4info::to_text(&program.info) };
        output::print(&text)?;
        return Ok(0);
    }
    let Some(plan) = kind.pipelines(&program, &settings)? else {
        return summary(arguments, &program, kind, &settings);
    };
    if let Some(view) = view {
        output::print(&shown(view, &program, &plan)?)?;
        return Ok(0);
    }
    let mut waiting = WaitNotice::new(&format!("compiling `{}`", program.program.name));
    let fitted = program.fit(&plan, &mut waiting)?;
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

/// Prints a summary of a program for a machine without stages.
fn summary(
    arguments: &CompileArguments,
    program: &LoadedProgram,
    kind: &dyn MachineKind,
    settings: &Settings,
) -> Result<u8, Failure> {
    if let Some(view) = arguments.emit.as_deref().filter(|_| program.has_parser()) {
        output::print(&of_front_end(arguments, view)?)?;
        return Ok(0);
    }
    // Fails, with the reason, if the machine does not take programs without a parser.
    kind.fit(program, settings)?;
    let summary = Summary::of(program);
    if arguments.json {
        output::print_json(&summary)?
    } else {
        output::print(&summary.to_string())?
    }
    Ok(0)
}

/// Returns what the front end has made of a P4 program after a step, or the names of the steps for `list`.
fn of_front_end(arguments: &CompileArguments, view: &str) -> Result<String, Failure> {
    match view {
        "list" => Ok(STAGES.join("\n") + "\n"),
        view => stage(&arguments.program.program, &loading::options(&arguments.program), view),
    }
}

/// Returns the text of a view of a program on a machine with pipelines.
fn shown(view: &str, program: &LoadedProgram, plan: &MachinePlan) -> Result<String, Failure> {
    if let Some(text) = listed(view) {
        return Ok(if program.has_parser() { format!("edges\n{text}") } else { text });
    }
    match program.flatten()? {
        Some(flattened) if view == "edges" => Ok(flattened.edges.to_string()),
        Some(flattened) => emitted(view, &flattened.flat, plan),
        None => emitted(view, &program.program, plan),
    }
}

/// Prints the map of a pipeline that has been laid out already, by the passes or by hand.
fn laid_out(pipeline: &Pipeline, arguments: &CompileArguments) -> Result<u8, Failure> {
    let mut refused = Diagnostics::new();
    for name in
        arguments.on.options.given.iter().map(|(name, _)| name).chain(arguments.on.name.as_ref().map(|_| "machine"))
    {
        let message = format!("`--{name}` applies only to programs, and this is a compiled pipeline");
        refused.push(Diagnostic::without_place(message).hint("leave it out"));
    }
    refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })?;
    let map = StageMap::of(pipeline);
    match arguments.emit.as_deref() {
        None if arguments.json => output::print_json(&map)?,
        None => output::print(&map.to_string())?,
        Some("pipeline") => output::print(&pipeline.to_string())?,
        Some("stages-dot") => output::print(&polyplane::rooms::ir::dot::pipeline(pipeline))?,
        Some(other) => {
            let message = format!("`{other}` cannot be emitted for a compiled pipeline");
            return Err(Diagnostic::without_place(message).hint("use `--emit pipeline` or `--emit stages-dot`").into());
        }
    }
    Ok(0)
}

/// Returns the names of everything that can be emitted if `view` is `list`.
fn listed(view: &str) -> Option<String> {
    let views = VIEWS.iter().skip(1).filter(|view| **view != "list").copied();
    let names: Vec<&str> = ["source"].into_iter().chain(PASSES).chain(views).collect();
    (view == "list").then(|| names.join("\n") + "\n")
}

/// Keeps the text after the requested pass, and reports which step the compiler is at.
struct Asked<'a> {
    view: &'a str,
    text: Option<String>,
    waiting: WaitNotice,
}

impl Observer for Asked<'_> {
    fn begins(&mut self, step: &str) {
        self.waiting.begins(step);
    }

    fn ends(&mut self, pass: &'static str, made: Made<'_>) {
        if pass == self.view {
            self.text = Some(made.to_string());
        }
    }
}

/// Returns the text of a view. The text after an early pass exists even if the program does not fit in the end.
fn emitted(view: &str, program: &polyplane::rooms::ir::Program, plan: &MachinePlan) -> Result<String, Failure> {
    if view == "source" {
        return Ok(program.to_string());
    }
    if !VIEWS.contains(&view) && !PASSES.contains(&view) {
        return Err(Diagnostic::without_place(format!("there is nothing called `{view}` to emit"))
            .hint("`polyplane compile FILE --emit list` lists what can be emitted")
            .into());
    }
    let waiting = WaitNotice::new(&format!("compiling `{}`", program.name));
    let mut asked = Asked { view, text: None, waiting };
    let compiled = polyplane::rooms::passes::compile(program, &plan.target, plan.layout(), &mut asked);
    let Asked { text, waiting, .. } = asked;
    drop(waiting);
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(polyplane::rooms::passes::Failure::Resources(refused)) => {
            return text.ok_or_else(|| Failure::DoesNotFit(refused.report.to_string()));
        }
        Err(other) => return Err(Failure::DoesNotFit(format!("{other}\n"))),
    };
    match view {
        "dependencies-dot" => Ok(polyplane::rooms::passes::graphviz(&compiled.codelets.program)),
        "stages-dot" => Ok(polyplane::rooms::ir::dot::pipeline(&compiled.pipeline)),
        "stages-svg" => Ok(StageMap::fitted(&compiled, &plan.target).to_svg()),
        "pipeline" => Ok(compiled.pipeline.to_string()),
        "smt" => Ok(claims(&compiled)),
        pass => text.ok_or_else(|| {
            let machine = plan.name;
            Diagnostic::without_place(format!("the pass `{pass}` is not run for the machine `{machine}`"))
                .hint("`--emit pipeline` shows the result of the passes for every machine")
                .into()
        }),
    }
}

/// Returns the proof obligations of all atoms as SMT-LIB scripts, each followed by a reset so that one run of a solver
/// answers all.
fn claims(compiled: &Compiled) -> String {
    let mut text = String::new();
    for codelet in &compiled.codelets.all {
        if let Some(mapping) = &codelet.mapping {
            let _ = writeln!(text, "; {} as {}", codelet.registers.join(" and "), mapping.template);
            text.push_str(&polyplane::rooms::atoms::smt_lib(mapping));
            text.push_str("(reset)\n");
        }
    }
    text
}
