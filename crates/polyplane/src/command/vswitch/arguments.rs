//! The arguments of `polyplane vswitch`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use polyplane::rooms::basis::Duration;
use polyplane::rooms::units;

/// Examples at the end of the help.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane vswitch check host-a.toml               # every mistake, and whether the interfaces are there\n  \
    polyplane vswitch run host-a.toml                 # until Ctrl-C\n  \
    polyplane vswitch run host-a.toml --for 10s --json\n\n\
    A configuration names the guests (vNICs), their virtual networks (VPCs), routes, security groups, pools of addresses and load \
    balancers; docs/vswitch/README.md goes from nothing to two guests that ping.";

/// The arguments.
#[derive(Args, Debug)]
pub struct VswitchArguments {
    #[command(subcommand)]
    pub command: VswitchCommand,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum VswitchCommand {
    /// Check a configuration, and whether its switch can start on this computer.
    Check(CheckArguments),
    /// Run the switch of a configuration, until SIGINT or SIGTERM.
    Run(RunArguments),
}

/// A configuration to check.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// The configuration, in TOML; `-` for standard input.
    pub configuration: PathBuf,
    /// Check the file alone, and not whether its interfaces are there.
    #[arg(long)]
    pub file_only: bool,
    /// Print the configuration with all its defaults.
    #[arg(long)]
    pub print: bool,
}

/// A configuration to run.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// The configuration, in TOML; `-` for standard input.
    pub configuration: PathBuf,
    /// Stop after this time, such as 10s.
    #[arg(long = "for", value_name = "TIME", value_parser = units::duration)]
    pub time: Option<Duration>,
    /// Print the counts at the end as JSON.
    #[arg(long)]
    pub json: bool,
}
