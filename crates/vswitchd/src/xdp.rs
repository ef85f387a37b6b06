//! The program that finds headers in front of AF_XDP sockets, as interfaces are given it.

use diagnostics::Failure;
use live::{FrameProgram, KINDS, Options};
use vswitch::VirtualSwitch;
use vswitch::configuration::{Configuration, Reading};
use vswitch::headers::LENGTH;

/// Returns how the interfaces of a switch are opened that a configuration has.
pub(crate) fn options(switch: &VirtualSwitch, configuration: &Configuration) -> Options {
    let program = switch.header_program(configuration);
    let program = program.map(|instructions| FrameProgram { instructions, metadata: LENGTH });
    Options { program, ..Options::default() }
}

/// Checks that an interface runs the program if a configuration wants it.
///
/// # Errors
/// Fails at the place where the configuration says so, if this build knows no such interfaces, or the configuration has none.
pub(crate) fn check(reading: &Reading) -> Result<(), Failure> {
    if !reading.configuration.path.xdp {
        return Ok(());
    }
    let runs_it = |name: &str| {
        let kind = live::kind_of(name, &Options::default()).ok().flatten();
        kind.is_some_and(|kind| kind.runs_programs)
    };
    let (message, hint) = if !KINDS.iter().any(|kind| kind.runs_programs) {
        ("this build of Polyplane loads no XDP programs", "build it with `--features af_xdp`, or leave `xdp` out")
    } else if !reading.interface_names().any(runs_it) {
        ("no interface here runs an XDP program", "name those that should `xdp:INTERFACE`, or leave `xdp` out")
    } else {
        return Ok(());
    };
    Err(reading.refuse_xdp(message.to_owned(), hint.to_owned()))
}
