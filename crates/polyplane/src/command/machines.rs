//! `polyplane machines`: lists the machines and their options.

use clap::Args;
use polyplane::Failure;
use polyplane::rooms::workbench::kinds;
use serde::Serialize;

use crate::output;

/// The arguments of `polyplane machines`.
#[derive(Debug, Args)]
pub struct MachinesArguments {
    /// Describe only this machine, with its options.
    pub name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// A machine in JSON.
#[derive(Serialize)]
struct Machine {
    #[serde(flatten)]
    described: kinds::Described,
    options: Vec<MachineOption>,
}

/// An option of a machine in JSON.
#[derive(Serialize)]
struct MachineOption {
    /// The option as it is written on the command line, with the name of its value.
    option: String,
    /// The default value, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    /// The help text of the option, with units.
    help: String,
}

pub fn run(arguments: &MachinesArguments) -> Result<u8, Failure> {
    let chosen = match &arguments.name {
        Some(name) => vec![kinds::named(name)?],
        None => kinds::ALL.to_vec(),
    };
    let machines: Vec<Machine> = chosen.into_iter().map(Machine::of).collect();
    match (arguments.json, &arguments.name, machines.as_slice()) {
        (true, Some(_), [machine]) => output::print_json(machine)?,
        (true, ..) => output::print_json(&machines)?,
        (false, Some(_), [machine]) => output::print(&machine.in_full())?,
        (false, ..) => output::print(&machines.iter().map(Machine::in_short).collect::<String>())?,
    }
    Ok(0)
}

impl Machine {
    /// A kind of machine, with its options.
    fn of(kind: &dyn kinds::MachineKind) -> Self {
        let options = kind.options().iter().filter(|option| !option.is_hidden);
        Self { described: kind.into(), options: options.map(|option| MachineOption::of(option)).collect() }
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
    fn of(option: &kinds::MachineOption) -> Self {
        let value = if option.value.is_empty() { String::new() } else { format!(" <{}>", option.value) };
        Self {
            option: format!("--{}{value}", option.name),
            default: (!option.default.is_empty()).then(|| option.default.to_owned()),
            help: option.help.to_owned(),
        }
    }
}
