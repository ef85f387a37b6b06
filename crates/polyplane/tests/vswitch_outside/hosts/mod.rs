//! What starts a switch and its guests on a host: podman, by the plugin for containers, and systemd, by the unit.

mod containers;
mod unit;

use std::process::Command;

/// Returns the first thing that is missing for programs that only root may run.
fn missing(programs: &[&str]) -> Option<String> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !is_root {
        return Some("this needs root".to_owned());
    }
    programs.iter().find(|program| !crate::process::is_there(program)).map(|program| format!("there is no {program}"))
}
