//! `polyplane run`: a program on a machine on packets.

mod fields;
mod whole;

use experiments::Failure;

use crate::arguments::RunArguments;
use crate::loading;

/// The exit status where packets stand still in a machine.
pub const STANDS_STILL: u8 = 4;

pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let program = loading::load(&arguments.program)?;
    let (machine, settings) = arguments.on.chosen(&program)?;
    if program.has_parser() {
        whole::run(arguments, &program, machine, settings)
    } else {
        fields::run(arguments, &program, machine, &settings)
    }
}
