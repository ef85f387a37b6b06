//! Checking before anything is touched: whether a switch can start here as its plan says.

use std::collections::BTreeMap;
use std::net::TcpListener;

use diagnostics::Failure;
use live::Claim;
use rustix::process::{Resource, getrlimit};

use crate::open::options;
use crate::plan::{Found, SwitchPlan};
use crate::socket::{self, SocketFile};

/// The most descriptors that an interface takes: its own, and one for notices of changes.
const OF_A_PORT: u64 = 2;
/// The descriptors that a switch takes beside its ports and captures: clients, their requests, the program's files.
const OF_THE_SWITCH: u64 = 96;

/// Checks everything of a plan that its program has no part in: ports and interfaces, captures, the core, the address of
/// metrics, the control socket. Nothing is made, changed or kept.
///
/// # Errors
/// Fails with everything that is wrong, each at its place.
pub fn check(plan: &SwitchPlan) -> Result<(), Failure> {
    let mut found = ports(plan);
    let mut claims = Vec::new();
    interfaces(plan, &mut claims, &mut found);
    captures(plan, &mut claims, &mut found);
    descriptors(plan, &mut found);
    core(plan, &mut found);
    if let Some(address) = plan.metrics
        && let Err(error) = TcpListener::bind(address)
    {
        let hint = "the address must be one of this computer, and no other program may listen at its port";
        found.push((
            plan.places.metrics.clone(),
            format!("metrics cannot be served at {address}: {error}"),
            hint.into(),
        ));
    }
    // A program from the command line takes another name if the usual one is taken.
    let path = plan.socket.clone().or_else(|| plan.source.is_some().then(|| socket::usual(&plan.name)));
    if let Some(path) = path
        && let Err(unusable) = SocketFile::check(&path)
    {
        found.push((plan.places.socket.clone(), unusable.message, unusable.hint));
    }
    plan.refuse(found)
}

/// Returns which ports are bound twice.
fn ports(plan: &SwitchPlan) -> Vec<Found> {
    let mut numbers = BTreeMap::new();
    let mut found = Vec::new();
    for binding in &plan.ports {
        if let Some(other) = numbers.insert(binding.port, &binding.interface) {
            let message = format!("port {} is bound to `{other}` already", binding.port);
            found.push((binding.place.clone(), message, "bind each port to one interface".to_owned()));
        }
    }
    found
}

/// What is taken, and by whom.
type Claims = Vec<(Claim, String)>;

/// Takes something, unless somebody has it.
fn claim(claims: &mut Claims, claim: Claim, by: String) -> Option<String> {
    let holder = claims.iter().find(|(other, _)| other.conflicts_with(&claim)).map(|(_, holder)| holder.clone());
    let refused = holder.map(|holder| format!("{claim} is taken by {holder} already"));
    claims.push((claim, by));
    refused
}

fn interfaces(plan: &SwitchPlan, claims: &mut Claims, found: &mut Vec<Found>) {
    for binding in &plan.ports {
        let place = &binding.interface_place;
        match live::check(&binding.interface, &options(binding)) {
            Err(unusable) => found.push((place.clone(), unusable.message, unusable.hint)),
            Ok(of_interface) => found.extend(of_interface.into_iter().filter_map(|own| {
                let refused = claim(claims, own, format!("port {}", binding.port))?;
                Some((place.clone(), refused, "bind each interface to one port".to_owned()))
            })),
        }
    }
}

fn captures(plan: &SwitchPlan, claims: &mut Claims, found: &mut Vec<Found>) {
    for capture in &plan.captures {
        let is_bound = |port: &&u16| plan.ports.iter().any(|binding| binding.port == **port);
        for port in capture.ports.iter().filter(|port| !is_bound(port)) {
            let bound: Vec<String> = plan.ports.iter().map(|binding| binding.port.to_string()).collect();
            let message = format!("a capture is of port {port}, to which no interface is bound");
            found.push((capture.ports_place.clone(), message, format!("ports are {}", bound.join(", "))));
        }
        match live::written_file(&capture.write) {
            Err(unusable) => found.push((capture.place.clone(), unusable.message, unusable.hint)),
            Ok(own) => {
                if let Some(refused) = claim(claims, own, "a port or another capture".to_owned()) {
                    found.push((capture.place.clone(), refused, "give each capture a file of its own".to_owned()));
                }
            }
        }
        // Opening a pipe would wait for its reader, and the switch with it.
        if std::fs::metadata(&capture.write).is_ok_and(|other| !other.is_file() && !other.is_dir()) {
            let message = format!("the file `{}` cannot be written: it is no file", capture.write.display());
            let hint = "`polyplane live capture --write -` writes into a pipe";
            found.push((capture.place.clone(), message, hint.to_owned()));
        }
    }
}

/// Checks that the system has descriptors enough.
fn descriptors(plan: &SwitchPlan, found: &mut Vec<Found>) {
    let needed = OF_A_PORT * plan.ports.len() as u64 + plan.captures.len() as u64 + OF_THE_SWITCH;
    if let Some(most) = getrlimit(Resource::Nofile).current.filter(|most| *most < needed) {
        let ports = plan.ports.len();
        let message = format!("{ports} ports need about {needed} descriptors, and this process may have {most}");
        let place = plan.ports.last().and_then(|binding| binding.place.clone());
        found.push((place, message, format!("`ulimit -n {needed}` allows so many")));
    }
}

fn core(plan: &SwitchPlan, found: &mut Vec<Found>) {
    let (Some(core), Ok(usable)) = (plan.core, live::usable_cores()) else { return };
    if !usable.contains(&core) {
        let usable: Vec<String> = usable.iter().map(ToString::to_string).collect();
        let message = format!("there is no core {core} that this process may use");
        found.push((plan.places.core.clone(), message, format!("cores are {}", usable.join(", "))));
    }
}
