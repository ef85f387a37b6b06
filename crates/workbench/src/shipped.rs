//! Programs and packets that are built into the command, so that it needs no files of the project: those that `demo`
//! and `bench` run, and the applications of MP5's evaluation. The folder `shipped` of this crate has symbolic links to
//! them, so that a package of the crate contains them.

use traffic::Input;

use crate::program::LoadedProgram;
use diagnostics::Failure;

/// The texts of a built-in Domino program and of its binding.
struct Texts {
    path: &'static str,
    program: &'static str,
    binding_path: &'static str,
    binding: &'static str,
}

macro_rules! texts {
    ($($name:literal),* $(,)?) => {
        [$(Texts {
            path: concat!("programs/domino/", $name, "/", $name, ".c"),
            program: include_str!(concat!("../shipped/", $name, ".c")),
            binding_path: concat!("programs/domino/", $name, "/", $name, ".toml"),
            binding: include_str!(concat!("../shipped/", $name, ".toml")),
        }),*]
    };
}

const PROGRAMS: [Texts; 5] = texts!("flowlet", "conga", "stfq", "sequencer", "heavy_hitters");

/// The path of the capture of `demo` in the project, which manifests use as its name.
const CAPTURE: &str = "programs/captures/office.pcap";

/// Returns the built-in Domino program with a name: flowlet, conga, stfq, sequencer or heavy_hitters.
///
/// # Errors
/// If there is no program of this name. The programs that exist compile, which tests ensure.
pub fn shipped_program(name: &str) -> Result<LoadedProgram, Failure> {
    let is_meant =
        |texts: &&Texts| texts.path.rsplit('/').next().and_then(|file| file.strip_suffix(".c")) == Some(name);
    let Some(Texts { path, program, binding_path, binding }) = PROGRAMS.iter().find(is_meant) else {
        return Err(Failure::plain(format!("there is no built-in program called `{name}`")));
    };
    LoadedProgram::of_text(path, program, Some((binding_path, binding)))
}

/// Returns the built-in capture: 3,702 packets of an office network.
pub fn shipped_capture() -> Input {
    Input::of_bytes(CAPTURE, &include_bytes!("../shipped/office.pcap")[..])
}
