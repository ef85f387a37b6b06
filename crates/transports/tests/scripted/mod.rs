//! Hosts and a scripted network between them, in virtual time.
//!
//! The tests of each protocol define what they record of a packet ([`Sight`]), how fast the paths between hosts are
//! ([`Ways`]) and what happens to each packet (a rule that returns its [`Fate`]).
#![allow(dead_code)] // Each test file uses a part of it.

mod account;
pub mod harm;
pub mod last_hop;
mod network;
mod script;
pub mod turns;

use basis::{Duration, Instant};
use demand::Wanted;
use node::Link;
use wire::{Ethernet, Ipv4, Packet};

use last_hop::LastHop;
pub use network::Network;

/// The address of a host.
pub fn address(host: usize) -> u32 {
    0x0A00_0000 + host as u32
}

/// The index of the host with an address.
fn host_of(address_bits: u32) -> usize {
    (address_bits - address(0)) as usize
}

pub const fn microseconds(count: u64) -> Duration {
    Duration::from_microseconds(count)
}

/// The mutable IPv4 header of a packet.
pub fn ipv4_of(packet: &mut Packet) -> Ipv4<&mut [u8]> {
    Ipv4::new(&mut packet.head.bytes_mut()[Ethernet::<&[u8]>::LENGTH..]).expect("IPv4")
}

/// The index of the host that a packet is addressed to.
pub fn destination(packet: &Packet) -> usize {
    let ipv4 = Ipv4::new(&packet.head.bytes()[Ethernet::<&[u8]>::LENGTH..]).expect("IPv4");
    host_of(ipv4.destination_bits())
}

/// A message to a host.
pub fn wanted(to: usize, bytes: u64) -> Wanted {
    Wanted::of_length(address(to), bytes)
}

/// A message to send: the time in microseconds, the index of the host, and the message.
pub type Wants = (u64, usize, Wanted);

/// The paths between hosts, which are all equally fast.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    pub link: Link,
    /// The time from the end of a packet's transmission to its arrival.
    pub delay: Duration,
    /// The time by which every run must have ended.
    pub limit: Instant,
}

/// What happens to a packet in the network.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    Pass,
    Drop,
    /// Marks it as having met congestion, if it is ECN-capable.
    Mark,
    /// Changes it. It then goes to its new destination, in the time that it would have needed to the old one.
    Change(fn(&mut Packet)),
    /// Delivers it with this additional delay.
    Late(Duration),
    /// Delivers it, and a copy with this additional delay.
    Twice(Duration),
}

/// A packet as it leaves a host.
pub struct Left<'a> {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub packet: &'a Packet,
}

/// What the tests of a protocol record of a packet that leaves a host.
pub trait Sight: Sized {
    /// The port at which packets may have to wait before they reach a host.
    type LastHop: LastHop;

    /// Records a packet, given the records of all packets `before` it.
    fn of(left: Left<'_>, before: &[Self]) -> Self;
}
