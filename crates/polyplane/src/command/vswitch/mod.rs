//! `polyplane vswitch`: the cloud virtual switch.

mod arguments;
mod ask;
mod cni;
mod run;
mod successor;
mod topology;
mod upgrade;

use polyplane::Failure;
use polyplane::rooms::files::PlanText;
use polyplane::rooms::vswitch::configuration::{Reading, read};
use polyplane::rooms::vswitchd::check;

use arguments::{CheckArguments, VswitchCommand};
pub use arguments::{EXAMPLES, VswitchArguments};
pub use cni::plugin;

use crate::output;

pub fn run(arguments: &VswitchArguments) -> Result<u8, Failure> {
    match &arguments.command {
        VswitchCommand::Check(arguments) => check_configuration(arguments),
        VswitchCommand::Run(arguments) => run::run(arguments),
        VswitchCommand::Upgrade(arguments) => upgrade::run(arguments),
        VswitchCommand::Topology(arguments) => topology::run(arguments),
        VswitchCommand::Cni => Ok(cni::run()),
        other => ask::run(other),
    }
}

fn check_configuration(arguments: &CheckArguments) -> Result<u8, Failure> {
    let reading = read(&PlanText::read(&arguments.configuration)?)?;
    if !arguments.file_only {
        tell_notes(&check(&reading)?);
    }
    output::print(&if arguments.print { reading.text } else { described(&reading) })?;
    Ok(0)
}

/// Says what is allowed and may not be meant.
fn tell_notes(notes: &[String]) {
    notes.iter().for_each(|note| output::tell(&format!("note: {note}\n")));
}

/// Returns what a configuration has, in a line.
fn described(reading: &Reading) -> String {
    let configuration = &reading.configuration;
    let count = |number: usize, one: &str, several: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {several}"),
    };
    let parts = [
        count(configuration.vnics.len(), "vNIC", "vNICs"),
        count(configuration.vpcs.len(), "VPC", "VPCs"),
        count(configuration.vpcs.iter().map(|vpc| vpc.routes.len()).sum(), "route", "routes"),
        count(configuration.groups.iter().map(|group| group.rules.len()).sum(), "rule", "rules"),
        count(configuration.nats.len(), "pool", "pools"),
        count(configuration.balancers.len(), "load balancer", "load balancers"),
    ];
    format!("{}: {}\n", reading.name, parts.join(", "))
}
