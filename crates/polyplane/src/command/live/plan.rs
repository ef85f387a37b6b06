//! The plan of a switch, from a file or from the command line.

use std::path::Path;

use polyplane::rooms::files::PlanText;
use polyplane::rooms::switchd::{Fixed, PortBinding, SwitchPlan, plan};
use polyplane::rooms::workbench::LoadOptions;
use polyplane::rooms::workbench::kinds;
use polyplane::{Diagnostic, Failure};

use super::arguments::StartArguments;

/// Returns the plan that the arguments name or describe.
pub fn of(arguments: &StartArguments) -> Result<SwitchPlan, Failure> {
    let is_plan = |path: &&Path| path.extension().is_some_and(|ending| ending == "toml");
    let plan = match arguments.program.as_deref() {
        Some(path) if is_plan(&path) => from_file(arguments, path)?,
        program => from_line(arguments, program)?,
    };
    Ok(SwitchPlan {
        socket: arguments.socket.clone().or(plan.socket),
        metrics: arguments.metrics.or(plan.metrics),
        spin: arguments.spin.unwrap_or(plan.spin),
        core: arguments.core.or(plan.core),
        fixed: Fixed {
            socket: arguments.socket.is_some(),
            metrics: arguments.metrics.is_some(),
            p4runtime: arguments.controllers.are_given(),
            spin: arguments.spin.is_some(),
            core: arguments.core.is_some(),
        },
        p4runtime: arguments.controllers.plan(plan.p4runtime)?,
        ..plan
    })
}

fn from_file(arguments: &StartArguments, path: &Path) -> Result<SwitchPlan, Failure> {
    let is_given = [
        ("--port", !arguments.bindings.is_empty()),
        ("--tables", !arguments.tables.tables.is_empty()),
        ("--machine", arguments.on.name.is_some()),
        ("--binding", arguments.binding.is_some()),
        ("--seed", arguments.seed.is_some()),
        ("-I", !arguments.preprocessor.include.is_empty()),
        ("-D", !arguments.preprocessor.define.is_empty()),
    ];
    if let Some((name, _)) = is_given.into_iter().find(|(_, is_given)| *is_given) {
        let error = Diagnostic::without_place(format!("`{name}` is for a program, and the plan says it"));
        return Err(error.hint("write it into the plan: docs/live.md describes its fields").into());
    }
    if let Some((name, _)) = arguments.on.options.given.iter().next() {
        let error = Diagnostic::without_place(format!("`--{name}` is for a program, and the plan says it"));
        return Err(error.hint("write it under [options] of the plan").into());
    }
    plan::read(&PlanText::read(path)?)
}

fn from_line(arguments: &StartArguments, program: Option<&Path>) -> Result<SwitchPlan, Failure> {
    if program == Some(Path::new("-")) {
        return Err(Failure::plain("a live switch reads its program again, so that it must be a file"));
    }
    if program.is_none() && !arguments.tables.tables.is_empty() {
        return Err(Failure::plain("`--tables` needs a program"));
    }
    let preprocessor = arguments.preprocessor.options();
    let machine = arguments.on.name.as_deref().map(kinds::named).transpose()?;
    Ok(SwitchPlan {
        options: LoadOptions { binding: arguments.binding.clone(), ..preprocessor },
        machine,
        given: arguments.on.options.given.clone(),
        tables: arguments.tables.tables.clone(),
        ports: ports(&arguments.bindings, arguments.controllers.p4runtime.is_none())?,
        seed: arguments.seed.unwrap_or(1),
        ..match program {
            Some(program) => SwitchPlan::of_program(program.to_owned()),
            None => SwitchPlan::named("switch".to_owned()),
        }
    })
}

/// Parses the bindings `PORT=INTERFACE`.
fn ports(texts: &[String], are_required: bool) -> Result<Vec<PortBinding>, Failure> {
    if texts.is_empty() && are_required {
        let error = Diagnostic::without_place("the switch has no ports");
        return Err(error.hint("`--port 1=veth1` binds port 1 to the interface veth1; give several").into());
    }
    let port = |text: &String| {
        let parsed = text.split_once('=').and_then(|(port, name)| Some((port.parse::<u16>().ok()?, name)));
        let Some((port, name)) = parsed.filter(|(_, name)| !name.is_empty()) else {
            let error = Diagnostic::without_place(format!("`--port {text}` is not of the form PORT=INTERFACE"));
            return Err(error.hint("`--port 1=veth1` binds port 1 to the interface veth1").into());
        };
        Ok(PortBinding::new(port, name))
    };
    texts.iter().map(port).collect()
}
