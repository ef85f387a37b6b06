//! The record of a run.

use basis::Instant;
use node::Station;
use transports::FlowEvent;

use super::{Network, Sight};

/// An event of a message, with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowReport {
    pub at: Instant,
    pub source: usize,
    pub message: u32,
    pub happened: FlowEvent,
}

impl<Seen: Sight> Network<'_, Seen> {
    pub fn filter(&self, what: impl Fn(&Seen) -> bool) -> Vec<&Seen> {
        self.seen.iter().filter(|seen| what(seen)).collect()
    }

    pub fn count(&self, what: impl Fn(&Seen) -> bool) -> usize {
        self.filter(what).len()
    }

    /// Returns all times at which an event of a message was reported.
    pub fn when(&self, source: usize, message: u32, happened: FlowEvent) -> Vec<Instant> {
        let reports = self.reports.iter();
        reports
            .filter(|report| report.source == source && report.message == message && report.happened == happened)
            .map(|report| report.at)
            .collect()
    }

    /// Returns true if the first message was delivered once and then completed once.
    pub fn is_completed(&self) -> bool {
        let delivered = self.when(0, 0, FlowEvent::Delivered);
        let completed = self.when(0, 0, FlowEvent::Completed);
        delivered.len() == 1 && completed.len() == 1 && delivered[0] <= completed[0]
    }

    pub fn counter(&self, host: usize, name: &str) -> u64 {
        let mut value = None;
        self.hosts[host].counters(&mut |counter| {
            if counter.name == name {
                value = Some(counter.value);
            }
        });
        value.unwrap_or_else(|| panic!("no counter {name}"))
    }
}
