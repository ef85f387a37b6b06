//! Programs and packets that are part of the command, so that it needs no files of the project: what `demo` and `bench`
//! run, and the applications of MP5's evaluation. The folder `shipped` of this crate has links to them, so that a package of the
//! crate contains them.

use traffic::Input;

use crate::program::LoadedProgram;
use diagnostics::Failure;

/// A Domino program that is part of the command, and its binding.
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

/// Where the capture of `demo` lies in the project, which is what manifests call it.
const CAPTURE: &str = "programs/captures/office.pcap";

/// The shipped Domino program with this name: flowlet, conga, stfq, sequencer or heavy_hitters.
///
/// # Errors
/// If there is none of this name. That those which there are compile is what tests see to.
pub fn shipped_program(name: &str) -> Result<LoadedProgram, Failure> {
    let is_meant =
        |texts: &&Texts| texts.path.rsplit('/').next().and_then(|file| file.strip_suffix(".c")) == Some(name);
    let Some(Texts { path, program, binding_path, binding }) = PROGRAMS.iter().find(is_meant) else {
        return Err(Failure::plain(format!("no program called `{name}` is part of the command")));
    };
    LoadedProgram::of_texts((path, program), (binding_path, binding))
}

/// The shipped capture: an office's packets, 3,702 of them.
pub fn shipped_capture() -> Input {
    Input::of_bytes(CAPTURE, &include_bytes!("../shipped/office.pcap")[..])
}
