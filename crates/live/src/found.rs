//! Finding out what an interface would be before it is opened.

use std::io;

use crate::frames::ETHERNET;
use crate::kinds::{Options, split};
use crate::link_watch::LinkWatch;
use crate::packet_socket::index;
use crate::{PacketSocket, namespace};

/// The thing that opening an interface would find.
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
    // Without a kind, it is a packet socket or a TAP interface.
    let link = kind.map_or(Some(rest), |kind| (kind.link)(rest));
    let Some(link) = link else { return Ok(Found::Other) };
    namespace::within(options.namespace.as_deref(), || {
        if !PacketSocket::exists(link) {
            return Ok(Found::Nothing);
        }
        let watch = index(link).and_then(|index| LinkWatch::new(link, index)).ok();
        // An MTU does not count the Ethernet header.
        let mtu = |frame: u32| frame.saturating_sub(ETHERNET as u32);
        Ok(Found::Link(watch.and_then(|watch| watch.longest_frame()).map(mtu)))
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
