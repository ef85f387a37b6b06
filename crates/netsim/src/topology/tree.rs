//! Paths that are always the same, and trees of them, as packets to a group of hosts take.

use std::collections::{BTreeMap, BTreeSet};

use super::ways::Ways;
use super::{Role, Topology};

/// One step of a path: a station, and the port by which a packet leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The station, as an index into [`Topology::stations`].
    pub station: usize,
    /// The port by which the packet leaves.
    pub port: u16,
}

/// A tree of paths from one station to several hosts. Packets for all of them are copied wherever their paths part, so
/// that each cable carries one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The station in which all paths begin.
    pub root: usize,
    /// The stations of the tree by their indices in [`Topology::stations`].
    pub nodes: BTreeMap<usize, TreeNode>,
}

/// A station of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeNode {
    /// The port that leads towards the root, and the next station there; `None` at the root.
    pub up: Option<(u16, usize)>,
    /// The ports that lead away from the root, in ascending order, and the next station behind each.
    pub down: Vec<(u16, usize)>,
}

impl Topology {
    /// Returns the switch that a host is connected to, and the switch's port there; `None` if the station is not a host,
    /// or is not connected to a switch.
    pub fn edge_switch(&self, host: usize) -> Option<(usize, u16)> {
        let is_switch = |station: usize| matches!(self.stations[station].role, Role::Switch(_));
        if is_switch(host) {
            return None;
        }
        let at_host = |cable: &super::Cable| {
            let [one, other] = cable.ends;
            [(one, other), (other, one)].into_iter().find(|((station, _), _)| *station == host)
        };
        self.cables.iter().find_map(at_host).map(|(_, end)| end).filter(|(station, _)| is_switch(*station))
    }

    /// Returns the path from a station to a host. Wherever several ports are equally good, `choice` modulo their number
    /// selects one. The last hop leads to the host; the path is empty if the station is the host itself. Returns `None` if
    /// there is no path.
    pub fn path(&self, from: usize, to: usize, choice: usize) -> Option<Vec<Hop>> {
        Paths { topology: self, ways: Ways::new(self), choice }.path(from, to)
    }

    /// Returns the tree of the paths from a station to several hosts. Wherever several ports are equally good, `choice`
    /// modulo their number selects one.
    ///
    /// # Errors
    /// The first of the hosts to which there is no path.
    pub fn tree(&self, root: usize, hosts: &[usize], choice: usize) -> Result<Tree, usize> {
        let paths = Paths { topology: self, ways: Ways::new(self), choice };
        let mut nodes = BTreeMap::from([(root, TreeNode::default())]);
        for &host in hosts {
            let path = paths.path(root, host).ok_or(host)?;
            // Paths that have parted and meet again would bring copies: what is behind the last station that the tree has
            // already is the only part that is new.
            let first_new = path.iter().rposition(|hop| nodes.contains_key(&hop.station)).unwrap_or(0);
            for &Hop { station, port } in &path[first_new..] {
                let (next, back, _) = paths.ways.end_behind(station, port).ok_or(host)?;
                if nodes.contains_key(&next) {
                    continue;
                }
                nodes.insert(next, TreeNode { up: Some((back, station)), down: Vec::new() });
                let down = &mut nodes.entry(station).or_default().down;
                down.push((port, next));
                down.sort_unstable();
            }
        }
        Ok(Tree { root, nodes })
    }

    /// Returns the tree of the paths that packets of several hosts take to one host, from the switch that it is connected to, which is
    /// the root. `port` says by which port each switch sends packets for it.
    ///
    /// # Errors
    /// The first of the hosts whose packets do not arrive.
    pub fn tree_to(&self, to: usize, hosts: &[usize], port: &dyn Fn(usize) -> Option<u16>) -> Result<Tree, usize> {
        let ways = Ways::new(self);
        let (root, _) = self.edge_switch(to).ok_or(to)?;
        let mut nodes = BTreeMap::from([(root, TreeNode::default())]);
        let mut steps = Vec::new();
        for &host in hosts {
            let (mut at, mut leaves_by) = (host, Some(0));
            // What is in the tree already leads to the root, and a path without an end leads to a station again.
            let mut seen = BTreeSet::new();
            while !nodes.contains_key(&at) {
                let (next, back, _) = leaves_by.and_then(|port| ways.end_behind(at, port)).ok_or(host)?;
                if !seen.insert(at) {
                    return Err(host);
                }
                steps.push((at, leaves_by.ok_or(host)?, next, back));
                (at, leaves_by) = (next, port(next));
            }
            for (station, up, next, back) in steps.drain(..).rev() {
                nodes.insert(station, TreeNode { up: Some((up, next)), down: Vec::new() });
                let down = &mut nodes.entry(next).or_default().down;
                down.push((back, station));
                down.sort_unstable();
            }
        }
        Ok(Tree { root, nodes })
    }
}

struct Paths<'t> {
    topology: &'t Topology,
    ways: Ways<'t>,
    choice: usize,
}

impl Paths<'_> {
    fn path(&self, from: usize, to: usize) -> Option<Vec<Hop>> {
        let Role::Host { address, .. } = self.topology.stations.get(to)?.role else { return None };
        let (mut at, mut hops) = (from, Vec::new());
        while at != to {
            let ports = self.ways.ports(at, address);
            let &port = ports.get(self.choice.checked_rem(ports.len())?)?;
            let (next, _) = self.ways.behind(at, port)?;
            hops.push(Hop { station: at, port });
            at = next;
            if hops.len() > self.topology.stations.len() {
                return None;
            }
        }
        Some(hops)
    }
}
