//! Starting a switch.

use std::collections::BTreeMap;
use std::path::PathBuf;

use polyplane::Failure;
use polyplane::rooms::switchd::socket::{self, SocketFile};
use polyplane::rooms::switchd::{
    Loaded, Request, Station, Switch, SwitchHandle, SwitchPlan, Totals, check, metrics, open_interfaces,
};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::arguments::StartArguments;
use super::plan;
use crate::output;

/// The counts at the end, in JSON.
#[derive(Serialize)]
struct Ended {
    received: u64,
    transmitted: u64,
    discarded: BTreeMap<String, u64>,
}

pub fn run(arguments: &StartArguments) -> Result<u8, Failure> {
    let plan = plan::of(arguments)?;
    let (loaded, station) = checked(&plan)?;
    output::tell(&loaded.warnings());
    let program = loaded.program.program.name.clone();
    let machine = loaded.machine.name();
    let bound: Vec<String> =
        plan.ports.iter().map(|binding| format!("{} is port {}", binding.interface, binding.port)).collect();
    if arguments.check {
        output::print(&format!("{program} fits {machine}: {}\n", bound.join(", ")))?;
        return Ok(0);
    }
    let file = listen(&plan)?;
    let metrics = plan.metrics.map(metrics::listen).transpose()?;
    let interfaces = open_interfaces(&plan)?;
    let cannot = |error: std::io::Error| Failure::plain(format!("the switch cannot run: {error}"));
    let mut switch = Switch::new(plan, loaded, station, interfaces).map_err(cannot)?;
    switch.capture_into_files()?;
    stop_on_signals(switch.handle())?;
    output::tell(&format!("{program} runs on {machine}: {}\n", bound.join(", ")));
    output::tell(&format!("control socket: {}\n", file.path().display()));
    // Whatever can fail comes before clients are served, who would wait for a switch that never runs.
    let metrics = metrics.map(|listener| metrics::serve(listener, switch.handle())).transpose()?;
    let server = socket::serve(file, switch.handle())?;
    if let Some(metrics) = &metrics {
        output::tell(&format!("metrics: http://{}/metrics\n", metrics.address()));
    }
    let ended = switch.run(arguments.time);
    drop((server, metrics));
    let totals = ended.map_err(|error| Failure::plain(format!("an interface failed: {error}")))?;
    report(&totals, arguments.json)?;
    Ok(0)
}

/// Reads and builds what the plan names, and checks whether the switch can start here. Reports everything that is wrong with
/// either.
fn checked(plan: &SwitchPlan) -> Result<(Loaded, Station), Failure> {
    let here = check(plan);
    let built = plan.load().and_then(|loaded| plan.build(&loaded).map(|station| (loaded, station)));
    match (built, here) {
        (Err(built), Err(here)) => {
            output::tell(&here.render(false));
            Err(built)
        }
        (built, here) => here.and(built),
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

/// Stops the switch on SIGINT and SIGTERM, from a thread of its own.
fn stop_on_signals(handle: SwitchHandle) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::plain(format!("signals cannot be caught: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(cannot)?;
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
