//! The packet replication engine: which copies multicast groups and clone sessions make (P4Runtime specification 1.4,
//! section 9.5).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A copy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Replica {
    /// The port that it leaves by, if egress does not drop it.
    pub port: u32,
    /// What tells it from other copies in egress.
    pub instance: u32,
}

/// What is done with a clone.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CloneSession {
    /// Its copies.
    pub replicas: Vec<Replica>,
    /// The multicast group that makes further copies, with what it holds when the packet comes.
    pub group: Option<u32>,
    /// The length in bytes to which the copies are cut.
    pub maximum_length: Option<u32>,
}

/// The multicast groups and clone sessions of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Replication {
    pub(crate) groups: BTreeMap<u32, Vec<Replica>>,
    pub(crate) sessions: BTreeMap<u32, CloneSession>,
}

impl Replication {
    /// No groups and no sessions.
    pub fn new() -> Self {
        Self::default()
    }

    /// The copies that a multicast group makes, in order; `None` if there is no such group.
    pub fn group(&self, group: u32) -> Option<&[Replica]> {
        self.groups.get(&group).map(Vec::as_slice)
    }

    /// A clone session; `None` if there is no such session.
    pub fn session(&self, session: u32) -> Option<&CloneSession> {
        self.sessions.get(&session)
    }

    /// The copies that a clone session makes, its own first and then those of its multicast group; none if there is no
    /// such session.
    pub fn clones(&self, session: u32) -> impl Iterator<Item = Replica> {
        let session = self.session(session);
        let own = session.map_or(&[][..], |session| &session.replicas);
        let group = session.and_then(|session| self.group(session.group?)).unwrap_or(&[]);
        own.iter().chain(group).copied()
    }

    /// Every multicast group, by number.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[Replica])> {
        self.groups.iter().map(|(number, replicas)| (*number, replicas.as_slice()))
    }

    /// Every clone session, by number.
    pub fn sessions(&self) -> impl Iterator<Item = (u32, &CloneSession)> {
        self.sessions.iter().map(|(number, session)| (*number, session))
    }
}

basis::snapshot!(Replication { values groups, sessions; });
