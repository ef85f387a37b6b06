//! `polyplane machines`: every machine, what it is and what can be set.

use clap::{Arg, Args, Command};
use experiments::{Failure, kinds};
use serde::Serialize;

use crate::{arguments, output, scope};

/// `polyplane machines`
#[derive(Debug, Args)]
pub struct MachinesArguments {
    /// Only this machine, with its options.
    pub name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// A machine as scripts read it.
#[derive(Serialize)]
struct Machine {
    #[serde(flatten)]
    described: kinds::Described,
    options: Vec<MachineOption>,
}

/// An option of a machine.
#[derive(Serialize)]
struct MachineOption {
    /// As people write it, with what stands behind it.
    option: String,
    /// What is taken if nobody says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    /// What it is for, with units.
    help: String,
}

pub fn run(arguments: &MachinesArguments) -> Result<u8, Failure> {
    let line = arguments::command();
    let chosen = match &arguments.name {
        Some(name) => vec![kinds::named(name)?],
        None => kinds::ALL.to_vec(),
    };
    let machines: Vec<Machine> = chosen.into_iter().map(|kind| Machine::of(kind, &line)).collect();
    match (arguments.json, &arguments.name, machines.as_slice()) {
        (true, Some(_), [machine]) => output::print_json(machine)?,
        (true, ..) => output::print_json(&machines)?,
        (false, Some(_), [machine]) => output::print(&machine.in_full())?,
        (false, ..) => output::print(&machines.iter().map(Machine::in_short).collect::<String>())?,
    }
    Ok(0)
}

impl Machine {
    /// A kind of machine, with the options of `polyplane run` that are for it.
    fn of(kind: &dyn kinds::Kind, line: &Command) -> Self {
        let run = line.find_subcommand("run").into_iter().flat_map(Command::get_arguments);
        let is_its = |argument: &&Arg| {
            !argument.is_hide_set()
                && scope::of("run", argument.get_id().as_str()).is_some_and(|is_for| is_for.suits(kind.name()))
        };
        Self { described: kind.into(), options: run.filter(is_its).map(MachineOption::of).collect() }
    }

    fn in_short(&self) -> String {
        let kinds::Described { name, about, page } = self.described;
        format!("{name:<15} {about}\n{:<15} {page}\n", "")
    }

    fn in_full(&self) -> String {
        let mut text = self.in_short();
        for MachineOption { option, default, help } in &self.options {
            let default = default.as_ref().map(|default| format!(" [default: {default}]")).unwrap_or_default();
            text.push_str(&format!("\n  {option}{default}\n      {help}\n"));
        }
        text
    }
}

impl MachineOption {
    fn of(argument: &Arg) -> Self {
        let values = argument.get_value_names().into_iter().flatten().map(|name| format!(" <{name}>"));
        let takes_values = argument.get_action().takes_values();
        let values: String = if takes_values { values.collect() } else { String::new() };
        let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned());
        let defaults: Vec<String> = defaults.collect();
        let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
        Self {
            option: format!("--{}{values}", argument.get_long().unwrap_or_default()),
            default: (takes_values && !defaults.is_empty()).then(|| defaults.join(",")),
            help,
        }
    }
}
