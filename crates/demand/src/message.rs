//! Messages: what an application asks for, what its host makes of it, and what arrives at the other end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What a message carries. Where only its length matters, nothing that carries it holds or copies a byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// So many bytes, at least 1, whose values do not matter. Who reads them reads zeros.
    Length(u64),
    /// These bytes, at least 1.
    Bytes(Arc<[u8]>),
}

/// To whom a message goes: IPv4 addresses of hosts, as numbers.
///
/// Unless a transport says that it multicasts, a host sends a message for several hosts as one message to each: each has
/// a number of its own, and its application is told of each what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destinations {
    /// One host.
    One(u32),
    /// Several hosts, in this order. Of none nothing is sent.
    Several(Arc<[u32]>),
}

/// What an application asks its host to send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// To whom it goes.
    pub destinations: Destinations,
    /// What it carries.
    pub content: Content,
    /// How urgent; 0 is the least.
    pub priority: u8,
    /// For which of the applications at the destination it is: a port. Transports carry it.
    pub service: u16,
    /// What the application knows it by. It comes back when the message is finished and never leaves the host.
    pub tag: u32,
}

/// A message that an application wants carried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its number among the messages of this host, from 0, given by the host.
    pub number: u32,
    /// To whom it goes; several hosts only where its transport multicasts.
    pub destinations: Destinations,
    /// What it carries.
    pub content: Content,
    /// How urgent; 0 is the least.
    pub priority: u8,
    /// For which of the applications at the destination it is: a port. Transports carry it.
    pub service: u16,
    /// What the application knows it by. It comes back when the message is finished and never leaves the host.
    pub tag: u32,
}

/// A message of which every byte is here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrived {
    /// The IPv4 address of the host that sent it, as a number.
    pub source: u32,
    /// Its number among the messages of that host.
    pub number: u32,
    /// What it carries: bytes only if its packets had them.
    pub content: Content,
    /// For which of the applications here it is, as the sender said.
    pub service: u16,
}

impl Content {
    /// How many bytes.
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
    /// All of them.
    #[inline]
    pub fn all(&self) -> &[u32] {
        match self {
            Self::One(address) => std::slice::from_ref(address),
            Self::Several(addresses) => addresses,
        }
    }

    /// The host to which it goes if it is for one.
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
    /// A message of so many bytes whose values do not matter, to one host, for service 0 and not urgent.
    pub fn of_length(destination: u32, bytes: u64) -> Self {
        Self { destinations: Destinations::One(destination), content: Content::Length(bytes), ..Self::default() }
    }

    /// The same for another host.
    pub fn to(&self, destination: u32) -> Self {
        Self { destinations: Destinations::One(destination), ..self.clone() }
    }

    /// The same with so many bytes whose values do not matter.
    pub fn with_length(&self, bytes: u64) -> Self {
        Self { content: Content::Length(bytes), ..self.clone() }
    }

    /// One message for each host to which it goes.
    pub fn unfolded(self) -> impl Iterator<Item = Self> {
        let count = self.destinations.all().len();
        (0..count).map(move |place| self.to(self.destinations.all()[place]))
    }

    /// The message that it becomes when its host numbers it.
    pub fn numbered(self, number: u32) -> Message {
        let Self { destinations, content, priority, service, tag } = self;
        Message { number, destinations, content, priority, service, tag }
    }
}

impl Message {
    /// The host to which it goes; of several, the first.
    ///
    /// Panics if it is for none, which no host sends.
    #[inline]
    pub fn destination(&self) -> u32 {
        self.destinations.all()[0]
    }

    /// How many bytes it has.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.content.length()
    }
}

impl Arrived {
    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.content.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_for_several_hosts_unfolds_into_one_for_each() {
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
