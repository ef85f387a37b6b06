//! `polyplane vswitch run`: running the switch of a configuration.

use std::collections::BTreeMap;
use std::path::Path;

use polyplane::Failure;
use polyplane::rooms::files::PlanText;
use polyplane::rooms::vswitch::TakenOver;
use polyplane::rooms::vswitch::configuration::read;
use polyplane::rooms::vswitchd::socket::PLACES;
use polyplane::rooms::vswitchd::{Served, Serving, Switch, SwitchHandle, Totals, check, service_manager};
use serde::Serialize;
use signal_hook::consts::SIGUSR2;

use super::arguments::{RunArguments, ServedArguments};
use super::successor::Successor;
use super::{described, tell_notes};
use crate::{output, signals};

pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let reading = read(&PlanText::read(&arguments.configuration)?)?;
    tell_notes(&check(&reading)?);
    let about = described(&reading);
    let socket = arguments.socket.clone().unwrap_or_else(|| PLACES.usual(&reading.name));
    // Whatever can fail comes before clients are served, who would wait for a switch that never runs.
    let places = arguments.served.places(socket.clone());
    let serving = Serving::open(&places)?;
    tell_notes(&places.notes(&reading.configuration));
    let mut switch = Switch::open(reading)?;
    if let Some(folder) = &arguments.served.flow_logs {
        switch.log_flows(folder.clone())?;
    }
    if let Some(file) = &arguments.served.bindings {
        let restored = switch.keep_bindings(file)?;
        if restored != TakenOver::default() {
            let TakenOver { taken, refused } = restored;
            output::tell(&format!("bindings: {taken} go on, {refused} are not allowed any more\n"));
        }
    }
    follow_signals(switch.handle(), &socket, &arguments.served)?;
    let served = serving.serve(&switch.handle())?;
    output::tell(&format!("running {about}"));
    tell_places(&socket, &served);
    service_manager::tell_ready();
    let ended = switch.run(arguments.time);
    drop(served);
    let totals = ended.map_err(|error| Failure::plain(format!("the switch has failed: {error}")))?;
    report(&totals, arguments.served.json)?;
    Ok(0)
}

/// Says where a switch is served.
pub fn tell_places(socket: &Path, served: &Served) {
    output::tell(&format!("control socket: {}\n", socket.display()));
    if let Some(address) = served.metrics() {
        output::tell(&format!("metrics: http://{address}/metrics\n"));
    }
}

/// Stops a switch when a signal comes that ends it, and starts the process that takes over at SIGUSR2.
pub fn follow_signals(handle: SwitchHandle, socket: &Path, served: &ServedArguments) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| Failure::plain(format!("signals cannot be caught: {error}"));
    let successor = Successor::of(socket, served).map_err(cannot)?;
    let mut signals = signals::catch().map_err(cannot)?;
    signals.add_signal(SIGUSR2).map_err(cannot)?;
    let wait = move || {
        signals.forever().for_each(|signal| match signal {
            SIGUSR2 => successor.start(),
            _ => handle.stop(),
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
    Ok(())
}

/// The counts at the end, in JSON.
#[derive(Serialize)]
struct Ended {
    received: u64,
    transmitted: u64,
    /// The number of frames that came about in the switch: answers, copies, and pieces of what was cut.
    made: u64,
    /// The number of frames that had reached their destination in the switch.
    consumed: u64,
    /// The number of frames that the switch still had.
    held: u64,
    /// The number of frames of which nothing says what became; anything but 0 is a mistake of the switch.
    missing: i64,
    sessions: u64,
    discarded: BTreeMap<String, u64>,
    vnics: BTreeMap<String, VnicEnded>,
}

/// What has passed between the switch and a vNIC, in packets and bytes.
#[derive(Serialize)]
struct VnicEnded {
    sent: [u64; 2],
    received: [u64; 2],
    dropped: [u64; 2],
}

/// Prints the counts of a switch.
pub fn report(totals: &Totals, as_json: bool) -> Result<(), Failure> {
    let discarded = totals.discarded.iter().map(|(reason, count)| (reason.to_string(), *count)).collect();
    let vnics = totals.vnics.iter().map(|(name, counts)| {
        let [sent, received, dropped] =
            [counts.sent, counts.received, counts.dropped].map(|count| [count.packets, count.bytes]);
        (name.clone(), VnicEnded { sent, received, dropped })
    });
    let Totals { received, transmitted, sessions, balance, account, .. } = *totals;
    let ended = Ended {
        received,
        transmitted,
        made: balance.cut + account.generated + account.replicated,
        consumed: account.consumed,
        held: balance.held + account.held,
        missing: totals.missing(),
        sessions,
        discarded,
        vnics: vnics.collect(),
    };
    if as_json {
        return output::print_json(&ended);
    }
    let mut text = format!("received        {received}\ntransmitted     {transmitted}\nsessions        {sessions}\n");
    let dropped: Vec<String> = ended.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let dropped = if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") };
    text.push_str(&format!("dropped         {dropped}\n"));
    if ended.missing != 0 {
        text.push_str(&format!("missing         {}: this is a mistake of the switch\n", ended.missing));
    }
    for (name, vnic) in &ended.vnics {
        let [sent, received, dropped] = [vnic.sent, vnic.received, vnic.dropped].map(|[packets, _]| packets);
        text.push_str(&format!("{name:<15} sent {sent}, received {received}, dropped {dropped} packets\n"));
    }
    output::print(&text)
}
