//! The packet replication engine: the copies that multicast groups and clone sessions make (P4Runtime specification
//! 1.4, section 9.5).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A replica: one copy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Replica {
    /// The egress port of the copy.
    pub port: u32,
    /// The replication id, which distinguishes the copies in the egress pipeline.
    pub instance: u32,
}

/// A clone session, which determines the copies of a cloned packet.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CloneSession {
    /// The copies that the session itself makes.
    pub replicas: Vec<Replica>,
    /// The multicast group that makes further copies, with the members it has when the packet arrives.
    pub group: Option<u32>,
    /// The length to which the copies are truncated, in bytes.
    pub maximum_length: Option<u32>,
}

/// The multicast groups and clone sessions of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Replication {
    pub(crate) groups: BTreeMap<u32, Vec<Replica>>,
    pub(crate) sessions: BTreeMap<u32, CloneSession>,
}

impl Replication {
    /// Creates a replication engine without groups and sessions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the copies that a multicast group makes, in order, or `None` if the group does not exist.
    pub fn group(&self, group: u32) -> Option<&[Replica]> {
        self.groups.get(&group).map(Vec::as_slice)
    }

    /// Returns a clone session, or `None` if it does not exist.
    pub fn session(&self, session: u32) -> Option<&CloneSession> {
        self.sessions.get(&session)
    }

    /// Returns the copies that a clone session makes, its own before those of its multicast group. There are none if
    /// the session does not exist.
    pub fn clones(&self, session: u32) -> impl Iterator<Item = Replica> {
        let session = self.session(session);
        let own = session.map_or(&[][..], |session| &session.replicas);
        let group = session.and_then(|session| self.group(session.group?)).unwrap_or(&[]);
        own.iter().chain(group).copied()
    }

    /// Returns all multicast groups, in order of their numbers.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[Replica])> {
        self.groups.iter().map(|(number, replicas)| (*number, replicas.as_slice()))
    }

    /// Returns all clone sessions, in order of their numbers.
    pub fn sessions(&self) -> impl Iterator<Item = (u32, &CloneSession)> {
        self.sessions.iter().map(|(number, session)| (*number, session))
    }
}

basis::snapshot!(Replication { values groups, sessions; });
