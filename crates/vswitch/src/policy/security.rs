//! Security groups as one table.

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind, MatchTable, TableEntry, Target};

use super::routes::bits;
use crate::configuration::{Configuration, Direction, Peer, Prefix, SecurityRule, is_ipv4};

/// A rule that decided, by the positions of its group and of the rule in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleId {
    /// The position of the security group.
    pub group: u32,
    /// The position of the rule in the group.
    pub rule: u32,
}

/// The ruling of security groups on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    /// It is allowed: by a rule, or because the vNIC is in no group.
    Allowed(Option<RuleId>),
    /// It is denied: by a rule, or because no rule allows it.
    Denied(Option<RuleId>),
}

/// The rules for all vNICs. vNICs of a VPC in the same groups share a set of rules.
#[derive(Clone, Debug)]
pub struct Security {
    table: MatchTable,
    /// The rule of each entry, by its handle, and whether it allows.
    rules: Vec<(RuleId, bool)>,
    /// The number of the set of each vNIC, by position; `None` for those in no group.
    sets: Vec<Option<u32>>,
}

impl Security {
    /// Compiles the security groups of a configuration.
    pub fn of(configuration: &Configuration) -> Self {
        // The set, the version of IP and the direction; the protocol; the destination port or the type of ICMP; the other side's address.
        let field = |kind, width| KeyField { kind, width };
        let fields = vec![
            field(MatchKind::Exact, 32),
            field(MatchKind::Ternary, 8),
            field(MatchKind::Range, 16),
            field(MatchKind::Ternary, 128),
        ];
        let mut security = Self { table: MatchTable::new(fields, None), rules: Vec::new(), sets: Vec::new() };
        let mut sets: Vec<(usize, Vec<usize>)> = Vec::new();
        for vnic in &configuration.vnics {
            let mut groups = vnic.groups.clone();
            groups.sort_unstable();
            groups.dedup();
            let set = (!groups.is_empty()).then(|| {
                let own = (vnic.vpc, groups);
                sets.iter().position(|set| *set == own).unwrap_or_else(|| {
                    sets.push(own);
                    sets.len() - 1
                }) as u32
            });
            security.sets.push(set);
        }
        for (set, (vpc, groups)) in sets.iter().enumerate() {
            for &group in groups {
                for (position, rule) in configuration.groups[group].rules.iter().enumerate() {
                    let id = RuleId { group: group as u32, rule: position as u32 };
                    for peer in peers(configuration, *vpc, rule.peer) {
                        security.add(set as u32, id, rule, peer);
                    }
                }
            }
        }
        security
    }

    fn add(&mut self, set: u32, id: RuleId, rule: &SecurityRule, peer: Prefix) {
        let [ipv6, ipv4] = peer.versions();
        [(ipv6, false), (ipv4, true)]
            .into_iter()
            .filter(|(is_meant, _)| *is_meant)
            .for_each(|(_, is_ipv4)| self.add_of_version(set, id, rule, peer, is_ipv4));
    }

    fn add_of_version(&mut self, set: u32, id: RuleId, rule: &SecurityRule, peer: Prefix, is_ipv4: bool) {
        let ports = rule.ports.clone().unwrap_or(0..=u16::MAX);
        let key = vec![
            FieldMatch::Exact(Bits::from_u64(word(set, is_ipv4, rule.direction), 32)),
            rule.protocol.map_or(FieldMatch::Any, |protocol| FieldMatch::Mask {
                value: Bits::from_u64(protocol.into(), 8),
                mask: Bits::ones(8),
            }),
            FieldMatch::Range {
                low: Bits::from_u64((*ports.start()).into(), 16),
                high: Bits::from_u64((*ports.end()).into(), 16),
            },
            FieldMatch::Mask { value: bits(peer.number()), mask: bits(peer.mask()) },
        ];
        // The table takes the entry with the greatest priority.
        let priority = u32::from(u16::MAX - rule.priority) * 2 + u32::from(!rule.allows) + 1;
        let target = Target::Action { action: 0, data: Vec::new() };
        // A second rule that says the same of the same packets adds nothing.
        if self.table.insert(TableEntry { key, priority, target, is_constant: false }).is_ok() {
            self.rules.push((id, rule.allows));
        }
    }

    /// Returns what the groups of a vNIC say about a session that begins with a packet of a protocol to a port, where `peer`
    /// is the address of the other side.
    pub fn rule(&self, vnic: u32, direction: Direction, protocol: u8, port: u16, peer: u128) -> Ruled {
        let Some(set) = self.sets.get(vnic as usize).copied().flatten() else { return Ruled::Allowed(None) };
        let key = [word(set, is_ipv4(peer), direction), protocol.into(), port.into(), peer as u64, (peer >> 64) as u64];
        match self.table.lookup_words(&key).and_then(|entry| self.rules.get(entry.0 as usize)) {
            Some(&(id, true)) => Ruled::Allowed(Some(id)),
            Some(&(id, false)) => Ruled::Denied(Some(id)),
            None => Ruled::Denied(None),
        }
    }
}

/// Returns the first field of keys.
fn word(set: u32, is_ipv4: bool, direction: Direction) -> u64 {
    u64::from(set) << 2 | u64::from(is_ipv4) << 1 | u64::from(direction == Direction::Out)
}

/// Returns the addresses of the other side of a rule for vNICs of a VPC. Addresses of other VPCs mean others.
fn peers(configuration: &Configuration, vpc: usize, peer: Peer) -> Vec<Prefix> {
    match peer {
        Peer::Any => vec![Prefix::ALL],
        Peer::Prefix(prefix) => vec![prefix],
        Peer::Group(group) => {
            let members = configuration.vnics.iter().filter(|vnic| vnic.vpc == vpc && vnic.groups.contains(&group));
            let of_vnics = members.flat_map(|vnic| vnic.addresses.iter().copied().map(Prefix::of_one));
            configuration.groups[group].members.iter().copied().chain(of_vnics).collect()
        }
    }
}
