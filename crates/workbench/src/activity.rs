//! Counts of what a device has done, for reports and scripts.

use machines::Device;
use measure::Counts;
use node::{Counter, Reason};
use serde::{Serialize, Serializer};

/// Counts of what a device has done so far. They are part of `result.json` and of what commands print with `--json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// The number of packets that the device received.
    pub received: u64,
    /// The number of packets that were created inside: clones, copies of a multicast packet beyond the first, and packets
    /// that the device generated.
    pub replicated: u64,
    /// The number of packets that the device transmitted.
    pub transmitted: u64,
    /// The number of packets that were discarded, by reason.
    pub discarded: Counts<Reason>,
    /// The counters of this kind of machine.
    #[serde(flatten)]
    pub counted: Counted,
    /// The number of packets inside the device now.
    #[serde(skip)]
    pub in_flight: u64,
    /// The number of packets that were discarded, by reason and by the last block that each was in.
    #[serde(skip)]
    pub drops: Counts<(Reason, &'static str)>,
}

/// The counters of a machine by name, in the machine's order. Counters of ports are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted(Vec<(&'static str, u64)>);

impl Activity {
    /// Returns what a device has done by now.
    pub fn of(device: &dyn Device) -> Self {
        let statistics = device.statistics();
        let mut counted: Vec<(&'static str, u64)> = Vec::new();
        device.counters(
            &mut |Counter { name, value, .. }| match counted.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += value,
                None => counted.push((name, value)),
            },
        );
        let account = device.account();
        Self {
            received: statistics.received,
            replicated: account.replicated + account.generated,
            transmitted: statistics.transmitted,
            discarded: statistics.discarded,
            counted: Counted(counted),
            in_flight: statistics.in_flight,
            drops: device.drops(),
        }
    }

    /// Returns true if every packet that was received or created was transmitted, was discarded for a reason, or is
    /// inside.
    pub fn is_conserved(&self) -> bool {
        self.received + self.replicated == self.transmitted + self.discarded.total() + self.in_flight
    }
}

impl Counted {
    /// Iterates over the names and values of the counters, in the machine's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }

    /// Returns the value of a counter, or `None` if the machine has no counter of this name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
