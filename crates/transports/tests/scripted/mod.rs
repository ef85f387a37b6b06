//! Hosts, and a network between them that does with each packet what a script says, in virtual time.
//!
//! The tests of each protocol say what they see in a packet ([`Sight`]), how fast the ways between hosts are ([`Ways`])
//! and what becomes of each packet (a rule that gives its [`Fate`]).
#![allow(dead_code)] // each test file uses some of it

mod account;
pub mod harm;
pub mod last_hop;
mod network;
mod script;
pub mod turns;

use basis::{Duration, Instant};
use demand::Wanted;
use node::Line;
use wire::{Ethernet, Ipv4, Packet};

use last_hop::LastHop;
pub use network::Network;

/// The address of a host.
pub fn address(host: usize) -> u32 {
    0x0A00_0000 + host as u32
}

/// Which host has an address.
fn host_of(address_bits: u32) -> usize {
    (address_bits - address(0)) as usize
}

pub const fn microseconds(count: u64) -> Duration {
    Duration::from_microseconds(count)
}

/// The IPv4 header of a packet, to be changed.
pub fn ipv4_of(packet: &mut Packet) -> Ipv4<&mut [u8]> {
    Ipv4::new(&mut packet.head.bytes_mut()[Ethernet::<&[u8]>::LENGTH..]).expect("IPv4")
}

/// The host to which a packet goes.
pub fn destination(packet: &Packet) -> usize {
    let ipv4 = Ipv4::new(&packet.head.bytes()[Ethernet::<&[u8]>::LENGTH..]).expect("IPv4");
    host_of(ipv4.destination_bits())
}

/// A message to a host.
pub fn wanted(to: usize, bytes: u64) -> Wanted {
    Wanted::of_length(address(to), bytes)
}

/// Who wants a message sent: when in microseconds, at which host, what.
pub type Wants = (u64, usize, Wanted);

/// The ways between hosts, each as fast as the others.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    pub line: Line,
    /// How long a packet is under way, once it has left.
    pub delay: Duration,
    /// Who is still busy then will always be.
    pub limit: Instant,
}

/// What the network does with a packet.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    Pass,
    Drop,
    /// Marks it as having met congestion, if it may be.
    Mark,
    /// Changes it. It goes where it says afterwards, in the time that it would have needed before.
    Change(fn(&mut Packet)),
    /// Delivers it after this much more time.
    Late(Duration),
    /// Delivers it, and again after this much more time.
    Twice(Duration),
}

/// A packet as it leaves a host.
pub struct Left<'a> {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub packet: &'a Packet,
}

/// What the tests of a protocol see in a packet that leaves a host.
pub trait Sight: Sized {
    /// What packets may have to wait at before they come to a host.
    type LastHop: LastHop;

    /// Looks at a packet, after those that have left `before`.
    fn of(left: Left<'_>, before: &[Self]) -> Self;
}
