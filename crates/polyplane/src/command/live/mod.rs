//! `polyplane live`: starts a switch of live packets, and asks one that runs.

mod arguments;
mod ask;
mod plan;
pub mod start;

use polyplane::Failure;

pub use arguments::{EXAMPLES, LiveArguments};

pub fn run(arguments: &LiveArguments) -> Result<u8, Failure> {
    match &arguments.command {
        Some(command) => ask::run(command),
        None => start::run(&arguments.start),
    }
}
