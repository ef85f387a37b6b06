//! The contract that every transport implements.

use std::fmt;
use std::net::Ipv4Addr;

use basis::Instant;
use demand::{Arrived, Content, Message};
use node::{MessageProgress, SenderState};
use serde::{Deserialize, Serialize};

use crate::Endpoint;

/// A notification from a transport to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A message from another host has arrived in full. It is reported once.
    Arrived(Arrived),
    /// A message of this host is known to have arrived in full.
    Completed(Message),
    /// A message of this host was abandoned, as the transport's specification provides.
    Abandoned(Message),
}

/// The reason why a transport does not carry a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The message has content, but packets of this transport carry only the lengths of payloads, not their bytes.
    HasContent,
    /// The content is longer than the transport can hold, which is the given number of bytes.
    LongContent(u64),
    /// The message does not have exactly one destination.
    SeveralDestinations,
}

impl Refusal {
    /// Accepts a message for one host whose content, if it has any, has at most `longest` bytes, and refuses all others.
    pub(crate) fn unless_for_one_within(message: Message, longest: u64) -> Result<Message, (Message, Self)> {
        if matches!(message.content, Content::Bytes(_)) && message.bytes() > longest {
            return Err((message, Self::LongContent(longest)));
        }
        Self::unless_for_one(message)
    }

    fn unless_for_one(message: Message) -> Result<Message, (Message, Self)> {
        match message.destinations.one() {
            Some(_) => Ok(message),
            None => Err((message, Self::SeveralDestinations)),
        }
    }

    /// Accepts a message for one host without content and refuses all others, for transports that carry only lengths.
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
            Self::HasContent => f.write_str("its transport carries only the lengths of messages, not their content"),
            Self::LongContent(most) => {
                write!(f, "its content exceeds the {most} bytes that its transport can hold")
            }
            Self::SeveralDestinations => f.write_str("its transport carries each message to exactly one host"),
        }
    }
}

/// The transport of one host with all its connections: an [`Endpoint`] that carries messages from one host to another, and
/// reports what has become of them. [`Endpoint::waiting`] returns its messages that are not finished.
pub trait Transport: Endpoint<Vec<Notice>> {
    /// Accepts a message to send. Message numbers must be submitted in ascending order.
    ///
    /// # Panics
    /// Transports may panic if a message with this or a higher number was submitted before.
    ///
    /// # Errors
    /// The message and a reason, if this transport does not carry such messages.
    fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)>;

    /// Returns true if the transport accepts messages for several hosts. If it does not, the host submits a message for
    /// each destination.
    fn multicasts(&self) -> bool {
        false
    }

    /// Reports how much has arrived of each message that has begun and is not finished. A transport reports either the
    /// messages that it receives or those that it sends.
    fn progress(&self, tell: &mut dyn FnMut(MessageProgress));

    /// Reports what the transport knows at `now` of each message that it sends and that is not finished. Quantities that
    /// it does not have, such as the congestion window of a transport whose receivers grant credit, are left out.
    fn senders(&self, now: Instant, tell: &mut dyn FnMut(SenderState)) {
        let _ = (now, tell);
    }
}

/// Describes an unfinished message in words.
pub(crate) fn description(message: &Message) -> String {
    let destination = Ipv4Addr::from_bits(message.destination());
    format!("message {} of {} bytes to {destination}", message.number, message.bytes())
}
