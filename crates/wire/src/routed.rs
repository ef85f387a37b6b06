//! The steps of every router of IPv4 up to the look-up of its route.

use crate::headers::{Ethernet, Ipv4, ether_type};

/// Why a frame is not routed, before any route is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRouted {
    /// It is shorter than its headers.
    Malformed,
    /// It is not IPv4.
    OtherProtocol,
    /// Its time to live is over.
    TimeToLiveExceeded,
}

/// Decrements the time to live of an Ethernet frame as a router does (RFC 1812, section 5.3.1), and returns the IPv4 destination.
///
/// # Errors
/// If the frame is not to be routed; it is unchanged then.
#[inline]
pub fn routed_destination(frame: &mut [u8]) -> Result<u32, NotRouted> {
    let ethernet = Ethernet::new(&*frame).ok_or(NotRouted::Malformed)?;
    if ethernet.ether_type() != ether_type::IPV4 {
        return Err(NotRouted::OtherProtocol);
    }
    let mut ip = Ipv4::new(&mut frame[Ethernet::<&[u8]>::LENGTH..]).ok_or(NotRouted::Malformed)?;
    if !ip.decrement_time_to_live() {
        return Err(NotRouted::TimeToLiveExceeded);
    }
    Ok(ip.destination_bits())
}
