//! The packet replication engine: the copies that multicast groups and clone sessions make (P4Runtime specification
//! 1.4, section 9.5).

use std::collections::BTreeMap;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use runtime::profile::DownPorts;
use serde::{Deserialize, Serialize};

/// A replica: one copy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Replica {
    /// The egress port of the copy.
    pub port: u32,
    /// The replication id, which distinguishes the copies in the egress pipeline.
    pub instance: u32,
}

/// A multicast group.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MulticastGroup {
    /// The copies that the group makes, in order.
    pub replicas: Vec<Replica>,
    /// The replicas that take the place of the one at this position of `replicas`, in order of preference: the first
    /// whose port is up while the ports before it are down. If all are down, the copy goes to the port of the replica
    /// itself and is lost there.
    pub backups: BTreeMap<u32, Vec<Replica>>,
    /// Bytes that only the control plane understands, for reading back.
    pub metadata: Vec<u8>,
}

/// A group without backups and metadata.
impl From<Vec<Replica>> for MulticastGroup {
    fn from(replicas: Vec<Replica>) -> Self {
        Self { replicas, ..Self::default() }
    }
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
    /// The class of service of the copies: the value of the field by which a program chooses a queue. 0 leaves the field
    /// as for any other copy. An architecture without such a field has only class 0.
    pub class_of_service: u32,
    /// Bytes that only the control plane understands, for reading back.
    pub metadata: Vec<u8>,
}

/// The multicast groups and clone sessions of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Replication {
    groups: BTreeMap<u32, StoredGroup>,
    sessions: BTreeMap<u32, CloneSession>,
    down: DownPorts,
}

/// A group as it was written, and the copies that it makes now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StoredGroup {
    group: MulticastGroup,
    /// The replicas, with backups in the places of those whose ports are down; `None` if the group has no backups.
    chosen: Option<Vec<Replica>>,
}

impl StoredGroup {
    fn new(group: MulticastGroup, down: &DownPorts) -> Self {
        let chosen = (!group.backups.is_empty()).then(|| {
            let choose = |(position, primary): (u32, &Replica)| {
                let backups = group.backups.get(&position).into_iter().flatten();
                let mut candidates = std::iter::once(primary).chain(backups);
                *candidates.find(|replica| !down.contains(replica.port)).unwrap_or(primary)
            };
            (0..).zip(&group.replicas).map(choose).collect()
        });
        Self { group, chosen }
    }

    fn replicas(&self) -> &[Replica] {
        self.chosen.as_deref().unwrap_or(&self.group.replicas)
    }
}

impl Replication {
    /// Creates a replication engine without groups and sessions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the copies that a multicast group makes now, in order, or `None` if the group does not exist.
    pub fn group(&self, group: u32) -> Option<&[Replica]> {
        self.groups.get(&group).map(StoredGroup::replicas)
    }

    /// Returns a multicast group as it was written, or `None` if it does not exist.
    pub fn described_group(&self, group: u32) -> Option<&MulticastGroup> {
        self.groups.get(&group).map(|stored| &stored.group)
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

    /// Returns all multicast groups as they were written, in order of their numbers.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &MulticastGroup)> {
        self.groups.iter().map(|(number, stored)| (*number, &stored.group))
    }

    /// Returns the copies that each multicast group makes now.
    pub fn replica_lists(&self) -> impl Iterator<Item = &[Replica]> {
        self.groups.values().map(StoredGroup::replicas)
    }

    /// Returns all clone sessions, in order of their numbers.
    pub fn sessions(&self) -> impl Iterator<Item = (u32, &CloneSession)> {
        self.sessions.iter().map(|(number, session)| (*number, session))
    }

    /// Returns true if a port is down.
    pub fn is_down(&self, port: u32) -> bool {
        self.down.contains(port)
    }

    /// Says whether a port is up, for replicas that have backups.
    pub fn set_port(&mut self, port: u32, is_up: bool) {
        if self.down.set(port, is_up) {
            let with_backups = self.groups.values_mut().filter(|stored| stored.chosen.is_some());
            with_backups.for_each(|stored| *stored = StoredGroup::new(std::mem::take(&mut stored.group), &self.down));
        }
    }

    /// Sets a multicast group, or removes it.
    pub(crate) fn put_group(&mut self, number: u32, group: Option<MulticastGroup>) {
        match group {
            Some(group) => _ = self.groups.insert(number, StoredGroup::new(group, &self.down)),
            None => _ = self.groups.remove(&number),
        }
    }

    /// Sets a clone session, or removes it.
    pub(crate) fn put_session(&mut self, number: u32, session: Option<CloneSession>) {
        match session {
            Some(session) => _ = self.sessions.insert(number, session),
            None => _ = self.sessions.remove(&number),
        }
    }
}

/// Saves groups and sessions as they were written, and the ports that are down.
impl Snapshot for Replication {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.down)?;
        into.put(&self.groups().collect::<BTreeMap<u32, &MulticastGroup>>())?;
        into.put(&self.sessions)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.down = from.take()?;
        self.groups.clear();
        let groups: BTreeMap<u32, MulticastGroup> = from.take()?;
        groups.into_iter().for_each(|(number, group)| self.put_group(number, Some(group)));
        self.sessions = from.take()?;
        Ok(())
    }
}
