//! Starting a switch.

use std::collections::BTreeMap;
use std::path::PathBuf;

use p4runtime::{CPU_QUEUE, Listening};
use polyplane::Failure;
use polyplane::rooms::basis::Duration;
use polyplane::rooms::live::MemoryInterface;
use polyplane::rooms::node::Port;
use polyplane::rooms::switchd::socket::{self, SocketFile};
use polyplane::rooms::switchd::{
    Loaded, Request, Station, Switch, SwitchHandle, SwitchPlan, Totals, check, metrics, open_interfaces,
};
use serde::Serialize;

use super::arguments::StartArguments;
use super::plan;
use crate::{output, signals};

/// The counts at the end, in JSON.
#[derive(Serialize)]
struct Ended {
    received: u64,
    transmitted: u64,
    discarded: BTreeMap<String, u64>,
}

pub fn run(arguments: &StartArguments) -> Result<u8, Failure> {
    run_plan(plan::of(arguments)?, &Until { check: arguments.check, time: arguments.time, json: arguments.json })
}

/// How long a switch runs, and what is printed.
pub struct Until {
    /// Whether everything is only checked.
    pub check: bool,
    /// How long it runs, unless somebody stops it before.
    pub time: Option<Duration>,
    /// Whether the counts at the end are JSON.
    pub json: bool,
}

/// Runs the switch of a plan.
///
/// # Errors
/// Fails if the plan is wrong, or the switch cannot run here.
pub fn run_plan(plan: SwitchPlan, until: &Until) -> Result<u8, Failure> {
    let (loaded, station, controllers) = checked(&plan)?;
    output::tell(&loaded.warnings());
    let program = loaded.program.program.name.clone();
    let machine = loaded.machine.name();
    let bound: Vec<String> =
        plan.ports.iter().map(|binding| format!("{} is port {}", binding.interface, binding.port)).collect();
    let cpu_port = plan.cpu_port(station.device());
    let bound: Vec<String> =
        bound.into_iter().chain(cpu_port.map(|port| format!("controllers are port {port}"))).collect();
    if until.check {
        output::print(&format!("{program} fits {machine}: {}\n", bound.join(", ")))?;
        return Ok(0);
    }
    let file = listen(&plan)?;
    let metrics = plan.metrics.map(metrics::listen).transpose()?;
    let mut interfaces = open_interfaces(&plan)?;
    let cannot = |error: std::io::Error| Failure::plain(format!("the switch cannot run: {error}"));
    let mut link = None;
    if let Some(port) = cpu_port {
        let [near, far] = MemoryInterface::pair("controllers", CPU_QUEUE).map_err(cannot)?;
        interfaces.push((Port(port), Box::new(near)));
        link = Some(far);
    }
    let mut switch = Switch::new(plan, loaded, station, interfaces).map_err(cannot)?;
    switch.capture_into_files()?;
    stop_on_signals(switch.handle())?;
    let program = if switch.handle().program().is_awaited { "no program yet".to_owned() } else { program };
    output::tell(&format!("{program} runs on {machine}: {}\n", bound.join(", ")));
    output::tell(&format!("control socket: {}\n", file.path().display()));
    // Whatever can fail comes before clients are served, who would wait for a switch that never runs.
    let metrics = metrics.map(|listener| metrics::serve(listener, switch.handle())).transpose()?;
    let server = socket::serve(file, switch.handle())?;
    let controllers = match (controllers, link) {
        (Some(listening), Some(link)) => Some(listening.serve(switch.handle(), link)?),
        _ => None,
    };
    if let Some(controllers) = &controllers {
        output::tell(&format!("P4Runtime: {}\n", controllers.address()));
    }
    if let Some(metrics) = &metrics {
        output::tell(&format!("metrics: http://{}/metrics\n", metrics.address()));
    }
    let ended = switch.run(until.time);
    drop((server, metrics, controllers));
    let totals = ended.map_err(|error| Failure::plain(format!("an interface failed: {error}")))?;
    report(&totals, until.json)?;
    Ok(0)
}

/// Reads and builds what the plan names, and checks whether the switch can start here. Reports everything that is wrong with
/// either.
fn checked(plan: &SwitchPlan) -> Result<(Loaded, Station, Option<Listening>), Failure> {
    let here = match (check(plan), plan.p4runtime.as_ref().map(Listening::at).transpose()) {
        (Err(here), Err(controllers)) => {
            output::tell(&controllers.render(false));
            Err(here)
        }
        (here, controllers) => here.and(controllers),
    };
    let built = plan.load().and_then(|loaded| plan.build(&loaded).map(|station| (loaded, station)));
    match (built, here) {
        (Err(built), Err(here)) => {
            output::tell(&here.render(false));
            Err(built)
        }
        (built, here) => {
            let listening = here?;
            built.map(|(loaded, station)| (loaded, station, listening))
        }
    }
}

/// Listens at the socket of the plan, or at the usual place. Where the usual place of a program is taken, because it runs
/// twice, the number of the process is added.
fn listen(plan: &SwitchPlan) -> Result<SocketFile, Failure> {
    let path = plan.socket.clone().unwrap_or_else(|| socket::usual(&plan.name));
    let listening = SocketFile::listen(&path);
    let is_free_to_choose = plan.socket.is_none() && plan.source.is_none();
    match listening {
        Err(_) if is_free_to_choose => {
            let other: PathBuf = socket::usual(&format!("{}-{}", plan.name, std::process::id()));
            SocketFile::listen(&other)
        }
        listening => listening,
    }
}

/// Stops the switch when a signal comes that ends it, from a thread of its own.
fn stop_on_signals(handle: SwitchHandle) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::plain(format!("signals cannot be caught: {error}"));
    let mut signals = signals::catch().map_err(cannot)?;
    let stop = move || {
        for _ in signals.forever() {
            // A switch that has ended needs no stopping.
            let _ = handle.ask(Request::Stop {});
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(stop).map_err(cannot)?;
    Ok(())
}

fn report(totals: &Totals, as_json: bool) -> Result<(), Failure> {
    let discarded = totals.discarded.iter().map(|(reason, count)| (reason.to_string(), *count)).collect();
    let ended = Ended { received: totals.received, transmitted: totals.transmitted, discarded };
    if as_json {
        return output::print_json(&ended);
    }
    let mut text = format!("received        {}\ntransmitted     {}\n", ended.received, ended.transmitted);
    let dropped: Vec<String> = ended.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let dropped = if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") };
    text.push_str(&format!("dropped         {dropped}\n"));
    output::print(&text)
}
