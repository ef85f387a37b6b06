//! Measures how fast packets get from one Linux host to another through a switch: by a plain cable, a bridge, a
//! cross-connect that does nothing else, `polyplane live`, the virtual switch, and Open vSwitch where it is installed.
//!
//! The hosts are network namespaces, and everything happens in a namespace that is gone afterwards: the benchmark starts
//! itself again in it, and reads what it prints.

mod cross_connect;
mod guests;
mod host;
mod interfaces;
mod measure;
mod open_vswitch;
mod path;
mod refresh;
mod router;
mod switch_process;
mod vxlan;
mod workloads;

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use diagnostics::{Diagnostic, Failure};
use serde::{Deserialize, Serialize};

pub use refresh::MeasuredRefresh;
pub use workloads::Figures;

/// What is measured, as the process in the namespace is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LivePlan {
    /// The number of times that all paths are measured, one after the other.
    pub rounds: u32,
    /// The time of each workload in seconds.
    pub seconds: f64,
    /// The binary of the command `polyplane`; `None` to go without.
    pub polyplane: Option<PathBuf>,
    /// The folder with BMv2's `simple_switch`, `simple_switch_CLI` and `p4c-bm2-ss`; `None` to go without.
    pub bmv2: Option<PathBuf>,
}

/// The figures of one path between two hosts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredPath {
    /// The name of the path between the hosts.
    pub path: String,
    /// The median of each figure over all rounds.
    pub median: Figures,
    /// The median over all rounds of the ratio to what [`MeasuredPath::peer`] reached in the same round.
    pub against_peer: Figures,
    /// The path with which this one is compared.
    pub peer: String,
    /// The median over all rounds of the cores that the switch used while figures were measured; `None` if the kernel carries
    /// packets.
    pub cores: Option<f64>,
    /// The figures of each round.
    pub rounds: Vec<Figures>,
}

/// The measurements between two hosts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MeasuredLive {
    /// The paths, in the order in which each round measures them.
    pub paths: Vec<MeasuredPath>,
    /// The part of a core in percent that `polyplane live` uses while no packet comes.
    pub idle_percent: Option<f64>,
}

/// Measures all paths. `quick` measures each once and shortly.
///
/// # Errors
/// If the right to make network namespaces and interfaces is missing, or one of the paths does not carry packets.
pub fn live(rounds: u32, quick: bool) -> Result<MeasuredLive, Failure> {
    let polyplane = polyplane();
    if polyplane.is_none() {
        files::console::tell(&format!("skipping `polyplane live`: {NOT_BUILT}\n"));
    }
    let (rounds, seconds) = if quick { (1, 0.1) } else { (rounds, 1.0) };
    let bmv2 = of_environment("BMV2");
    let plan = serde_json::to_string(&LivePlan { rounds, seconds, polyplane, bmv2 }).expect("a plan has no maps");
    in_namespace(&["measure", &plan])
}

/// Measures a change of routes in the virtual switch, if the command is built. `quick` waits a second for sessions.
///
/// # Errors
/// If the right to make network namespaces and interfaces is missing, or the switch does not take the change.
pub fn change_of_routes(quick: bool) -> Result<Option<MeasuredRefresh>, Failure> {
    let Some(polyplane) = polyplane() else {
        files::console::tell(&format!("skipping a change of routes: {NOT_BUILT}\n"));
        return Ok(None);
    };
    let kind = if quick { "refresh-quickly" } else { "refresh" };
    in_namespace(&[kind, &polyplane.to_string_lossy()]).map(Some)
}

const NOT_BUILT: &str = "the command is not built (cargo build --release --package polyplane)";

fn of_environment(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the binary of the command `polyplane`, if there is one. Cargo puts both binaries into one folder.
fn polyplane() -> Option<PathBuf> {
    let beside = || env::current_exe().ok().map(|this| this.with_file_name("polyplane")).filter(|path| path.is_file());
    of_environment("POLYPLANE").or_else(beside)
}

/// Starts this program again in a namespace of its own, as one of the processes of [`live_process`], and reads what it prints.
fn in_namespace<T: for<'a> Deserialize<'a>>(words: &[&str]) -> Result<T, Failure> {
    host::check_rights()?;
    let this = env::current_exe().map_err(|error| Failure::plain(format!("cannot locate this executable: {error}")))?;
    let mut command = host::in_namespace();
    command.arg(this).arg("--live-process").args(words).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| Failure::plain(format!("cannot run unshare: {error}")))?;
    let measured = output.status.success().then(|| serde_json::from_slice(&output.stdout).ok()).flatten();
    measured.ok_or_else(|| Failure::plain("the measurement in its network namespace failed"))
}

/// Runs a process of the measurement: `measure PLAN` or `refresh POLYPLANE`, which print JSON, or a cross-connect, `packet-sockets NAME NAME`
/// or `taps NAME NAME`, which runs until it is killed.
///
/// # Errors
/// If the measurement fails, or the words are none of these.
pub fn live_process(words: &[String]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::plain(format!("the benchmark of live switches: {error}"));
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["measure", plan] => {
            let plan: LivePlan = serde_json::from_str(plan).map_err(|error| Failure::plain(error.to_string()))?;
            files::console::print_json(&measure::measure(&plan)?)
        }
        [kind @ ("refresh" | "refresh-quickly"), polyplane] => {
            let [client, server] = host::Host::silent_pair()?;
            let quick = kind == "refresh-quickly";
            files::console::print_json(&refresh::refresh(quick, polyplane.as_ref(), &client, &server)?)
        }
        ["packet-sockets", one, other] => {
            let [one, other] = [interfaces::packet_socket(one), interfaces::packet_socket(other)];
            cross_connect::run([one.map_err(failed)?, other.map_err(failed)?]).map_err(failed)
        }
        ["taps", one, other] => {
            let [one, other] = [interfaces::tap(one), interfaces::tap(other)];
            cross_connect::run([one.map_err(failed)?, other.map_err(failed)?]).map_err(failed)
        }
        _ => Err(Diagnostic::without_place("this is no process of the benchmark").into()),
    }
}

/// Runs a program to its end.
fn succeed(command: &mut Command) -> Result<(), Failure> {
    let name = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Failure::plain(format!("cannot run {name}: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let failed = || Failure::plain(format!("{name} failed: {}", said.trim()));
    output.status.success().then_some(()).ok_or_else(failed)
}

/// Runs `ip` with these arguments in this thread's namespace.
fn ip(arguments: &str) -> Result<(), Failure> {
    succeed(Command::new("ip").args(arguments.split(' ')))
}
