//! What begins a session, what keeps it out of the table, and what ends it.

use basis::Instant;

use super::key::FlowKey;
use super::seen::Seen;
use super::session::Count;
use super::tcp::TcpState;

/// The greatest numbers of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// The number of all sessions, at most 2^30.
    pub sessions: u32,
    /// The number of sessions of one vNIC.
    pub per_vnic: u32,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { sessions: 1_000_000, per_vnic: 500_000 }
    }
}

/// The reason why a session cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are as many sessions as there may be, and none of them is half open.
    TableFull,
    /// The vNIC has as many sessions as one may have, and none of them is half open.
    VnicFull,
    /// Another session has one of the keys.
    KeyTaken,
}

/// The reason why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No packet came for too long.
    TimedOut,
    /// It was half open, the oldest of these, and another one needed its place.
    Evicted,
}

/// A session that is to begin.
#[derive(Clone, Debug)]
pub struct NewSession<D> {
    /// The keys of the two directions.
    pub keys: [FlowKey; 2],
    /// What was decided about their packets.
    pub decision: D,
    /// The number of the vNIC that the session is counted for.
    pub owner: u32,
    /// The number of the policy by which it was decided.
    pub epoch: u32,
}

/// The state with which a session goes on that began in another table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resumed {
    /// What has passed in each direction.
    pub counts: [Count; 2],
    /// What else was seen of each direction.
    pub seen: [Seen; 2],
    /// The state of the connection.
    pub tcp: TcpState,
    /// The time at which it began, and that of its last packet.
    pub times: [Instant; 2],
}
