//! `polyplane vswitch`: the cloud virtual switch.

mod arguments;

use std::collections::BTreeMap;

use polyplane::Failure;
use polyplane::rooms::files::PlanText;
use polyplane::rooms::vswitch::configuration::{Reading, read};
use polyplane::rooms::vswitchd::{Running, Totals, check};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use arguments::{CheckArguments, RunArguments, VswitchCommand};
pub use arguments::{EXAMPLES, VswitchArguments};

use crate::output;

pub fn run(arguments: &VswitchArguments) -> Result<u8, Failure> {
    match &arguments.command {
        VswitchCommand::Check(arguments) => check_configuration(arguments),
        VswitchCommand::Run(arguments) => run_configuration(arguments),
    }
}

fn check_configuration(arguments: &CheckArguments) -> Result<u8, Failure> {
    let reading = read(&PlanText::read(&arguments.configuration)?)?;
    if !arguments.file_only {
        check(&reading)?;
    }
    output::print(&if arguments.print { reading.text } else { described(&reading) })?;
    Ok(0)
}

/// Returns what a configuration has, in a line.
fn described(reading: &Reading) -> String {
    let configuration = &reading.configuration;
    let count = |number: usize, one: &str, several: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {several}"),
    };
    let parts = [
        count(configuration.vnics.len(), "vNIC", "vNICs"),
        count(configuration.vpcs.len(), "VPC", "VPCs"),
        count(configuration.vpcs.iter().map(|vpc| vpc.routes.len()).sum(), "route", "routes"),
        count(configuration.groups.iter().map(|group| group.rules.len()).sum(), "rule", "rules"),
        count(configuration.nats.len(), "pool", "pools"),
        count(configuration.balancers.len(), "load balancer", "load balancers"),
    ];
    format!("{}: {}\n", reading.name, parts.join(", "))
}

fn run_configuration(arguments: &RunArguments) -> Result<u8, Failure> {
    let reading = read(&PlanText::read(&arguments.configuration)?)?;
    check(&reading)?;
    let running = Running::open(&reading)?;
    let cannot = |error: std::io::Error| Failure::plain(format!("signals cannot be caught: {error}"));
    let (mut signals, stop) = (Signals::new([SIGINT, SIGTERM]).map_err(cannot)?, running.stop());
    let wait = move || signals.forever().for_each(|_| stop.stop());
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).map_err(cannot)?;
    output::tell(&format!("running {}", described(&reading)));
    let totals = running.run(arguments.time);
    let totals = totals.map_err(|error| Failure::plain(format!("an interface failed: {error}")))?;
    report(&totals, arguments.json)?;
    Ok(0)
}

/// The counts at the end, in JSON.
#[derive(Serialize)]
struct Ended {
    received: u64,
    transmitted: u64,
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

fn report(totals: &Totals, as_json: bool) -> Result<(), Failure> {
    let discarded = totals.discarded.iter().map(|(reason, count)| (reason.to_string(), *count)).collect();
    let vnics = totals.vnics.iter().map(|(name, counts)| {
        let [sent, received, dropped] =
            [counts.sent, counts.received, counts.dropped].map(|count| [count.packets, count.bytes]);
        (name.clone(), VnicEnded { sent, received, dropped })
    });
    let Totals { received, transmitted, sessions, .. } = *totals;
    let ended = Ended { received, transmitted, sessions, discarded, vnics: vnics.collect() };
    if as_json {
        return output::print_json(&ended);
    }
    let mut text = format!("received        {received}\ntransmitted     {transmitted}\nsessions        {sessions}\n");
    let dropped: Vec<String> = ended.discarded.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let dropped = if dropped.is_empty() { "none".to_owned() } else { dropped.join(", ") };
    text.push_str(&format!("dropped         {dropped}\n"));
    for (name, vnic) in &ended.vnics {
        let [sent, received, dropped] = [vnic.sent, vnic.received, vnic.dropped].map(|[packets, _]| packets);
        text.push_str(&format!("{name:<15} sent {sent}, received {received}, dropped {dropped} packets\n"));
    }
    output::print(&text)
}
