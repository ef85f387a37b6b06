//! Multicast: the copies of groups, without those that packets leave out.

use control::Replication;
use node::Reason;

use super::layout::MulticastVariables;
use super::reasons;
use super::settings::{MulticastNode, MulticastSettings, Selection};
use super::switch::Tofino;
use super::target::Target;
use crate::blocks::Executor;

impl<E: Executor> Tofino<E> {
    /// Returns what a program has said about multicast copies.
    pub(super) fn selection(frame: &E::Packet, variables: &MulticastVariables) -> Selection {
        let groups = variables.groups.map(|group| Self::decided(frame, group) as u32);
        if groups == [0; 2] {
            return Selection::default();
        }
        let short = |variable| Self::decided(frame, variable) as u16;
        Selection {
            groups,
            node_hash: short(variables.node_hash),
            lag_hash: short(variables.lag_hash),
            node_exclusion: short(variables.node_exclusion),
            port_exclusion: short(variables.port_exclusion),
            rid: short(variables.excluded_replica),
        }
    }

    /// Appends the copies of multicast groups to a list, or the reason why there are none. Copies that the packet leaves out
    /// are counted; a group of which nothing else remains has no copies for that reason.
    pub(super) fn replicate(&mut self, selection: &Selection, targets: &mut Vec<Result<Target, Reason>>) {
        let replicator = Replicator {
            settings: &self.settings.multicast,
            replication: &self.replication,
            lag_hash_has_replica: self.layout(0).lag_hash_has_replica,
            selection,
        };
        for group in selection.groups.into_iter().filter(|&group| group != 0) {
            let before = targets.len();
            let Some(pruned) = replicator.append(group, targets) else {
                targets.push(Err(reasons::UNKNOWN_MULTICAST_GROUP));
                continue;
            };
            self.statistics.pruned += pruned;
            if targets.len() == before && pruned > 0 {
                targets.push(Err(reasons::EXCLUDED));
            }
        }
    }
}

/// What makes the copies of groups.
struct Replicator<'a> {
    settings: &'a MulticastSettings,
    replication: &'a Replication,
    lag_hash_has_replica: bool,
    selection: &'a Selection,
}

impl Replicator<'_> {
    /// Appends the copies of a group: those of the control plane's group, then those of nodes, then those of alternatives.
    /// Returns the number of copies that the packet leaves out; `None` if there is no such group.
    fn append(&self, group: u32, targets: &mut Vec<Result<Target, Reason>>) -> Option<u64> {
        let (members, tree) = (self.replication.group(group), self.settings.groups.get(&group));
        if members.is_none() && tree.is_none() {
            return None;
        }
        let (start, mut pruned) = (targets.len(), 0);
        let mut add = |port: u16, rid: u16| match self.is_pruned(port, rid) {
            true => pruned += 1,
            false => targets.push(Ok(Target { replica: rid.into(), ..Target::to(port.into()) })),
        };
        for member in members.unwrap_or_default() {
            // Numbers of ports that do not fit are found out by the queues.
            add(u16::try_from(member.port).unwrap_or(u16::MAX), member.instance as u16);
        }
        let mut left_out = 0;
        if let Some(tree) = tree {
            // A node, or a set of them, is left out as a whole if it has the packet's number.
            let is_excluded = |exclusion: Option<u16>| exclusion == Some(self.selection.node_exclusion);
            for node in &tree.nodes {
                if is_excluded(node.exclusion) {
                    left_out += node.copies();
                } else {
                    self.second_level(node, &mut add);
                }
            }
            for set in &tree.alternatives {
                let place = usize::from(self.selection.node_hash) % set.nodes.len().max(1);
                match set.nodes.get(place) {
                    Some(node) if is_excluded(set.exclusion) => left_out += node.copies(),
                    Some(node) => self.second_level(node, &mut add),
                    None => {}
                }
            }
        }
        if let Some(Ok(first)) = targets.get_mut(start) {
            first.is_first = true;
        }
        Some(pruned + left_out)
    }

    /// Adds a copy for each port of a node, and one for each of its LAGs.
    fn second_level(&self, node: &MulticastNode, add: &mut impl FnMut(u16, u16)) {
        node.ports.iter().for_each(|&port| add(port, node.rid));
        for lag in &node.lags {
            if let Some(port) = self.member(*lag, node.rid) {
                add(port, node.rid);
            }
        }
    }

    /// Returns the member of a LAG that the packet's hash chooses: among all of them, or, if that one is down, among those
    /// that are up (open-p4studio, `mc_mgr_intf.h` and the test of `tna_multicast`). A LAG without members has none.
    fn member(&self, lag: u16, rid: u16) -> Option<u16> {
        let members = self.settings.lags.get(&lag).filter(|members| !members.is_empty())?;
        let mut hash = usize::from(self.selection.lag_hash);
        if self.lag_hash_has_replica {
            hash = (hash ^ usize::from(rid)) & 0x1FFF;
        }
        let is_up = |port: &&u16| !self.replication.is_down(u32::from(**port));
        let chosen = &members[hash % members.len()];
        if is_up(&chosen) {
            return Some(*chosen);
        }
        let up = members.iter().filter(is_up).count();
        // If all are down, the copy is lost at the port that was chosen.
        Some(if up == 0 { *chosen } else { *members.iter().filter(is_up).nth(hash % up)? })
    }

    /// Returns true if the packet leaves out a port at a node: where its own replication id is that of the node, or is the
    /// one that stands for all nodes.
    fn is_pruned(&self, port: u16, rid: u16) -> bool {
        let Some(ports) = self.settings.exclusions.get(&self.selection.port_exclusion) else { return false };
        let concerns = self.selection.rid == rid || self.selection.rid == self.settings.global_rid.unwrap_or(0);
        concerns && ports.binary_search(&port).is_ok()
    }
}

impl MulticastNode {
    /// Returns how many copies the node makes if none is left out.
    fn copies(&self) -> u64 {
        (self.ports.len() + self.lags.len()) as u64
    }
}
