//! What the control plane writes into switches.

use control::{ActionCall, MulticastGroup, Replica, ReplicationRequest, Request, TableRequest, Target};
use machines::Device;
use runtime::Bits;
use runtime::tables::FieldMatch;

use super::network::{Behind, Network, UP};

impl Network {
    /// Writes routes, groups and jobs of a switch anew.
    pub(super) fn configure(&mut self, switch: usize) {
        let racks = self.plan.racks;
        let is_core = switch == racks;
        let mut requests = Vec::new();
        let info = self.switches[switch].info().clone();
        let table = |name: &str| info.table_named(name).unwrap();
        let number = |value: u64| Bits::Narrow(value);
        let call = |name: &str, action: &str, data: u64| {
            let action = info.action_named(table(name), action).unwrap();
            Target::Action(ActionCall { action, data: vec![number(data)] })
        };
        for name in ["ipv4", "groups", "jobs"] {
            requests.push(Request::Table(table(name), TableRequest::Clear));
        }
        let mut insert = |name: &str, key: FieldMatch, target| {
            requests.push(Request::Table(table(name), TableRequest::insert(vec![key], None, target)));
        };
        for (host, about) in self.hosts.iter().enumerate() {
            let key = FieldMatch::Prefix { value: number(about.address.into()), length: 32 };
            insert("ipv4", key, call("ipv4", "route", self.port_to(switch, host).into()));
        }
        let mut groups = Vec::new();
        for (index, job) in self.plan.jobs.iter().enumerate() {
            let group = 10 + index as u32;
            insert("groups", FieldMatch::Exact(number(job.group().into())), call("groups", "multicast", group.into()));
            let servers = job.servers[0];
            let mut ports: Vec<u16> = Vec::new();
            for (rank, &rack) in job.workers.iter().enumerate() {
                let host = self.host_of(index, rank);
                let port = match () {
                    () if is_core => (rack != servers).then_some(rack as u16),
                    () if rack == switch => Some(self.port_to(switch, host)),
                    () if switch == servers => Some(UP),
                    () => None,
                };
                ports.extend(port);
            }
            ports.sort_unstable();
            ports.dedup();
            let replicas = ports.into_iter().map(|port| Replica { port: port.into(), instance: 0 }).collect::<Vec<_>>();
            groups.push(Request::MulticastGroup(group, ReplicationRequest::Put(MulticastGroup::from(replicas))));
            let level = match () {
                () if is_core => None,
                () if job.is_first_level(switch) => Some(0),
                () if job.uses_second_level() && job.servers.contains(&switch) => Some(1),
                () => None,
            };
            if let Some(level) = level {
                insert("jobs", FieldMatch::Exact(number(job.number.into())), call("jobs", "aggregate", level));
            }
        }
        let age = call("ageing", "set_age", self.plan.age * 1000 / 1024);
        requests.push(Request::Table(table("ageing"), TableRequest::set_default(age)));
        for request in requests.iter().chain(&groups) {
            self.switches[switch].execute(request).unwrap();
        }
    }

    pub(super) fn port_to(&self, switch: usize, host: usize) -> u16 {
        let rack = self.hosts[host].rack;
        match () {
            () if switch == self.plan.racks => rack as u16,
            () if rack != switch => UP,
            () => {
                let is_it = |(_, behind): &(&u16, &Behind)| matches!(behind, Behind::Host(own) if *own == host);
                *self.ports[switch].iter().find(is_it).unwrap().0
            }
        }
    }
}
