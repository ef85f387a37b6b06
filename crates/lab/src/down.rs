//! Removing a lab, whatever is left of it.

use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

use diagnostics::Failure;

use crate::ip::Batch;
use crate::process;
use crate::state::Lab;

/// How long a switch may take to send what it holds, before it is killed.
const PATIENCE_WITH_SWITCHES: Duration = Duration::from_millis(2500);
/// How long a process in a host may take to end, before it is killed.
const PATIENCE_IN_HOSTS: Duration = Duration::from_millis(500);

/// What was left where it is, because it is not the lab's or could not be removed, in a sentence each.
pub type Left = Vec<String>;

/// Removes a lab: its switches, the processes in its hosts, its network namespaces with all interfaces and links in them, and
/// its folder. Of a lab that was killed or never finished, what there is is removed.
///
/// # Errors
/// Fails if this process is in one of the lab's hosts, or something cannot be removed; then the lab's file stays.
pub fn down(lab: &Lab) -> Result<Left, Failure> {
    let mut left = Vec::new();
    let inside: Vec<u32> = lab.namespaces().flat_map(|namespace| namespace.processes()).collect();
    if inside.contains(&std::process::id()) {
        return Err(Failure::plain("this runs in one of the lab's hosts: leave its shell first"));
    }
    let switches = process::of_folder(lab.run_folder());
    let mut stubborn = process::end(&switches, PATIENCE_WITH_SWITCHES);
    stubborn.extend(process::end(&inside, PATIENCE_IN_HOSTS));
    left.extend(stubborn.iter().map(|process| format!("process {process} does not end")));
    let mut batch = Batch::new(None);
    let mut removes = false;
    for namespace in lab.namespaces() {
        if namespace.is_ours() {
            batch.add(format!("netns delete {}", namespace.name));
            removes = true;
        } else if namespace.present().is_some() {
            left.push(format!("the network namespace {} is not the one that the lab made", namespace.name));
        }
    }
    if removes {
        batch.run()?;
    }
    let folder = lab.run_folder();
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::plain(format!("cannot remove {}: {error}", folder.display())))
        }
        // Of a lab whose folder somebody has removed, the rest was left.
        _ => Ok(left),
    }
}
