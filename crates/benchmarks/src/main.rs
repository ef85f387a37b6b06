//! The program `polyplane-bench`: measures how fast machines, networks and live switches run on this computer.
//!
//! - [`router`] runs an IPv4 router in P4 as machine code and by the interpreter, and measures how long programs take to
//!   compile.
//! - [`chip`] runs a router on the chip for the Tofino Native Architecture and on the v1model switch.
//! - [`trio`](mod@trio) simulates the run-to-completion chip beside the bare interpreter of threads, and chips of all generations.
//! - [`aggregation`](mod@aggregation) lets the plain aggregator add up the values of packets.
//! - [`virtual_switch`](mod@virtual_switch) measures what options of the virtual switch bring, what connections cost it, and what
//!   attacks of a guest cost.
//! - [`programs`] runs every machine with pipelines on generated packets.
//! - [`traces`] runs MP5 on the traces that its artifact was measured with.
//! - [`networks`](mod@networks) simulates networks, and runs htsim on the same flows.
//! - [`controllers`](mod@controllers) measures what controllers cost that load a switch by P4Runtime.
//! - [`live`] measures switches between two hosts of Linux: `polyplane live`, and what is compared with it.
//! - [`against`](mod@against) runs this build and another one in turn, and says which is faster.
//! - [`long_stream`] runs MP5 on a stream during which its memory must not grow.
//!
//! Where the interpreter can run the same packets, the results also say whether the machine ended in the interpreter's
//! state. The program never knows how a machine is fast. `docs/benchmarks.md` has the method and the figures.

mod against;
mod aggregation;
mod arguments;
mod chip;
mod controllers;
mod live;
mod long_stream;
mod memory;
mod networks;
mod programs;
mod published_simulator;
mod results;
mod router;
mod statistics;
mod tables;
mod timing;
mod traces;
mod trio;
mod virtual_switch;

use std::process::ExitCode;

use arguments::Arguments;
use clap::Parser;
use diagnostics::Failure;
use files::console;
use results::Results;

/// The memory allocator, which is that of the command `polyplane`; Cargo.toml of the workspace says why.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    console::exit_code(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if let [plan, folder] = arguments.network_run.as_slice() {
        networks::run(plan, folder)?;
        return Ok(0);
    }
    if !arguments.live_process.is_empty() {
        live::live_process(&arguments.live_process)?;
        return Ok(0);
    }
    if let Some(folder) = &arguments.against {
        let comparison = against::compare(arguments, folder)?;
        if arguments.json {
            console::print_json(&comparison)?;
        } else {
            console::print(&against::as_text(&comparison))?;
        }
        return Ok(u8::from(!comparison.different_results.is_empty()));
    }
    let results = Results::measure(arguments)?;
    if let Some(path) = &arguments.trio_figure {
        let written = std::fs::write(path, trio::figure(&results.trio_rates));
        written.map_err(|error| Failure::plain(format!("cannot write {}: {error}", path.display())))?;
    }
    if arguments.json {
        console::print_json(&results)?;
    } else {
        console::print(&tables::as_text(&results))?;
    }
    Ok(u8::from(results.is_wrong()))
}
