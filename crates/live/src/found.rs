//! What opening an interface would find.

use std::io;

use crate::kinds::{Options, split};
use crate::link_watch::LinkWatch;
use crate::packet_socket::index;
use crate::{PacketSocket, namespace};

/// The length of an Ethernet header, which an MTU does not count.
const ETHERNET: u32 = 14;

/// What opening an interface would find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// No interface of Linux is there, and a TAP interface would be made.
    Nothing,
    /// An interface of Linux, with the longest packet that it passes, in bytes without the Ethernet header; `None` if that is not known.
    Link(Option<u32>),
    /// Something else than an interface of Linux, such as a socket or files.
    Other,
}

/// Returns what opening the interface of a name would find, without touching it.
///
/// # Errors
///
/// Returns the error of the system if there is no such kind or network namespace.
pub fn found(name: &str, options: &Options) -> io::Result<Found> {
    let (kind, rest) = split(name, options)?;
    let link = match kind.map(|kind| kind.name) {
        None | Some("tap" | "packet") => rest,
        // What follows a comma says how it is opened.
        Some("xdp") => rest.split(',').next().unwrap_or(rest),
        Some(_) => return Ok(Found::Other),
    };
    namespace::within(options.namespace.as_deref(), || {
        if !PacketSocket::exists(link) {
            return Ok(Found::Nothing);
        }
        let watch = index(link).and_then(|index| LinkWatch::new(link, index)).ok();
        Ok(Found::Link(watch.and_then(|watch| watch.longest_frame()).map(|frame| frame.saturating_sub(ETHERNET))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_from_what_is_not_there_and_from_what_is_no_link() {
        let found = |name: &str| found(name, &Options::default()).expect("a kind");
        assert!(matches!(found("lo"), Found::Link(Some(mtu)) if mtu >= 1500), "{:?}", found("lo"));
        assert_eq!(found("packet:lo"), found("lo"));
        assert_eq!([found("no-such"), found("tap:no-such")], [Found::Nothing; 2]);
        assert_eq!(found("udp:127.0.0.1:0,127.0.0.1:1"), Found::Other);
    }
}
