//! Multicast groups of nodes, LAGs, and the lists of ports that packets leave out.

use std::collections::BTreeMap;

use plans::Section;
use serde::{Deserialize, Serialize};

use super::MOST_PORTS;

/// The multicast groups of a chip, as its drivers set them (open-p4studio, `mc_mgr_intf.h`): a group has nodes of the first
/// level, and a node has ports and LAGs, which are its second level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MulticastSettings {
    /// The groups by number, from 1.
    pub groups: BTreeMap<u32, MulticastTree>,
    /// The ports of each LAG, in increasing order.
    pub lags: BTreeMap<u16, Vec<u16>>,
    /// The ports that packets leave out, by `level2_exclusion_id`.
    pub exclusions: BTreeMap<u16, Vec<u16>>,
    /// Packets with this `rid` leave out ports at every node, not only at those with their own `rid`.
    pub global_rid: Option<u16>,
}

/// A multicast group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MulticastTree {
    /// The nodes, each of which makes its copies.
    pub nodes: Vec<MulticastNode>,
    /// Sets of nodes, of each of which one makes its copies.
    pub alternatives: Vec<Alternatives>,
}

/// A node of a multicast group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MulticastNode {
    /// The replication id of its copies, `egress_rid`.
    pub rid: u16,
    /// The ports to which it sends a copy.
    pub ports: Vec<u16>,
    /// The LAGs to one port of each of which it sends a copy.
    pub lags: Vec<u16>,
    /// Packets with this `level1_exclusion_id` leave the node out.
    pub exclusion: Option<u16>,
}

/// Nodes of which `level1_mcast_hash` chooses one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternatives {
    /// The nodes, whose own exclusions have no meaning.
    pub nodes: Vec<MulticastNode>,
    /// Packets with this `level1_exclusion_id` leave all of them out.
    pub exclusion: Option<u16>,
}

/// What a packet tells the traffic manager about its multicast copies, or a mirror session about those of its packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The multicast groups, `mcast_grp_a` and `mcast_grp_b`; 0 stands for none.
    pub groups: [u32; 2],
    /// What chooses among alternative nodes: `level1_mcast_hash`.
    pub node_hash: u16,
    /// What chooses a port of a LAG: `level2_mcast_hash`.
    pub lag_hash: u16,
    /// Nodes with this number are left out: `level1_exclusion_id`.
    pub node_exclusion: u16,
    /// The list of the ports that are left out: `level2_exclusion_id`.
    pub port_exclusion: u16,
    /// The replication id of the nodes at which ports are left out: `rid`.
    pub rid: u16,
}

impl MulticastSettings {
    /// Reads `[[multicast]]`, `[[lag]]` and `[[exclusion]]` sections within a section, and its entry `global_rid`. The text
    /// of the sections is appended to `text`.
    pub fn read(section: &Section<'_>, text: &mut String) -> Self {
        let global_rid = section.optional_count("global_rid", 0..=65_535).map(|rid| rid as u16);
        let mut groups = BTreeMap::new();
        for own in section.sections("multicast") {
            own.require("group", "the number of the multicast group: group = 1");
            let group = own.count("group", 1..=65_535, 1) as u32;
            let mut below = String::new();
            let nodes = nodes(&own, &mut below, true);
            let alternatives = own.sections("ecmp").into_iter().map(|own| alternatives(own, &mut below)).collect();
            if groups.insert(group, MulticastTree { nodes, alternatives }).is_some() {
                let message = format!("the multicast group {group} is there twice");
                own.error(&own.span_of("group"), message, "put all nodes of a group into one section");
            }
            own.end(text);
            text.push_str(&below);
        }
        let lags = lists(section, "lag", "LAG", 254, text);
        let exclusions = lists(section, "exclusion", "list of excluded ports", 511, text);
        Self { groups, lags, exclusions, global_rid }
    }

    /// Takes over what a fragment of settings says: whole groups, LAGs and lists. What it does not name stays.
    pub fn merge(&mut self, fragment: Self) {
        self.groups.extend(fragment.groups);
        self.lags.extend(fragment.lags);
        self.exclusions.extend(fragment.exclusions);
        self.global_rid = fragment.global_rid.or(self.global_rid);
    }
}

/// Reads the `[[node]]` sections of a section.
fn nodes(section: &Section<'_>, text: &mut String, has_exclusion: bool) -> Vec<MulticastNode> {
    let read = |own: Section<'_>| {
        let rid = own.count("rid", 0..=65_535, 0) as u16;
        let [ports, lags] = [("ports", u64::from(MOST_PORTS - 1)), ("lags", 254)].map(|(name, most)| {
            let mut numbers: Vec<u16> =
                own.counts(name, 0..=most, &[]).into_iter().map(|number| number as u16).collect();
            // They are sets: each port gets one copy of a node, in the order of the ports.
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        });
        if ports.is_empty() && lags.is_empty() {
            own.error(own.span(), "a node without ports and LAGs makes no copy", "give it `ports` or `lags`");
        }
        let exclusion = has_exclusion.then(|| own.optional_count("exclusion", 0..=65_535)).flatten();
        own.end(text);
        MulticastNode { rid, ports, lags, exclusion: exclusion.map(|number| number as u16) }
    };
    section.sections("node").into_iter().map(read).collect()
}

fn alternatives(section: Section<'_>, text: &mut String) -> Alternatives {
    let exclusion = section.optional_count("exclusion", 0..=65_535).map(|number| number as u16);
    let mut below = String::new();
    let nodes = nodes(&section, &mut below, false);
    if nodes.is_empty() {
        let hint = format!("add [[{}]] sections", section.path_of("node"));
        section.error(section.span(), "there is no node among which to choose", hint);
    }
    section.end(text);
    text.push_str(&below);
    Alternatives { nodes, exclusion }
}

/// Reads sections that give a number to a list of ports.
fn lists(
    section: &Section<'_>,
    name: &'static str,
    what: &str,
    most: u64,
    text: &mut String,
) -> BTreeMap<u16, Vec<u16>> {
    let mut lists = BTreeMap::new();
    for own in section.sections(name) {
        own.require("number", &format!("the number of the {what}: number = 1"));
        let number = own.count("number", 0..=most, 0) as u16;
        let ports = own.counts("ports", 0..=u64::from(MOST_PORTS - 1), &[]);
        let mut ports: Vec<u16> = ports.into_iter().map(|port| port as u16).collect();
        ports.sort_unstable();
        ports.dedup();
        if lists.insert(number, ports).is_some() {
            let message = format!("the {what} {number} is there twice");
            own.error(&own.span_of("number"), message, "put all of its ports into one section");
        }
        own.end(text);
    }
    lists
}
