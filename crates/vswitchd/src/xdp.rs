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
    check_by(KINDS.iter().any(|kind| kind.runs_programs), reading)
}

/// As [`check`], for a build that does or does not know interfaces which run programs.
fn check_by(build_runs_programs: bool, reading: &Reading) -> Result<(), Failure> {
    if !reading.configuration.path.xdp {
        return Ok(());
    }
    let runs_it = |name: &str| {
        let kind = live::kind_of(name, &Options::default()).ok().flatten();
        kind.is_some_and(|kind| kind.runs_programs)
    };
    let (message, hint) = if !build_runs_programs {
        ("this build of Polyplane loads no XDP programs", "build it with `--features af_xdp`, or leave `xdp` out")
    } else if !reading.interface_names().any(runs_it) {
        ("no interface here runs an XDP program", "name those that should `xdp:INTERFACE`, or leave `xdp` out")
    } else {
        return Ok(());
    };
    Err(reading.refuse_xdp(message.to_owned(), hint.to_owned()))
}

#[cfg(test)]
mod tests {
    use files::PlanText;
    use vswitch::configuration::read;

    use super::check_by;

    /// A build without AF_XDP refuses the option at its place, also for an interface that would run the program.
    #[test]
    fn a_build_without_af_xdp_refuses_the_option_at_its_place() {
        for interface in ["tap:guest1", "xdp:guest1"] {
            let text = format!(
                "[path]\nxdp = true\n[[vpc]]\nname = \"red\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\n\
                 gateway = \"10.0.1.254\"\n[[vnic]]\nname = \"1\"\ninterface = \"{interface}\"\nvpc = \"red\"\n\
                 mac = \"02:00:00:00:00:01\"\naddresses = [\"10.0.1.1\"]\n"
            );
            let plan = PlanText { name: "host".into(), path: "host.toml".into(), text, folder: Default::default() };
            let reading = read(&plan).expect("a configuration");
            let told = check_by(false, &reading).expect_err("it is refused").render(false);
            assert!(told.contains("this build of Polyplane loads no XDP programs"), "{told}");
            assert!(told.contains("host.toml:2:") && told.contains("`--features af_xdp`"), "{told}");
        }
    }
}
