//! Messages: as an application asks for them, as its host numbers them, and as they arrive at the receiver.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The content of a message. If only its length matters, neither hosts nor packets hold or copy any bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// A number of bytes, at least 1, whose values do not matter. Readers see zeros.
    Length(u64),
    /// Actual bytes, at least 1.
    Bytes(Arc<[u8]>),
}

/// The destinations of a message: IPv4 addresses of hosts, as numbers.
///
/// Unless its transport multicasts, a host sends a message for several hosts as one message to each. Each of these has
/// a number of its own, and the application is told the outcome of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destinations {
    /// One host.
    One(u32),
    /// Several hosts, in this order. If the list is empty, nothing is sent.
    Several(Arc<[u32]>),
}

/// A message that an application asks its host to send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The hosts that the message goes to.
    pub destinations: Destinations,
    /// The content of the message.
    pub content: Content,
    /// The priority; 0 is the least urgent.
    pub priority: u8,
    /// The port of the application at the destination that the message is for. Transports carry it.
    pub service: u16,
    /// The application's own name for the message. It comes back when the message finishes, and never leaves the host.
    pub tag: u32,
}

/// A message as a host gives it to its transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The message's number, which its host assigns in ascending order from 0.
    pub number: u32,
    /// The hosts that the message goes to; more than one only if the transport multicasts.
    pub destinations: Destinations,
    /// The content of the message.
    pub content: Content,
    /// The priority; 0 is the least urgent.
    pub priority: u8,
    /// The port of the application at the destination that the message is for. Transports carry it.
    pub service: u16,
    /// The application's own name for the message. It comes back when the message finishes, and never leaves the host.
    pub tag: u32,
}

/// A message that has arrived in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrived {
    /// The IPv4 address of the sender, as a number.
    pub source: u32,
    /// The message's number among those of the sender.
    pub number: u32,
    /// The content of the message: bytes only if its packets carried them.
    pub content: Content,
    /// The port of the application here that the message is for.
    pub service: u16,
}

impl Content {
    /// Returns the length in bytes.
    #[inline]
    pub fn length(&self) -> u64 {
        match self {
            Self::Length(length) => *length,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Length(0)
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl Destinations {
    /// Returns all destinations, in order.
    #[inline]
    pub fn all(&self) -> &[u32] {
        match self {
            Self::One(address) => std::slice::from_ref(address),
            Self::Several(addresses) => addresses,
        }
    }

    /// Returns the destination, if there is exactly one.
    #[inline]
    pub fn one(&self) -> Option<u32> {
        match self.all() {
            [address] => Some(*address),
            _ => None,
        }
    }
}

impl Default for Destinations {
    fn default() -> Self {
        Self::One(0)
    }
}

impl From<u32> for Destinations {
    fn from(address: u32) -> Self {
        Self::One(address)
    }
}

impl Wanted {
    /// Creates a message to one host with `bytes` bytes whose values do not matter, for service 0 and with the lowest
    /// priority.
    pub fn of_length(destination: u32, bytes: u64) -> Self {
        Self { destinations: Destinations::One(destination), content: Content::Length(bytes), ..Self::default() }
    }

    /// Returns a copy of this message that goes to `destination` alone.
    pub fn to(&self, destination: u32) -> Self {
        Self { destinations: Destinations::One(destination), ..self.clone() }
    }

    /// Returns a copy of this message with `bytes` bytes whose values do not matter.
    pub fn with_length(&self, bytes: u64) -> Self {
        Self { content: Content::Length(bytes), ..self.clone() }
    }

    /// Splits the message into one for each destination.
    pub fn unfolded(self) -> impl Iterator<Item = Self> {
        let count = self.destinations.all().len();
        (0..count).map(move |place| self.to(self.destinations.all()[place]))
    }

    /// Turns the request into a message with the number that its host assigns.
    pub fn numbered(self, number: u32) -> Message {
        let Self { destinations, content, priority, service, tag } = self;
        Message { number, destinations, content, priority, service, tag }
    }
}

impl Message {
    /// Returns the destination; if there are several, the first one.
    ///
    /// # Panics
    /// If the message has no destination; hosts never send such a message.
    #[inline]
    pub fn destination(&self) -> u32 {
        self.destinations.all()[0]
    }

    /// Returns the length in bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.content.length()
    }
}

impl Arrived {
    /// Returns the length in bytes.
    pub fn bytes(&self) -> u64 {
        self.content.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multicast_unfolds_into_one_message_per_host() {
        let content = Content::from(vec![1, 2, 3]);
        let wanted = Wanted { content, service: 7, ..Wanted::of_length(5, 1) };
        assert!(wanted.clone().unfolded().eq([wanted.clone()]));
        let several = Wanted { destinations: Destinations::Several([5, 9].into()), ..wanted.clone() };
        assert_eq!((several.destinations.one(), wanted.destinations.one()), (None, Some(5)));
        assert_eq!(several.unfolded().collect::<Vec<_>>(), [wanted.clone(), wanted.to(9)]);
        let none = Wanted { destinations: Destinations::Several([].into()), ..wanted };
        assert_eq!(none.unfolded().count(), 0);
    }
}
