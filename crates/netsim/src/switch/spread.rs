//! The choice among equally good ports.

use basis::Random;
use serde::{Deserialize, Serialize};
use wire::{Ethernet, Ipv4, flow_hash, path, protocol};

/// The way in which one of several equally good ports is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// By a hash of addresses, protocol and ports, so that a flow keeps its path (ECMP, RFC 2992).
    #[default]
    Flow,
    /// At random for each packet.
    Random,
    /// In turn, in a random order that is drawn anew for each round.
    RoundRobin,
    /// By the path that the host encodes in the lowest bits of the UDP source port.
    Host,
}

impl Spread {
    /// The spreads by the names that plans use.
    pub const NAMES: [(&str, Self); 4] =
        [("flow", Self::Flow), ("random", Self::Random), ("round-robin", Self::RoundRobin), ("host", Self::Host)];
}

/// Chooses ports for one switch.
#[derive(Debug)]
pub(super) struct Chooser {
    spread: Spread,
    /// A value that makes switches hash differently; otherwise flows that collide at one switch would collide at all
    /// of them.
    salt: u64,
    path_divisor: u32,
    random: Random,
    rounds: Vec<Round>,
}

/// A round through the ports of a group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Round {
    order: Vec<u16>,
    next: usize,
}

impl Chooser {
    pub fn new(spread: Spread, path_divisor: u32, groups: usize, mut random: Random) -> Self {
        let rounds = if spread == Spread::RoundRobin { vec![Round::default(); groups] } else { Vec::new() };
        Self { spread, salt: random.bits(), path_divisor: path_divisor.max(1), random, rounds }
    }

    /// Returns the port that a packet takes if it is the only one, or if its host has chosen: whatever is known
    /// quickly and without a random draw.
    #[inline]
    pub fn settled(&self, ports: &[u16], frame: &[u8]) -> Option<u16> {
        match (ports, self.spread) {
            (&[port], _) => Some(port),
            (_, Spread::Host) => Some(ports[(u32::from(host_path(frame)?) / self.path_divisor) as usize % ports.len()]),
            _ => None,
        }
    }

    /// Returns one of `ports`, which are those of a group and not empty.
    #[inline]
    pub fn choose(&mut self, group: usize, ports: &[u16], frame: &[u8]) -> u16 {
        if let Some(port) = self.settled(ports, frame) {
            return port;
        }
        let count = ports.len() as u64;
        let index = match self.spread {
            // Packets whose hosts have chosen no path are spread by flow.
            Spread::Flow | Spread::Host => ((u128::from(flow_hash(frame, self.salt)) * u128::from(count)) >> 64) as u64,
            Spread::Random => self.random.below(count),
            Spread::RoundRobin => {
                let round = &mut self.rounds[group];
                if round.next == round.order.len() {
                    round.order.clear();
                    round.order.extend(0..ports.len() as u16);
                    self.random.shuffle(&mut round.order);
                    round.next = 0;
                }
                round.next += 1;
                u64::from(round.order[round.next - 1])
            }
        };
        ports[index as usize]
    }
}

/// Returns the IPv4 header and the bytes behind it in a frame without VLAN tags.
fn transport(frame: &[u8]) -> Option<(Ipv4<&[u8]>, &[u8])> {
    let ip = Ipv4::new(frame.get(Ethernet::<&[u8]>::LENGTH..)?)?;
    let rest = frame.get(Ethernet::<&[u8]>::LENGTH + ip.header_length()..)?;
    Some((ip, rest))
}

/// Returns the path that the host chose, if it chose one.
fn host_path(frame: &[u8]) -> Option<u16> {
    let (ip, rest) = transport(frame)?;
    let port = u16::from_be_bytes(rest.get(..2)?.try_into().ok()?);
    path::of_source_port(port).filter(|_| ip.protocol() == protocol::UDP)
}

basis::snapshot!(Chooser { values random, rounds; });

#[cfg(test)]
mod tests {
    use wire::ether_type;

    use super::*;

    const PORTS: [u16; 4] = [10, 11, 12, 13];

    /// Returns a UDP packet with this source port.
    fn frame(source_port: u16) -> [u8; 42] {
        let mut frame = [0; 42];
        Ethernet::new(&mut frame[..]).unwrap().set_ether_type(ether_type::IPV4);
        let mut ip = Ipv4::new(&mut frame[14..]).unwrap();
        ip.set_version_and_length(0x45);
        ip.set_protocol(protocol::UDP);
        ip.set_destination_bits(0x0A00_0001);
        frame[34..36].copy_from_slice(&source_port.to_be_bytes());
        frame
    }

    fn chooser(spread: Spread, path_divisor: u32, seed: u64) -> Chooser {
        Chooser::new(spread, path_divisor, 2, Random::new(seed))
    }

    #[test]
    fn flows_keep_their_ports_and_switches_hash_differently() {
        let mut chosen = [1, 2].map(|seed| {
            let mut chooser = chooser(Spread::Flow, 1, seed);
            (0..400).map(|flow| chooser.choose(0, &PORTS, &frame(flow % 200))).collect::<Vec<_>>()
        });
        for chosen in &mut chosen {
            let again = chosen.split_off(200);
            assert_eq!(*chosen, again);
            // 50 of 200 flows are expected at each port; the standard deviation is 6.
            assert!(
                PORTS.iter().all(|port| (25..75).contains(&chosen.iter().filter(|&chosen| chosen == port).count()))
            );
        }
        let alike = chosen[0].iter().zip(&chosen[1]).filter(|(one, other)| one == other).count();
        assert!((25..75).contains(&alike), "{alike}");
    }

    #[test]
    fn each_group_has_its_own_shuffled_rounds() {
        let mut chooser = chooser(Spread::RoundRobin, 1, 1);
        let mut orders = std::collections::BTreeSet::new();
        for _ in 0..40 {
            let mut round: Vec<u16> = PORTS
                .map(|_| {
                    // The other group has its own rounds, which must not interfere.
                    chooser.choose(1, &PORTS[..2], &frame(0));
                    chooser.choose(0, &PORTS, &frame(0))
                })
                .to_vec();
            orders.insert(round.clone());
            round.sort_unstable();
            assert_eq!(round, PORTS);
        }
        assert!(orders.len() > 10, "{} of 24 orders", orders.len());
    }

    #[test]
    fn paths_select_ports_digit_by_digit() {
        let [mut low, mut high] = [1, 4].map(|divisor| chooser(Spread::Host, divisor, 1));
        for path in 0..40 {
            let frame = frame(path::source_port(path));
            assert_eq!(low.choose(0, &PORTS, &frame), 10 + path % 4);
            assert_eq!(high.choose(0, &PORTS, &frame), 10 + path / 4 % 4);
        }
        let mut flow = chooser(Spread::Flow, 1, 1);
        for port in [0, 80, path::FIRST_SOURCE_PORT - 1] {
            assert_eq!(low.choose(0, &PORTS, &frame(port)), flow.choose(0, &PORTS, &frame(port)));
        }
    }
}
