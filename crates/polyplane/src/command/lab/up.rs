//! `polyplane lab up`.

use std::path::{Path, PathBuf};

use polyplane::Failure;
use polyplane::rooms::files::PlanText;
use polyplane::rooms::lab::plan::{LabPlan, Options, read};
use polyplane::rooms::lab::{Labs, UpOptions, check_rights, status, up};
use polyplane::rooms::switchd::SwitchPlan;
use polyplane::rooms::workbench::kinds;

use super::arguments::UpArguments;
use crate::output;

pub fn run(labs: &Labs, arguments: &UpArguments) -> Result<u8, Failure> {
    let text = PlanText::read(&arguments.plan)?;
    let options = Options {
        name: arguments.name.clone(),
        programs: arguments.programs.clone(),
        rate: arguments.rate,
        delay: arguments.delay.unwrap_or_default(),
    };
    let read = read(&text, &options)?;
    output::tell(&read.warnings);
    let plan = read.plan;
    check_programs(&plan)?;
    if arguments.check {
        check_rights(Some(&plan))?;
        let [hosts, switches, links] = [plan.hosts.len(), plan.switches.len(), plan.links.len()];
        output::print(&format!("{}: {hosts} hosts, {switches} switches, {links} links\n", plan.name))?;
        return Ok(0);
    }
    let polyplane = polyplane()?;
    let made = up(
        labs,
        &plan,
        &UpOptions {
            polyplane: &polyplane,
            plan: arguments.plan.display().to_string(),
            p4runtime: arguments.p4runtime,
        },
    )?;
    for failed in &made.failed_commands {
        output::tell(&format!("warning: {failed}\n"));
    }
    let status = status(&made.lab);
    if arguments.json {
        output::print_json(&status)?
    } else {
        output::print(&status.to_string())?
    }
    Ok(0)
}

/// Returns the program that runs, which also runs the switches.
pub fn polyplane() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::plain(format!("cannot find the program `polyplane`: {error}")))
}

/// Reads the programs and the table entries of all switches, so that whatever is wrong is said before anything is made.
fn check_programs(plan: &LabPlan) -> Result<(), Failure> {
    let mut seen: Vec<(&Path, &[PathBuf])> = Vec::new();
    let mut failures: Vec<Failure> = Vec::new();
    for switch in &plan.switches {
        let files = (switch.program.as_path(), switch.tables.as_slice());
        if seen.contains(&files) {
            continue;
        }
        seen.push(files);
        let checked = kinds::named(&switch.machine).and_then(|machine| {
            let plan = SwitchPlan { machine: Some(machine), ..SwitchPlan::of_program(switch.program.clone()) };
            SwitchPlan { tables: switch.tables.clone(), ..plan }.load()
        });
        failures.extend(checked.err());
    }
    let Some(last) = failures.pop() else { return Ok(()) };
    failures.iter().for_each(|failure| output::tell(&failure.render(false)));
    Err(last)
}
