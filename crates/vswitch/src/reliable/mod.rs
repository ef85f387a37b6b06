//! A reliable overlay between two virtual switches (Triton, section 8.1, which calls it feasible): each packet of a tunnel has a
//! sequence number and is acknowledged; what is lost is sent again on another path, which is another source port of the tunnel.
//! `docs/vswitch/reliable.md` describes the frames, and what they cost.
//!
//! Packets are delivered as they come: who sends them again keeps them, and nobody waits for them. What transports are made of
//! ([`transports::parts`]) knows what has come and what is in flight.

mod channel;
mod frame;
mod receiver;
mod sender;

use std::collections::BTreeMap;
use std::net::IpAddr;

use basis::Instant;
use wire::Packet;

use crate::configuration::{MacAddress, ReliableOptions, number};
use crate::handover::HandedTunnel;

use channel::Channel;
pub(crate) use frame::{FRONT, LONGEST_MESSAGE, Message, Numbered, Read, read, unwrap};

/// The number of paths between two switches: of source ports of tunnels.
const PATHS: u8 = 8;

/// A tunnel in one direction: the VXLAN network identifier and the other endpoint.
pub(crate) type Tunnel = (u32, u128);

/// What has happened in reliable tunnels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReliableCounts {
    /// Packets that were sent with a number, the first time.
    pub sent: u64,
    /// Packets that were sent again.
    pub retransmitted: u64,
    /// Packets that are not sent again any more, though nobody has acknowledged them.
    pub given_up: u64,
    /// Packets that have come before.
    pub copies: u64,
    /// Packets that were sent in a plain tunnel, because the other switch has not answered.
    pub plain: u64,
}

/// The state of a reliable tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReliableView {
    /// The VXLAN network identifier of the VPC.
    pub vni: u32,
    /// The other endpoint.
    pub endpoint: IpAddr,
    /// Whether the other switch has said that it knows such tunnels.
    pub is_answered: bool,
    /// The smoothed round-trip time, in picoseconds.
    pub round_trip: Option<u64>,
    /// The number of packets that are kept until they are acknowledged.
    pub kept: usize,
    /// The number of paths that are suspected to be dead.
    pub suspected: usize,
}

/// What becomes of a packet for a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It has a number now, and takes the path with this hash.
    Numbered(u64),
    /// It goes as it is.
    Plain,
    /// It does not go.
    Refused,
}

/// A frame that is to be sent through a tunnel as it is, with the hash of its path.
pub(crate) type Outgoing = (Tunnel, Packet, u64);

/// The reliable tunnels of a switch.
#[derive(Debug, Default)]
pub struct Reliable {
    options: Option<ReliableOptions>,
    channels: BTreeMap<Tunnel, Channel>,
    counts: ReliableCounts,
    /// The number from which those of senders are drawn.
    seed: u64,
    /// The present time.
    pub(crate) now: Instant,
    /// A time before which nothing is due; `None` if nothing is.
    due: Option<Instant>,
}

impl Reliable {
    /// No tunnels yet. `seed` is another one for each start of the switch.
    pub(crate) fn new(options: Option<ReliableOptions>, seed: u64) -> Self {
        Self { options, seed, ..Self::default() }
    }

    /// Goes on with other options. Tunnels to endpoints that have them no more are forgotten.
    pub(crate) fn apply(&mut self, options: Option<ReliableOptions>) {
        self.options = options;
        let options = self.options.as_ref();
        self.channels.retain(|(_, endpoint), _| options.is_some_and(|options| options.has(*endpoint)));
    }

    /// Returns what has happened.
    pub fn counts(&self) -> ReliableCounts {
        self.counts
    }

    /// Returns the tunnels.
    pub fn views(&self) -> impl Iterator<Item = ReliableView> {
        self.channels.iter().map(|((vni, endpoint), channel)| channel.view(*vni, *endpoint))
    }

    /// Returns true if tunnels with an endpoint are reliable.
    pub(crate) fn has(&self, endpoint: u128) -> bool {
        self.options.as_ref().is_some_and(|options| options.has(endpoint))
    }

    /// Returns what another process must know of each tunnel to go on.
    pub(crate) fn handed(&self) -> impl Iterator<Item = HandedTunnel> {
        self.channels.iter().map(|(tunnel, channel)| channel.handed(*tunnel))
    }

    /// Goes on with the tunnels that another process had, to endpoints that have them here too. What that one has kept is not sent again.
    pub(crate) fn resume(&mut self, handed: &[HandedTunnel]) {
        for handed in handed.iter().filter(|handed| self.has(handed.endpoint)).collect::<Vec<_>>() {
            let tunnel = (handed.vni, handed.endpoint);
            let channel = Channel::resumed(drawn(&mut self.seed, tunnel), self.now, handed);
            let due = channel.deadline();
            self.channels.insert(tunnel, channel);
            self.is_due(due);
        }
    }

    fn channel(&mut self, tunnel: Tunnel) -> &mut Channel {
        let Self { channels, seed, .. } = self;
        channels.entry(tunnel).or_insert_with(|| Channel::new(drawn(seed, tunnel)))
    }

    /// Gives a packet for a tunnel a number, if its other end is known to read it. `gateway` is the Ethernet address of the
    /// VPC's gateway.
    pub(crate) fn send(&mut self, tunnel: Tunnel, gateway: MacAddress, packet: &mut Packet, hash: u64) -> Sent {
        let Some(refuses) = self.options.as_ref().filter(|options| options.has(tunnel.1)).map(|it| it.is_demanded)
        else {
            return Sent::Plain;
        };
        let now = self.now;
        let channel = self.channel(tunnel);
        let (sent, due) = (channel.send(now, gateway, packet, hash), channel.deadline());
        self.is_due(due);
        match sent {
            Some((path, given_up)) => {
                self.counts.sent += 1;
                self.counts.given_up += given_up;
                Sent::Numbered(hash_of(path))
            }
            None if refuses => Sent::Refused,
            None => {
                self.counts.plain += 1;
                Sent::Plain
            }
        }
    }

    /// Records a packet that has come with a number. Returns false if it has come before.
    pub(crate) fn arrives(&mut self, tunnel: Tunnel, numbered: Numbered) -> bool {
        let now = self.now;
        let channel = self.channel(tunnel);
        let (is_new, due) = (channel.arrives(now, numbered), channel.deadline());
        self.is_due(due);
        self.counts.copies += u64::from(!is_new);
        is_new
    }

    /// Records what the other switch has said.
    pub(crate) fn told(&mut self, tunnel: Tunnel, message: Message) {
        let now = self.now;
        let channel = self.channel(tunnel);
        channel.told(now, message);
        let due = channel.deadline();
        self.is_due(due);
    }

    fn is_due(&mut self, at: Option<Instant>) {
        self.due = [self.due, at].into_iter().flatten().min();
    }

    /// Does what is due: acknowledges, sends again, asks. Appends the frames to be sent.
    pub(crate) fn tend(&mut self, gateway: impl Fn(u32) -> Option<MacAddress>, out: &mut Vec<Outgoing>) {
        let now = self.now;
        // A VPC that is gone has no tunnels.
        self.channels.retain(|tunnel, _| gateway(tunnel.0).is_some());
        for (tunnel, channel) in &mut self.channels {
            let Some(gateway) = gateway(tunnel.0) else { continue };
            let (again, given_up) =
                channel.tend(now, gateway, &mut |packet, path| out.push((*tunnel, packet, hash_of(path))));
            self.counts.retransmitted += again;
            self.counts.given_up += given_up;
        }
        self.due = self.channels.values().filter_map(Channel::deadline).min();
    }

    /// Returns a time before which nothing is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.due
    }
}

impl ReliableOptions {
    /// Returns true if tunnels with an endpoint, as a number, are reliable.
    pub(crate) fn has(&self, endpoint: u128) -> bool {
        self.endpoints.iter().any(|own| number(*own) == endpoint)
    }
}

/// Draws the number of a sender.
fn drawn(seed: &mut u64, tunnel: Tunnel) -> u32 {
    *seed = basis::mix(*seed ^ tunnel.1 as u64);
    *seed as u32
}

/// Returns the hash from which the source port of a path is taken: each path has one port, so that what is learned about a path
/// holds for all its packets.
fn hash_of(path: u8) -> u64 {
    u64::from(path) * 2039 + 11
}
