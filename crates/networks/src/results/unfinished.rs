//! The flows that have not finished or not begun, and what they wait for.

use basis::Instant;
use netsim::Simulation;
use node::NotBegun;
use serde::Serialize;

use super::flows::{Flow, NOWHERE};

/// The greatest number of entries that are listed; further ones are only counted.
const MOST_LISTED: usize = 20;

/// The flows that have not finished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unfinished {
    /// The number of flows, including those that have not begun.
    pub count: u64,
    /// The number of flows that have not begun; a lower bound if their number is not known.
    pub not_begun: u64,
    /// A line for each of the first of them, which says what it waits for.
    pub first: Vec<String>,
    /// The number of flows that these lines cover.
    #[serde(skip)]
    listed: u64,
}

impl Unfinished {
    /// Collects those of `flows` that are not delivered at the end of a run, and those that stations had yet to begin.
    pub(super) fn of(flows: &[Flow], hosts: &[u32], names: &[String], simulation: &Simulation, now: Instant) -> Self {
        let unfinished = || flows.iter().filter(|flow| flow.delivered.is_none());
        let describe = |flow: &Flow| {
            let destination = match flow.destination {
                NOWHERE => "an address that no host has",
                number => names[number as usize].as_str(),
            };
            let source = &names[flow.source as usize];
            let why = why(flow, simulation, now);
            format!("{source} to {destination}, message {} of {} bytes: {why}", flow.message, flow.bytes)
        };
        let mut first: Vec<String> = unfinished().take(MOST_LISTED).map(describe).collect();
        let mut listed = unfinished().count().min(MOST_LISTED) as u64;
        let mut not_begun = 0_u64;
        for (station, name) in names.iter().enumerate().take(hosts.len()) {
            simulation.station(station).not_begun(&mut |waiting| {
                not_begun = not_begun.saturating_add(waiting.count);
                if first.len() < MOST_LISTED {
                    listed = listed.saturating_add(waiting.count);
                    first.push(describe_not_begun(name, &waiting, hosts, names));
                }
            });
        }
        Self { count: (unfinished().count() as u64).saturating_add(not_begun), not_begun, listed, first }
    }

    /// Returns a text with a line for each; empty if every flow has finished.
    pub fn text(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let count = if self.count == 1 { "1 flow has".to_owned() } else { format!("{} flows have", self.count) };
        let mut text = format!("{count} not finished:\n");
        self.first.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        if self.count > self.listed {
            text.push_str(&format!("  and {} more\n", self.count - self.listed));
        }
        text
    }
}

/// Describes the flows that a host had yet to begin, and why it has not.
fn describe_not_begun(source: &str, waiting: &NotBegun, hosts: &[u32], names: &[String]) -> String {
    let destination = waiting.destination.map_or(String::new(), |address| {
        let place = hosts.iter().position(|&host| host == address);
        format!(" to {}", place.map_or("an address that no host has", |place| names[place].as_str()))
    });
    let bytes = waiting.bytes.map_or(String::new(), |bytes| format!(" of {bytes} bytes"));
    let what = match waiting.count {
        1 => format!("a flow{bytes} that has not begun"),
        count => format!("{count} flows{bytes} that have not begun"),
    };
    format!("{source}{destination}, {what}: {}", waiting.why)
}

/// Returns what a flow waits for, or why it was abandoned, in the words of its sender.
fn why(flow: &Flow, simulation: &Simulation, now: Instant) -> String {
    // Stations describe a waiting message as "message N of …".
    let begins = format!("message {} ", flow.message);
    let waiting = simulation.station(flow.source as usize).waiting(now);
    let found = waiting.into_iter().find(|waiting| waiting.what.starts_with(&begins));
    match (flow.abandoned, found) {
        (Some(at), None) => format!("its sender gave up at {at}"),
        // A message that the transport does not carry is abandoned at once, and the host says why.
        (Some(at), Some(waiting)) => format!("its sender gave up at {at}: {}", waiting.why),
        (None, Some(waiting)) => waiting.why,
        (None, None) => "its sender does not know of it any more".to_owned(),
    }
}
