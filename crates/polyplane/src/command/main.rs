//! The command `polyplane`.

mod arguments;
mod asking;
mod capture_options;
mod check;
mod compile;
mod conformance;
mod conformance_p4info;
mod controller_files;
mod controllers;
mod demo;
#[cfg(test)]
mod documented;
mod image;
mod lab;
mod live;
mod loading;
mod machine_options;
mod machines;
mod manual;
mod output;
mod packet_arguments;
mod packets;
mod program;
mod reproduce;
mod run;
mod run_progress;
mod serve;
mod signals;
mod sim;
mod sim_arguments;
mod standard_input;
mod stf;
mod sweep;
mod threads;
mod trace;
mod vswitch;
mod waiting;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::FromArgMatches;

/// The memory allocator; Cargo.toml says why.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = vswitch::plugin() {
        return code;
    }
    let mut line = arguments::command();
    let given = line.get_matches_mut();
    let arguments = Arguments::from_arg_matches(&given).unwrap_or_else(|error| error.exit());
    let possible = standard_input::refuse_twice(&line, &given);
    let outcome = possible.and_then(|()| match &arguments.command {
        Command::Compile(arguments) => compile::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Trace(arguments) => trace::run(arguments),
        Command::Live(arguments) => live::run(arguments),
        Command::Lab(arguments) => lab::run(arguments),
        Command::Vswitch(arguments) => vswitch::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Stf(arguments) => stf::run(arguments),
        Command::Conformance(arguments) => conformance::run(arguments),
        Command::ConformanceP4Info(arguments) => conformance_p4info::run(arguments),
        Command::Demo(arguments) => demo::run(arguments),
        Command::Reproduce(arguments) => reproduce::run(arguments),
        Command::Machines(arguments) => machines::run(arguments),
        Command::Sim(arguments) => sim::run(arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
        Command::Completions(arguments) => manual::completions(arguments),
        Command::Man(arguments) => manual::man(arguments),
    });
    output::exit_code(outcome)
}
