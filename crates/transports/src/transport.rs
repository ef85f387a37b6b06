//! The contract of every transport.

use std::fmt;
use std::net::Ipv4Addr;

use basis::Instant;
use basis::snapshot::Snapshot;
use demand::{Arrived, Content, Message};
use node::{Counter, Progress, Reason, Waiting};
use serde::{Deserialize, Serialize};
use wire::Packet;

/// What a transport tells the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Every byte of a message from elsewhere is here; told once for each message.
    Arrived(Arrived),
    /// A message of ours is known to have arrived in full.
    Completed(Message),
    /// A message of ours was given up, as the transport's specification says.
    Abandoned(Message),
}

/// Why a transport does not carry a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// It has content, and packets of this transport carry no bytes but those of their headers.
    HasContent,
    /// Its content is longer than the transport holds, which is so many bytes.
    LongContent(u64),
    /// It is not for one host.
    SeveralDestinations,
}

impl Refusal {
    /// Passes on a message for one host, for transports that do not multicast.
    pub(crate) fn unless_for_one(message: Message) -> Result<Message, (Message, Self)> {
        match message.destinations.one() {
            Some(_) => Ok(message),
            None => Err((message, Self::SeveralDestinations)),
        }
    }

    /// Passes on a length for one host, for transports that carry nothing else.
    pub(crate) fn unless_length_for_one(message: Message) -> Result<Message, (Message, Self)> {
        match message.content {
            Content::Length(_) => Self::unless_for_one(message),
            Content::Bytes(_) => Err((message, Self::HasContent)),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HasContent => f.write_str("its transport carries the lengths of messages and not their bytes"),
            Self::LongContent(most) => {
                write!(f, "its content is longer than the {most} bytes that its transport holds")
            }
            Self::SeveralDestinations => f.write_str("its transport carries messages to one host each"),
        }
    }
}

/// A transport of one host, with all its connections: a state machine that is told the time.
///
/// After any call, its host asks [`Transport::transmit`] while the line is free, and [`Transport::deadline`].
/// Packets are made when the line can take them, so that nothing waits between transport and line.
pub trait Transport: Send + Snapshot {
    /// Takes a message to send. Its number is new.
    ///
    /// # Errors
    /// The message again, if it is one that this transport does not carry, and why.
    fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)>;

    /// True if it takes messages for several hosts. To one that does not, its host gives a message for each.
    fn multicasts(&self) -> bool {
        false
    }

    /// Takes a packet that the line brought.
    ///
    /// # Errors
    /// The packet again, with a reason, if it is none for this transport.
    fn receive(&mut self, now: Instant, packet: Packet, notices: &mut Vec<Notice>) -> Result<(), (Packet, Reason)>;

    /// Its deadline has come.
    fn wake(&mut self, now: Instant, notices: &mut Vec<Notice>);

    /// The next packet to send, now that the line is free; `None` if there is none before the next call of another
    /// method.
    fn transmit(&mut self, now: Instant) -> Option<Packet>;

    /// The next packet to send while the line's other end wants no data (IEEE 802.1Qbb): one of another priority. A
    /// transport that does not tell its packets apart has none.
    fn transmit_while_paused(&mut self, now: Instant) -> Option<Packet> {
        let _ = now;
        None
    }

    /// True if [`Transport::transmit`] may give a packet at `at`, which is not before the last call, if nothing else is
    /// called until then. It may say true too often, which costs its host a call; never too seldom.
    fn is_ready(&self, at: Instant) -> bool;

    /// When it wants to be woken, if at all: the earliest of its timers and pacers.
    fn deadline(&self) -> Option<Instant>;

    /// Messages that are not finished, and for what each waits.
    fn waiting(&self, now: Instant) -> Vec<Waiting>;

    /// Tells how much of messages has arrived that have begun and are not finished: of those that it receives, or of those
    /// that it sends.
    fn progress(&self, tell: &mut dyn FnMut(Progress));

    /// Tells everything that it has counted, in a fixed order.
    fn counters(&self, tell: &mut dyn FnMut(Counter));
}

/// What people read of a message that is not finished.
pub(crate) fn description(message: &Message) -> String {
    let destination = Ipv4Addr::from_bits(message.destination());
    format!("message {} of {} bytes to {destination}", message.number, message.bytes())
}
