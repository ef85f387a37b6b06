//! What a device has done, as reports and scripts have it.

use machines::Device;
use measure::Counts;
use node::{Counter, Reason};
use serde::{Serialize, Serializer};

/// What a device has done so far. Serialises to what scripts read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// Packets that came in.
    pub received: u64,
    /// Packets that were made inside: clones, and copies of a multicast packet beyond the first.
    pub replicated: u64,
    /// Packets that went out.
    pub transmitted: u64,
    /// Packets that did not go out, by reason.
    pub discarded: Counts<Reason>,
    /// What the machine itself counts.
    #[serde(flatten)]
    pub counted: Counted,
    /// Packets inside now.
    #[serde(skip)]
    pub in_flight: u64,
    /// The packets that did not go out, by the block, too, that each was in last.
    #[serde(skip)]
    pub drops: Counts<(Reason, &'static str)>,
}

/// Numbers that a machine has counted, by name, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted(Vec<(&'static str, u64)>);

impl Activity {
    /// What a device has done by now.
    pub fn of(device: &dyn Device) -> Self {
        let statistics = device.statistics();
        let mut counted = Vec::new();
        device.counters(&mut |Counter { name, value, .. }| counted.push((name, value)));
        Self {
            received: statistics.received,
            replicated: device.account().replicated,
            transmitted: statistics.transmitted,
            discarded: statistics.discarded,
            counted: Counted(counted),
            in_flight: statistics.in_flight,
            drops: device.drops(),
        }
    }

    /// True if every packet that came in or was made went out, was dropped for a reason, or is inside.
    pub fn is_conserved(&self) -> bool {
        self.received + self.replicated == self.transmitted + self.discarded.total() + self.in_flight
    }
}

impl Counted {
    /// The numbers with their names, in the machine's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().copied()
    }

    /// The number of a name; `None` if the machine counts nothing of the kind.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
