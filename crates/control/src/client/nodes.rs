//! Multicast nodes as in BMv2's command line interface: a node is a replica id with ports, and a group consists of
//! nodes.
//!
//! The control plane itself has only groups of replicas, which are replaced whenever a node changes.

use std::collections::BTreeMap;

use super::Numbered;
use crate::{MulticastGroup, Replica, ReplicationRequest, Request};

/// The nodes and groups that a file has created so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    nodes: Numbered<Node>,
    /// The nodes of each group, in the order in which they were associated.
    groups: BTreeMap<u32, Vec<u32>>,
}

#[derive(Clone, Debug)]
struct Node {
    instance: u32,
    ports: Vec<u32>,
}

impl Nodes {
    pub(crate) fn create_group(&mut self, group: u32) -> Request {
        self.groups.insert(group, Vec::new());
        Request::MulticastGroup(group, ReplicationRequest::Insert(MulticastGroup::default()))
    }

    pub(crate) fn destroy_group(&mut self, group: u32) -> Request {
        self.groups.remove(&group);
        Request::MulticastGroup(group, ReplicationRequest::Delete)
    }

    /// Adds a node, which gets the smallest unused handle, starting at 0.
    pub(crate) fn create_node(&mut self, instance: u32, ports: Vec<u32>) {
        self.nodes.add(Node { instance, ports: in_order(ports) });
    }

    pub(crate) fn update_node(&mut self, handle: u32, ports: Vec<u32>) -> Result<Vec<Request>, String> {
        let node = self.nodes.get_mut(handle).ok_or_else(|| no_node(handle))?;
        node.ports = in_order(ports);
        Ok(self.put(handle))
    }

    pub(crate) fn destroy_node(&mut self, handle: u32) -> Result<Vec<Request>, String> {
        self.nodes.remove(handle).ok_or_else(|| no_node(handle))?;
        let changed = self.put(handle);
        self.groups.values_mut().for_each(|handles| handles.retain(|other| *other != handle));
        Ok(changed)
    }

    pub(crate) fn associate(&mut self, group: u32, handle: u32) -> Result<Vec<Request>, String> {
        if self.nodes.get(handle).is_none() {
            return Err(no_node(handle));
        }
        let handles = self.groups.get_mut(&group).ok_or_else(|| no_group(group))?;
        if handles.contains(&handle) {
            return Err(format!("multicast group {group} already has node {handle}"));
        }
        handles.push(handle);
        Ok(vec![self.put_group(group)])
    }

    pub(crate) fn dissociate(&mut self, group: u32, handle: u32) -> Result<Vec<Request>, String> {
        let handles = self.groups.get_mut(&group).ok_or_else(|| no_group(group))?;
        let Some(at) = handles.iter().position(|other| *other == handle) else {
            return Err(format!("multicast group {group} has no node {handle}"));
        };
        handles.remove(at);
        Ok(vec![self.put_group(group)])
    }

    /// Returns requests that replace all groups that contain a node.
    fn put(&self, handle: u32) -> Vec<Request> {
        let groups = self.groups.iter().filter(|(_, handles)| handles.contains(&handle));
        groups.map(|(group, _)| self.put_group(*group)).collect()
    }

    fn put_group(&self, group: u32) -> Request {
        let nodes = self.groups[&group].iter().filter_map(|handle| self.nodes.get(*handle));
        let copies = |node: &Node| {
            let instance = node.instance;
            node.ports.iter().map(|port| Replica { port: *port, instance }).collect::<Vec<_>>()
        };
        let replicas: Vec<Replica> = nodes.flat_map(copies).collect();
        Request::MulticastGroup(group, ReplicationRequest::Put(replicas.into()))
    }
}

/// Sorts the ports of a node, because BMv2 stores them as a set.
fn in_order(mut ports: Vec<u32>) -> Vec<u32> {
    ports.sort_unstable();
    ports.dedup();
    ports
}

fn no_node(handle: u32) -> String {
    format!("there is no multicast node {handle}; nodes are numbered from 0 in the order of `mc_node_create`")
}

fn no_group(group: u32) -> String {
    format!("there is no multicast group {group}; `mc_mgrp_create {group}` creates it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(group: u32, copies: &[(u32, u32)]) -> Request {
        let replica = |(port, instance): &(u32, u32)| Replica { port: *port, instance: *instance };
        let replicas: Vec<Replica> = copies.iter().map(replica).collect();
        Request::MulticastGroup(group, ReplicationRequest::Put(replicas.into()))
    }

    #[test]
    fn a_group_has_the_replicas_of_its_nodes_in_order() {
        let mut nodes = Nodes::default();
        nodes.create_group(1);
        nodes.create_node(5, vec![3, 2]);
        nodes.create_node(6, vec![7]);
        assert_eq!(nodes.associate(1, 1), Ok(vec![put(1, &[(7, 6)])]));
        assert_eq!(nodes.associate(1, 0), Ok(vec![put(1, &[(7, 6), (2, 5), (3, 5)])]));
        assert_eq!(nodes.update_node(0, vec![9]), Ok(vec![put(1, &[(7, 6), (9, 5)])]));
        assert_eq!(nodes.destroy_node(1), Ok(vec![put(1, &[(9, 5)])]));
        nodes.create_node(8, vec![4]);
        assert_eq!(nodes.associate(1, 1), Ok(vec![put(1, &[(9, 5), (4, 8)])]), "handle 1 is unused again");
        assert_eq!(nodes.dissociate(1, 0), Ok(vec![put(1, &[(4, 8)])]));
    }

    #[test]
    fn reports_unknown_nodes_and_groups() {
        let mut nodes = Nodes::default();
        assert!(nodes.associate(1, 0).unwrap_err().contains("no multicast node 0"));
        nodes.create_node(0, vec![]);
        assert!(nodes.associate(1, 0).unwrap_err().contains("no multicast group 1"));
        nodes.create_group(1);
        assert_eq!(nodes.associate(1, 0), Ok(vec![put(1, &[])]));
        assert!(nodes.associate(1, 0).unwrap_err().contains("already"));
        assert!(nodes.dissociate(1, 3).unwrap_err().contains("no node 3"));
    }
}
