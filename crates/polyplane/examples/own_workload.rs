//! A workload of one's own, in which messages go around in a ring, in a network whose plan names it.

use std::sync::Arc;

use polyplane::extend::{Application, Arrived, Extent, Instant, Making, Reading, Section, Unfit, Wanted};
use polyplane::extend::{WorkloadKind, WorkloadPlan};
use polyplane::{Failure, Network, Registry};

struct Kind;
#[derive(Debug)]
struct Ring {
    bytes: u64,
    rounds: u64,
}
struct Member {
    message: Wanted,
    start: Option<Instant>,
    left: u64,
}

impl WorkloadKind for Kind {
    fn name(&self) -> &'static str {
        "ring"
    }
    fn read(
        &self,
        section: &Section<'_>,
        _short: Option<&dyn WorkloadPlan>,
        _reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        let bytes = section.bytes("bytes", 1..=u64::MAX, 100_000);
        Some(Arc::new(Ring { bytes, rounds: section.count("rounds", 1..=1_000_000, 4) }))
    }
}

impl WorkloadPlan for Ring {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let hosts = making.hosts();
        Ok(making.each(|host| {
            let next = hosts[(host + 1) % hosts.len()].address;
            let message = making.message().to(next).with_length(self.bytes);
            Member { message, start: Some(making.start()), left: self.rounds }
        }))
    }
    fn messages(&self, extent: &Extent<'_>) -> f64 {
        extent.hosts() * self.rounds as f64
    }
    fn longest_message(&self) -> u64 {
        self.bytes
    }
}

impl Member {
    fn send(&mut self, wanted: &mut Vec<Wanted>) {
        if self.left > 0 {
            self.left -= 1;
            wanted.push(self.message.clone());
        }
    }
}

impl Application for Member {
    fn deadline(&self) -> Option<Instant> {
        self.start
    }
    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        if self.start.take_if(|start| *start <= now).is_some() {
            self.send(wanted);
        }
    }
    /// Sends on when a message has come from the host before.
    fn arrived(&mut self, _now: Instant, _message: Arrived, wanted: &mut Vec<Wanted>) {
        self.send(wanted);
    }
    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }
}
polyplane::rooms::basis::snapshot!(Member { values start, left; });

pub(crate) fn main() -> Result<(), Failure> {
    let registry = Registry::default().workload(&Kind);
    let network = Network::read_with("crates/polyplane/examples/own_workload.toml", &registry)?;
    let results = network.run()?;
    println!("{} flows, completion times in us: {:?}", results.summary().flows, results.summary().completion_time_us);
    assert_eq!(results.summary().delivered, 8 * 6, "eight hosts, six rounds");
    Ok(())
}
