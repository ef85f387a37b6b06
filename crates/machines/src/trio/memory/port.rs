//! The port by which a PPE reaches the crossbar.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::route::Route;
use super::statistics::PortStatistics;
use super::{Requester, Times};

/// A port with the requests that wait in it, in the order in which they were asked for. It passes one request a cycle.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Port {
    /// The requests that have not left. If the first one has its times, it has a place in its engine's queue at a cycle to
    /// come.
    pub held: VecDeque<Held>,
    /// The cycle from which on a request can leave.
    pub free: u64,
    pub statistics: PortStatistics,
}

/// A request that waits in a port.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Held {
    pub from: Requester,
    pub route: Route,
    /// The cycle in which it was asked for.
    pub asked: u64,
    /// Its times, if its place in the engine's queue is certain.
    pub times: Option<Times>,
}

impl Port {
    /// Lets a request wait.
    pub fn hold(&mut self, held: Held) {
        self.held.push_back(held);
        self.statistics.stalls += 1;
        self.statistics.held += 1;
        self.statistics.most_held = self.statistics.most_held.max(self.statistics.held);
    }

    /// Lets the first request go, whose times are known.
    pub fn release(&mut self) -> Option<(Requester, Times)> {
        let Held { from, asked, times, .. } = self.held.pop_front()?;
        let times = times?;
        self.free = times.left + 1;
        self.statistics.held -= 1;
        self.statistics.stalled += times.left - asked;
        Some((from, times))
    }
}
