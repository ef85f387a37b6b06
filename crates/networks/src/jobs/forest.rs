//! The trees by which packets for all workers of a job reach them.

use netsim::topology::{Role, Tree};

use super::routes::{base_port, route};
use super::{Argument, JobNetwork, Key, Mistake, SwitchEntry};

/// The group addresses of jobs are those of organisations, 239.192.0.0/14 (RFC 2365, section 6.2); the last byte is the
/// number of the job.
const GROUPS: u32 = 0xEFC0_0000;

/// The name of the table of group addresses.
const TABLE: &str = "groups";

/// The tree by which packets for all workers of a job reach them. The root is a switch.
#[derive(Clone, Debug)]
pub struct JobTree {
    tree: Tree,
    job: u8,
}

impl JobTree {
    /// Returns the tree from a switch to hosts for the job of a number. Of equally good ports, the job's number selects one,
    /// so that the trees of several jobs are spread.
    ///
    /// # Errors
    /// The hosts to which there is no path, and the switches on the way that cannot replicate packets.
    pub fn new(network: &JobNetwork<'_>, root: usize, hosts: &[usize], job: u8) -> Result<Self, Vec<Mistake>> {
        let tree = network.topology.tree(root, hosts, job.into()).map_err(|host| {
            let message = format!("there is no path from `{}` to `{}`", network.name(root), network.name(host));
            vec![Mistake::new(
                "workers",
                message,
                "all hosts of a job must reach each other: change the topology or the hosts",
            )]
        })?;
        Self::checked(network, tree, job)
    }

    /// Returns the tree of the ways that packets of workers take to a server by the routes of the switches, which begins at the
    /// server's switch.
    ///
    /// # Errors
    /// The workers whose packets do not arrive, and the switches on the way that cannot replicate packets.
    pub fn along_routes(
        network: &JobNetwork<'_>,
        server: usize,
        workers: &[usize],
        job: u8,
    ) -> Result<Self, Vec<Mistake>> {
        let port = |switch: usize| base_port(network.topology, switch, network.address(server));
        let tree = network.topology.tree_to(server, workers, &port).map_err(|host| {
            let message = format!("there is no path from `{}` to `{}`", network.name(host), network.name(server));
            let hint = "all hosts of a job must reach each other: change the topology or the hosts";
            vec![Mistake::new("workers", message, hint)]
        })?;
        Self::checked(network, tree, job)
    }

    /// Returns the switches from that of a host to the root.
    pub fn way(&self, host: usize) -> Vec<usize> {
        let up = |station: &usize| self.tree.nodes.get(station)?.up.map(|(_, next)| next);
        std::iter::successors(up(&host), up).collect()
    }

    fn checked(network: &JobNetwork<'_>, tree: Tree, job: u8) -> Result<Self, Vec<Mistake>> {
        let is_plain = |station: usize| {
            matches!(network.topology.stations[station].role, Role::Switch(_)) && !(network.is_programmable)(station)
        };
        let plain: Vec<&str> =
            tree.nodes.keys().filter(|&&station| is_plain(station)).map(|&station| network.name(station)).collect();
        if plain.is_empty() {
            return Ok(Self { tree, job });
        }
        let (first, more) = (plain[0], plain.len() - 1);
        let others = if more == 0 { String::new() } else { format!(" and {more} more") };
        let message = format!(
            "`{first}`{others} lies on the way from the sums to the workers, and cannot replicate packets for them"
        );
        let hint = "add `aggregator` or a `program` with tables `ipv4` and `groups` to [switch], for all switches between the hosts of the job";
        Err(vec![Mistake::new("workers", message, hint)])
    }

    /// Returns the address of the group of all workers.
    pub fn group(&self) -> u32 {
        GROUPS | u32::from(self.job)
    }

    /// Returns what each switch of the tree must know so that it replicates packets for the group. The multicast group has
    /// the number of the job.
    pub fn entries(&self, network: &JobNetwork<'_>) -> Vec<(usize, SwitchEntry)> {
        let mut entries = Vec::new();
        for (&station, node) in &self.tree.nodes {
            if node.down.is_empty() || !matches!(network.topology.stations[station].role, Role::Switch(_)) {
                continue;
            }
            let (number, ports) = (u32::from(self.job), node.down.iter().map(|(port, _)| *port).collect());
            entries.push((station, SwitchEntry::Group { number, ports }));
            let key = vec![Key::Exact(self.group().into())];
            let (action, arguments) = ("multicast", vec![Argument::Number(number.into())]);
            entries.push((station, SwitchEntry::Table { table: TABLE, key, action, arguments }));
        }
        entries
    }

    /// Returns the routes by which packets to an address reach the root from every switch of the tree.
    pub fn routes_to_root(&self, network: &JobNetwork<'_>, address: u32) -> Vec<(usize, SwitchEntry)> {
        let is_switch = |station: usize| matches!(network.topology.stations[station].role, Role::Switch(_));
        let up = |(&station, node): (&usize, &netsim::topology::TreeNode)| {
            let (port, _) = node.up.filter(|_| is_switch(station))?;
            Some((station, route(address, 32, port)))
        };
        self.tree.nodes.iter().filter_map(up).collect()
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}
