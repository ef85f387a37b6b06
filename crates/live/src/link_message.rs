//! Messages of the kernel about links (rtnetlink(7)), with the fields and attributes that are needed here.
//!
//! `netlink-packet-route`, which knows all attributes of all messages, takes as long to compile as all other libraries of this room
//! together; framing and attributes come from `netlink-packet-core`, on which it is built.

use std::convert::Infallible;

use netlink_packet_core::{
    NLM_F_REQUEST, NetlinkDeserializable, NetlinkHeader, NetlinkMessage, NetlinkPayload, NetlinkSerializable,
    NlasIterator,
};

/// The types of messages (linux/rtnetlink.h).
const RTM_NEWLINK: u16 = 16;
const RTM_DELLINK: u16 = 17;
const RTM_GETLINK: u16 = 18;

/// Attributes of a link, of its information, and of what its driver tells (linux/if_link.h).
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_LINKINFO: u16 = 18;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;

/// Flags of a link (linux/if.h): it is up by its administrator, and it has a carrier.
const IFF_UP: u32 = 1;
const IFF_LOWER_UP: u32 = 1 << 16;

/// The length in bytes of the header of a message about a link (`struct ifinfomsg`).
const HEADER: usize = 16;

/// The news of a message: a link that is there or gone, or something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkMessage {
    /// There is such a link, or it has changed.
    There(Link),
    /// The link is gone from the network namespace.
    Gone(Link),
    /// Something else.
    Other,
}

/// A link, as a message describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of the interface.
    pub index: u32,
    /// Whether the message is about the interface itself (`AF_UNSPEC`), and not about its role in another one, such as a port of a bridge.
    pub is_of_interface: bool,
    flags: u32,
    attributes: Box<[u8]>,
}

impl Link {
    fn read(payload: &[u8]) -> Option<Self> {
        let (header, attributes) = payload.split_first_chunk::<HEADER>()?;
        let word = |at: usize| u32::from_ne_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let is_of_interface = header[0] == 0;
        Some(Self { index: word(4), is_of_interface, flags: word(8), attributes: attributes.into() })
    }

    /// Returns true if the interface carries packets: its administrator wants that, and it has a carrier.
    pub fn is_up(&self) -> bool {
        self.flags & (IFF_UP | IFF_LOWER_UP) == IFF_UP | IFF_LOWER_UP
    }

    /// Returns true if the interface has this name.
    pub fn is_named(&self, name: &str) -> bool {
        attribute(&self.attributes, IFLA_IFNAME).is_some_and(|value| text(value) == name.as_bytes())
    }

    /// Returns the longest packet in bytes that the interface sends, without the header of its link; `None` if the message does not
    /// tell.
    pub fn mtu(&self) -> Option<u32> {
        Some(u32::from_ne_bytes(attribute(&self.attributes, IFLA_MTU)?.try_into().ok()?))
    }

    /// Returns the attributes that a driver of this kind tells, for [`attribute`]; `None` if the link is of another kind.
    pub fn of_driver(&self, kind: &str) -> Option<&[u8]> {
        let information = attribute(&self.attributes, IFLA_LINKINFO)?;
        let is_it = text(attribute(information, IFLA_INFO_KIND)?) == kind.as_bytes();
        attribute(information, IFLA_INFO_DATA).filter(|_| is_it)
    }
}

/// Returns the value of the first attribute of a kind; `None` if there is none before the end or before one that is malformed.
pub fn attribute(attributes: &[u8], kind: u16) -> Option<&[u8]> {
    let mut all = NlasIterator::new(attributes).map_while(Result::ok);
    let found = all.find(|attribute| attribute.kind() == kind)?;
    found.into_inner().get(4..usize::from(found.length()))
}

/// Returns a text of the kernel without the zero that may end it.
fn text(value: &[u8]) -> &[u8] {
    value.strip_suffix(&[0]).unwrap_or(value)
}

impl NetlinkDeserializable for LinkMessage {
    type Error = Infallible;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Self, Infallible> {
        let link = Link::read(payload);
        Ok(match (header.message_type, link) {
            (RTM_NEWLINK, Some(link)) => Self::There(link),
            (RTM_DELLINK, Some(link)) => Self::Gone(link),
            _ => Self::Other,
        })
    }
}

/// The request for the link of a name.
struct LinkRequest(String);

impl NetlinkSerializable for LinkRequest {
    fn message_type(&self) -> u16 {
        RTM_GETLINK
    }

    fn buffer_len(&self) -> usize {
        HEADER + (4 + self.0.len() + 1).next_multiple_of(4)
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer.fill(0);
        let (length, name) = (4 + self.0.len() as u16 + 1, self.0.as_bytes());
        buffer[HEADER..][..2].copy_from_slice(&length.to_ne_bytes());
        buffer[HEADER + 2..][..2].copy_from_slice(&IFLA_IFNAME.to_ne_bytes());
        buffer[HEADER + 4..][..name.len()].copy_from_slice(name);
    }
}

/// Returns the message that asks the kernel for the interface of a name.
pub fn request_of(name: &str) -> Vec<u8> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(LinkRequest(name.to_owned())));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message as the kernel sends it: header, `struct ifinfomsg`, and attributes, each with its length and kind.
    fn message(kind: u16, family: u8, flags: u32, attributes: &[u8]) -> Vec<u8> {
        let mut bytes = (16 + 16 + attributes.len() as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 10]);
        bytes.extend([family, 0, 0, 0]);
        bytes.extend(7u32.to_ne_bytes());
        bytes.extend(flags.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(attributes);
        bytes
    }

    fn put(kind: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = (4 + value.len() as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(value);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn read(bytes: &[u8]) -> LinkMessage {
        match NetlinkMessage::<LinkMessage>::deserialize(bytes).expect("a message").payload {
            NetlinkPayload::InnerMessage(message) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_link_has_what_its_message_says() {
        let of_driver = [put(3, &[2]), put(6, &[1])].concat();
        let information = [put(IFLA_INFO_KIND, b"tun\0"), put(IFLA_INFO_DATA, &of_driver)].concat();
        // The kernel marks attributes that have attributes in them.
        let nested = put(IFLA_LINKINFO | 1 << 15, &information);
        let attributes = [put(IFLA_IFNAME, b"tap0\0"), put(IFLA_MTU, &1500u32.to_ne_bytes()), nested].concat();
        let LinkMessage::There(link) = read(&message(16, 0, IFF_UP | IFF_LOWER_UP, &attributes)) else {
            panic!("a link")
        };
        assert_eq!((link.index, link.is_of_interface, link.is_up(), link.mtu()), (7, true, true, Some(1500)));
        assert!(link.is_named("tap0") && !link.is_named("tap") && !link.is_named("tap00"));
        let told = link.of_driver("tun").expect("what the driver tells");
        assert_eq!(
            (attribute(told, 3), attribute(told, 6), attribute(told, 1)),
            (Some(&[2][..]), Some(&[1][..]), None)
        );
        assert_eq!(link.of_driver("veth"), None);
    }

    #[test]
    fn a_link_without_carrier_is_down_and_a_port_of_a_bridge_is_not_the_interface() {
        let LinkMessage::Gone(link) = read(&message(17, 7, IFF_UP, &[])) else { panic!("a link") };
        assert_eq!((link.is_of_interface, link.is_up(), link.mtu(), link.of_driver("tun")), (false, false, None, None));
    }

    #[test]
    fn other_and_cut_messages_tell_nothing() {
        assert_eq!(read(&message(24, 0, 0, &[])), LinkMessage::Other, "a route");
        let mut cut = message(16, 0, 0, &[]);
        cut.truncate(28);
        cut[0] = 28;
        assert_eq!(read(&cut), LinkMessage::Other);
        // An attribute that says that it is longer than the message, and one that is shorter than its own header.
        for length in [200u16, 3] {
            let mut malformed = put(IFLA_MTU, &[0; 4]);
            malformed[..2].copy_from_slice(&length.to_ne_bytes());
            let LinkMessage::There(link) = read(&message(16, 0, 0, &malformed)) else { panic!("a link") };
            assert_eq!(link.mtu(), None);
        }
    }

    #[test]
    fn a_request_has_the_name_and_its_zero() {
        let bytes = request_of("tap10");
        let attribute = [&10u16.to_ne_bytes()[..], &3u16.to_ne_bytes(), b"tap10\0\0\0"].concat();
        assert_eq!(bytes[..8], [&44u32.to_ne_bytes()[..], &18u16.to_ne_bytes(), &1u16.to_ne_bytes()].concat());
        assert_eq!(bytes[32..], attribute);
        assert_eq!(bytes[8..32], [0; 24]);
    }
}
