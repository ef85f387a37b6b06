//! Making a lab.

mod controllers;
mod hosts;
mod nodes;
mod switches;

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Failure};

use crate::down::down;
use crate::plan::{End, LabPlan};
use crate::rights;
use crate::state::{Host, Lab, Labs, Link, LinkEnd, Namespace, Switch};

pub use switches::restart;

/// How a lab is made.
#[derive(Clone, Debug)]
pub struct UpOptions<'o> {
    /// The program `polyplane`, which runs the switches.
    pub polyplane: &'o Path,
    /// The file of the plan, as people see it.
    pub plan: String,
    /// The port at which controllers reach the first switch, those of the others following; `None` for the first free row from
    /// 50051 on.
    pub p4runtime: Option<u16>,
}

/// A lab that was made.
#[derive(Debug)]
pub struct Up {
    /// The lab.
    pub lab: Lab,
    /// Commands of hosts that failed, in a sentence each, with what they said.
    pub failed_commands: Vec<String>,
}

/// Makes a lab. If something fails, what was made is removed again.
///
/// # Errors
/// Fails if rights or tools are missing, the lab or one of its network namespaces is there already, the system refuses
/// something, or a switch does not start.
pub fn up(labs: &Labs, plan: &LabPlan, options: &UpOptions<'_>) -> Result<Up, Failure> {
    rights::check(Some(plan))?;
    let chooses = labs.lock()?;
    let lab = described(labs, plan, options)?;
    let taken: Vec<&str> =
        lab.namespaces().filter(|space| space.present().is_some()).map(|space| &*space.name).collect();
    if !taken.is_empty() && !labs.folder(&lab.name).exists() {
        let message = format!("there are network namespaces called {} already", taken.join(", "));
        let hint = match labs.remains(&lab.name) {
            Some(_) => format!("`polyplane lab down {}` removes what is left of an earlier lab", lab.name),
            None => {
                "they are no lab's: `ip netns delete` removes them, or `--name` gives the lab another name".to_owned()
            }
        };
        return Err(Diagnostic::without_place(message).hint(hint).into());
    }
    let mut lab = labs.begin(lab)?;
    // From here on others find its names and ports in its file.
    drop(chooses);
    match make(plan, &mut lab, options) {
        Ok(failed_commands) => Ok(Up { lab, failed_commands }),
        Err(failure) => {
            // What cannot be removed is found again by `lab down`; the first failure says more.
            let _ = down(&lab);
            Err(failure)
        }
    }
}

fn make(plan: &LabPlan, lab: &mut Lab, options: &UpOptions<'_>) -> Result<Vec<String>, Failure> {
    nodes::make(plan, lab)?;
    let starting = switches::start_all(plan, lab, options.polyplane)?;
    let failed = hosts::run_commands(plan, lab);
    switches::wait_for(lab, starting)?;
    nodes::wait_for_carriers(lab);
    lab.is_up = true;
    lab.write()?;
    Ok(failed)
}

/// Returns the lab of a plan, of which nothing is made.
fn described(labs: &Labs, plan: &LabPlan, options: &UpOptions<'_>) -> Result<Lab, Failure> {
    let addresses = controllers::addresses(labs, plan.switches.len(), options.p4runtime)?;
    let mut lab = Lab::new(plan.name.clone(), options.plan.clone(), plan.folder.clone());
    for host in &plan.hosts {
        lab.hosts.push(Host {
            name: host.name.clone(),
            namespace: Namespace::of(&plan.name, &host.name),
            interface: HOST_INTERFACE.to_owned(),
            address: host.address.map(|address| address.to_string()),
            mac: host.mac.map(|mac| mac.to_string()),
        });
    }
    for (switch, address) in plan.switches.iter().zip(addresses) {
        lab.switches.push(Switch {
            name: switch.name.clone(),
            namespace: Namespace::of(&plan.name, &switch.name),
            program: absolute(&switch.program)?,
            machine: switch.machine.clone(),
            p4runtime: Some(address.to_string()),
        });
    }
    for link in &plan.links {
        let end = |end: End| match end {
            End::Host(host) => {
                LinkEnd { node: plan.hosts[host].name.clone(), port: None, interface: HOST_INTERFACE.to_owned() }
            }
            End::Switch(switch, port) => {
                LinkEnd { node: plan.switches[switch].name.clone(), port: Some(port), interface: plan.end_name(end) }
            }
        };
        lab.links.push(Link {
            name: plan.link_name(link),
            ends: link.ends.map(end),
            rate: link.rate.map(|rate| rate.to_string()),
            delay: (link.delay > basis::Duration::ZERO).then(|| units::duration_text(link.delay)),
        });
    }
    Ok(lab)
}

/// The interface of a host.
const HOST_INTERFACE: &str = "eth0";

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path).map_err(|error| Failure::plain(format!("cannot find {}: {error}", path.display())))
}
