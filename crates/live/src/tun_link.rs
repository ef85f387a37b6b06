//! What the kernel knows of TAP interfaces, as it tells by netlink (rtnetlink(7)): that knows the network namespace of the thread, while
//! `/sys` shows the one in which it was mounted.

use std::io;

use netlink_packet_core::{NetlinkMessage, NetlinkPayload, Nla};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{InfoData, LinkAttribute, LinkInfo, LinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

use crate::link_watch::request_of;

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
    let infos = link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::LinkInfo(infos) => Some(infos),
        _ => None,
    })?;
    let of_driver = infos.iter().find_map(|info| match info {
        LinkInfo::Data(InfoData::Tun(of_driver)) => Some(of_driver),
        _ => None,
    })?;
    let byte = |kind: u16| {
        let attribute = of_driver.iter().find(|attribute| attribute.kind() == kind)?;
        let mut value = vec![0; attribute.value_len()];
        attribute.emit_value(&mut value);
        value.first().copied()
    };
    (byte(IFLA_TUN_TYPE) == Some(IFF_TAP)).then(|| TapLink { is_persistent: byte(IFLA_TUN_PERSIST) == Some(1) })
}

/// Asks the kernel for the interface of a name.
fn link(name: &str) -> io::Result<Option<LinkMessage>> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind(&SocketAddr::new(0, 0))?;
    socket.send(&request_of(name), 0)?;
    // There is one answer: the interface, or an error if there is none.
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer).map_err(io::Error::other)?;
    Ok(match answer.payload {
        NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewLink(link)) => Some(link),
        _ => None,
    })
}
