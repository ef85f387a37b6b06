//! `polyplane compile`: a program fitted to a machine, as a map or as the text after any pass.

use std::fmt::Write;

use diagnostics::Diagnostic;
use experiments::packet_programs::is_packet_program;
use experiments::{Failure, FitReport, StageMap, fit, read_pipeline};
use ir::pipeline::Pipeline;
use passes::{Compiled, Made, Observer, PASSES};

use crate::arguments::CompileArguments;
use crate::waiting::Waiting;
use crate::{output, packet_compile, plan};

/// What can be emitted beside the text after a pass.
const VIEWS: [&str; 7] = ["source", "dependencies-dot", "stages-dot", "smt", "pipeline", "list", "stages-svg"];

pub fn run(arguments: &CompileArguments) -> Result<u8, Failure> {
    if is_packet_program(&arguments.program.program) {
        return packet_compile::run(arguments);
    }
    if let Some(text) = arguments.emit.as_deref().and_then(listed) {
        output::print(&text)?;
        return Ok(0);
    }
    if let Some(pipeline) = read_pipeline(&arguments.program.program)? {
        return laid_out(&pipeline, arguments);
    }
    let loaded = plan::load(&arguments.program)?;
    let plan = plan::machine(
        arguments.machine.as_deref().unwrap_or(plan::MACHINE),
        &arguments.build,
        &arguments.target,
        &loaded.program,
        0,
    )?;
    if let Some(view) = &arguments.emit {
        output::print(&emitted(view, &loaded.program, &plan)?)?;
        return Ok(0);
    }
    let mut waiting = Waiting::new(&format!("compiling `{}`", loaded.program.name));
    let compiled = fit(&loaded.program, &plan, &mut waiting)?;
    waiting.step("least atoms");
    let report = FitReport::of(&compiled, &plan);
    drop(waiting);
    if arguments.json {
        output::print_json(&report)?;
    } else {
        output::print(&report.to_string())?;
    }
    Ok(0)
}

/// A pipeline that was laid out already, by the passes or by hand: its map.
fn laid_out(pipeline: &Pipeline, arguments: &CompileArguments) -> Result<u8, Failure> {
    let map = StageMap::of(pipeline);
    match arguments.emit.as_deref() {
        None if arguments.json => output::print_json(&map)?,
        None => output::print(&map.to_string())?,
        Some("pipeline") => output::print(&pipeline.to_string())?,
        Some("stages-dot") => output::print(&ir::dot::pipeline(pipeline))?,
        Some(other) => {
            let message = format!("there is no `{other}` of a pipeline, which has been compiled already");
            return Err(Diagnostic::without_place(message).hint("`pipeline` and `stages-dot` there are").into());
        }
    }
    Ok(0)
}

/// What there is to emit, if that is what was asked for.
pub fn listed(view: &str) -> Option<String> {
    let views = VIEWS.iter().skip(1).filter(|view| **view != "list").copied();
    let names: Vec<&str> = ["source"].into_iter().chain(PASSES).chain(views).collect();
    (view == "list").then(|| names.join("\n") + "\n")
}

/// Keeps the text after the pass that was asked for, and says what the command is at.
struct Asked<'a> {
    view: &'a str,
    text: Option<String>,
    waiting: Waiting,
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

/// The text of a view. That after an early pass is there also for a program that does not fit in the end.
pub fn emitted(view: &str, program: &ir::Program, plan: &experiments::MachinePlan) -> Result<String, Failure> {
    if view == "source" {
        return Ok(program.to_string());
    }
    if !VIEWS.contains(&view) && !PASSES.contains(&view) {
        return Err(Diagnostic::without_place(format!("there is nothing called `{view}` to emit"))
            .hint("`polyplane compile FILE --emit list` names what there is")
            .into());
    }
    let waiting = Waiting::new(&format!("compiling `{}`", program.name));
    let mut asked = Asked { view, text: None, waiting };
    let compiled = passes::compile(program, &plan.target, plan.layout(), &mut asked);
    let Asked { text, waiting, .. } = asked;
    drop(waiting);
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(passes::Failure::Resources(refused)) => {
            return text.ok_or_else(|| Failure::DoesNotFit(refused.report.to_string()));
        }
        Err(other) => return Err(Failure::DoesNotFit(format!("{other}\n"))),
    };
    match view {
        "dependencies-dot" => Ok(passes::graphviz(&compiled.codelets.program)),
        "stages-dot" => Ok(ir::dot::pipeline(&compiled.pipeline)),
        "stages-svg" => Ok(StageMap::fitted(&compiled, &plan.target).to_svg()),
        "pipeline" => Ok(compiled.pipeline.to_string()),
        "smt" => Ok(claims(&compiled)),
        pass => text.ok_or_else(|| {
            let machine = plan.architecture;
            Diagnostic::without_place(format!("the pass `{pass}` is not run for the machine `{machine}`"))
                .hint("`--emit pipeline` shows what every machine's passes end with")
                .into()
        }),
    }
}

/// Every atom's claim, one script after the other, each reset so that one run of a solver answers all.
fn claims(compiled: &Compiled) -> String {
    let mut text = String::new();
    for codelet in &compiled.codelets.all {
        if let Some(mapping) = &codelet.mapping {
            let _ = writeln!(text, "; {} as {}", codelet.registers.join(" and "), mapping.template);
            text.push_str(&passes::atoms::smt_lib(mapping));
            text.push_str("(reset)\n");
        }
    }
    text
}
