//! What the kernel knows of TAP interfaces, as it tells by netlink (rtnetlink(7)): that knows the network namespace of the thread, while
//! `/sys` shows the one in which it was mounted.

use std::io;

use netlink_packet_core::{NetlinkMessage, NetlinkPayload};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

use crate::link_message::{Link, LinkMessage, attribute, request_of};

/// The attributes of the driver (linux/if_link.h): the kind of the interface, and whether it stays when nobody has it open.
const IFLA_TUN_TYPE: u16 = 3;
const IFLA_TUN_PERSIST: u16 = 6;
/// The kind of an interface whose packets are Ethernet frames (linux/if_tun.h).
const IFF_TAP: u8 = 2;

/// A TAP interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapLink {
    /// Whether it stays when nobody has it open.
    pub is_persistent: bool,
}

/// Returns what is known of the TAP interface of a name in the network namespace of this thread; `None` if there is none.
pub fn tap_link(name: &str) -> Option<TapLink> {
    let link = link(name).ok()??;
    let of_driver = link.of_driver("tun")?;
    let byte = |kind: u16| attribute(of_driver, kind)?.first().copied();
    (byte(IFLA_TUN_TYPE) == Some(IFF_TAP)).then(|| TapLink { is_persistent: byte(IFLA_TUN_PERSIST) == Some(1) })
}

/// Asks the kernel for the interface of a name.
fn link(name: &str) -> io::Result<Option<Link>> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind(&SocketAddr::new(0, 0))?;
    socket.send(&request_of(name), 0)?;
    // There is one answer: the interface, or an error if there is none.
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<LinkMessage>::deserialize(&answer).map_err(io::Error::other)?;
    Ok(match answer.payload {
        NetlinkPayload::InnerMessage(LinkMessage::There(link)) => Some(link),
        _ => None,
    })
}
