//! Flows that have not finished: which, and for what they wait.

use basis::Instant;
use netsim::Simulation;
use serde::Serialize;

use super::flows::{Flow, NOWHERE};

/// More than these are only counted.
const MOST_TOLD: usize = 20;

/// What has not finished.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unfinished {
    /// How many flows.
    pub count: usize,
    /// The first of them with what they wait for.
    pub first: Vec<String>,
}

impl Unfinished {
    /// Those of `flows` that are not delivered at the end of a run.
    pub(super) fn of(flows: &[Flow], names: &[String], simulation: &Simulation, now: Instant) -> Self {
        let unfinished = || flows.iter().filter(|flow| flow.delivered.is_none());
        let tell = |flow: &Flow| {
            let destination = match flow.destination {
                NOWHERE => "an address that no host has",
                number => names[number as usize].as_str(),
            };
            let source = &names[flow.source as usize];
            let why = why(flow, simulation, now);
            format!("{source} to {destination}, message {} of {} bytes: {why}", flow.message, flow.bytes)
        };
        Self { count: unfinished().count(), first: unfinished().take(MOST_TOLD).map(tell).collect() }
    }

    /// What people read, a line each; empty if everything has finished.
    pub fn text(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let count = if self.count == 1 { "1 flow has".to_owned() } else { format!("{} flows have", self.count) };
        let mut text = format!("{count} not finished:\n");
        self.first.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        if self.count > self.first.len() {
            text.push_str(&format!("  and {} more\n", self.count - self.first.len()));
        }
        text
    }
}

/// For what a flow waits, as its sender says it.
fn why(flow: &Flow, simulation: &Simulation, now: Instant) -> String {
    if let Some(at) = flow.abandoned {
        return format!("its sender gave up at {at}");
    }
    // Stations name what waits by "message N of …".
    let begins = format!("message {} ", flow.message);
    let waiting = simulation.station(flow.source as usize).waiting(now);
    let found = waiting.into_iter().find(|waiting| waiting.what.starts_with(&begins));
    found.map_or_else(|| "its sender does not know of it any more".to_owned(), |waiting| waiting.why)
}
