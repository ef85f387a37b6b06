//! `polyplane vswitch cni`: the plugin that container runtimes call.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use polyplane::rooms::vswitchd::cni::{Call, PATIENCE, run as call, version_of};

use crate::output;

/// The name of a link to this program that runtimes find as a plugin.
const NAME: &str = "polyplane-cni";

/// Carries out what a runtime asks for if it has called this program as a plugin.
pub fn plugin() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    let is_plugin = Path::new(&name).file_name().is_some_and(|name| name == NAME);
    is_plugin.then(|| ExitCode::from(run()))
}

/// Carries out what a runtime asks for, and prints the result, or the error as the specification has it.
pub fn run() -> u8 {
    let mut input = String::new();
    // What cannot be read is no JSON, which the plugin says.
    let _ = std::io::stdin().read_to_string(&mut input);
    let variable = |name: &str| std::env::var(name).ok();
    let (printed, status) = match call(&Call { variable: &variable, input: &input, patience: PATIENCE }) {
        Ok(printed) => (printed, 0),
        Err(error) => (Some(error.to_json(&version_of(&input))), 1),
    };
    match printed.map(|printed| output::print_json(&printed)) {
        Some(Err(_)) => 1,
        _ => status,
    }
}
