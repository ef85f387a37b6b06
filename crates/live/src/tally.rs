//! The counts of a driver: of each port, and of all.

use std::collections::BTreeMap;

use basis::Duration;
use node::{Account, Reason};

/// An amount of traffic in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of frames that the interface passed on. One that is to be cut into segments counts once.
    pub frames: u64,
    /// The number of packets that these are on a link, where each segment is one.
    pub packets: u64,
    /// The number of bytes of the frames.
    pub bytes: u64,
}

/// The counts of one port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortTally {
    /// What was received, packets included that were discarded because they are malformed.
    pub received: Traffic,
    /// The packets that the interface has taken.
    pub transmitted: Traffic,
    /// The number of packets that were discarded, by reason: by the node while it handled packets from the port or the
    /// port's readiness, or because the port's interface did not take them.
    pub discarded: BTreeMap<Reason, u64>,
}

/// The counts of a driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of frames that were received. One that is cut into segments counts once.
    pub received: u64,
    /// The number of frames that were transmitted.
    pub transmitted: u64,
    /// The number of packets that the node discarded, or the driver for lack of a port or room, by reason.
    pub discarded: BTreeMap<Reason, u64>,
}

/// What became of all frames that a driver was concerned with. A frame that is to be cut counts once, and as its segments when it has
/// been cut, wherever that happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// The number of frames that were received.
    pub received: u64,
    /// The number of frames that came about because the driver has cut others: all segments of each but one.
    pub cut: u64,
    /// The number of frames that were transmitted.
    pub transmitted: u64,
    /// The number of frames that were discarded, by the node or by the driver.
    pub discarded: u64,
    /// The number of frames that the node has sent and no interface has taken yet.
    pub held: u64,
}

impl Balance {
    /// Returns the number of frames that have come about, and of which neither the driver nor the node, with its account, says what became;
    /// it is negative if more left than there were. Between two calls of the node it is 0, as long as the driver has had no other node.
    pub fn missing(&self, node: Account) -> i64 {
        let Self { received, cut, transmitted, discarded, held } = *self;
        let came = received + cut + node.generated + node.replicated;
        let went = transmitted + discarded + held + node.consumed + node.held;
        came.wrapping_sub(went).cast_signed()
    }
}

/// How late the driver did things that were asked for a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// The number of things that were done at a time.
    pub count: u64,
    /// The sum of the times by which they were late.
    pub total: Duration,
    /// The greatest time by which one was late.
    pub greatest: Duration,
}

impl Lateness {
    pub(crate) fn add(&mut self, late: Duration) {
        self.count += 1;
        self.total = self.total + late;
        self.greatest = self.greatest.max(late);
    }
}

/// How late the driver was, by what was asked of it. A port that is ready counts from the time at which there was room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// The calls of [`node::Node::wake`].
    pub wakes: Lateness,
    /// The calls of [`node::Node::control`] with [`node::Control::PortReady`].
    pub readies: Lateness,
    /// The packets that were to be sent later, until they were passed to the interface's port.
    pub transmissions: Lateness,
}
