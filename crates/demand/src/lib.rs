//! What hosts want to be carried: messages, and the applications that ask for them.
//!
//! An [`Application`] lives on one host. It is told the time and what became of messages, and says which messages it
//! wants sent. It knows no transport: the host hands its messages to whichever it has.
//!
//! A [`Workload`] is a plan of what all hosts of a network want, and makes their applications.

mod all_to_all;
mod draw;
mod extent;
mod flow_sizes;
mod matrix;
mod on_off;
mod parse;
mod poisson;
mod requests;
mod scheduled;
mod together;
mod workload;

use basis::snapshot::Snapshot;
use basis::{Instant, Rate};
use node::NotBegun;
use serde::{Deserialize, Serialize};

pub use all_to_all::AllToAll;
pub use flow_sizes::{FlowSizeTable, FlowSizes};
pub use matrix::Matrix;
pub use on_off::OnOff;
pub use poisson::{End, MessageSizes, Poisson};
pub use requests::{Ping, Requests};
pub use workload::{Incast, Unfit, Workload, WorkloadPlan};

/// A host, as far as demands depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostOf {
    /// Its IPv4 address, as a number.
    pub address: u32,
    /// How fast it can send.
    pub rate: Rate,
}

/// A message that an application wants carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its number among the messages of this host, from 0, given by the host.
    pub number: u32,
    /// The IPv4 address of the host to which it goes, as a number.
    pub destination: u32,
    /// How many bytes; at least 1.
    pub bytes: u64,
    /// How urgent; 0 is the least.
    pub priority: u8,
    /// For which of the applications at the destination it is: a port. Transports carry it.
    pub service: u16,
    /// What the application knows it by. It comes back when the message is finished and never leaves the host.
    pub tag: u32,
}

/// What an application asks its host to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The IPv4 address of the host to which it goes, as a number.
    pub destination: u32,
    /// How many bytes; at least 1.
    pub bytes: u64,
    /// How urgent; 0 is the least.
    pub priority: u8,
    /// For which of the applications at the destination it is: a port. Transports carry it.
    pub service: u16,
    /// What the application knows it by. It comes back when the message is finished and never leaves the host.
    pub tag: u32,
}

impl Wanted {
    /// The message that it becomes when its host numbers it.
    pub fn numbered(self, number: u32) -> Message {
        let Self { destination, bytes, priority, service, tag } = self;
        Message { number, destination, bytes, priority, service, tag }
    }
}

/// A message of which every byte is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrived {
    /// The IPv4 address of the host that sent it, as a number.
    pub source: u32,
    /// Its number among the messages of that host.
    pub number: u32,
    /// How many bytes.
    pub bytes: u64,
    /// For which of the applications here it is, as the sender said.
    pub service: u16,
}

/// What runs on a host and wants messages carried. A state machine: no clock, no randomness but from its seed.
pub trait Application: Send + Snapshot {
    /// When it next wants to be woken, if time alone decides.
    fn deadline(&self) -> Option<Instant>;

    /// Its deadline has come.
    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>);

    /// A message for this host is here.
    fn arrived(&mut self, now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        let _ = (now, message, wanted);
    }

    /// A message of this host is known to have arrived, or was given up.
    fn finished(&mut self, now: Instant, message: Message, wanted: &mut Vec<Wanted>) {
        let _ = (now, message, wanted);
    }

    /// At least so many more messages it will ask for of its own accord; 0 only if there are no more but answers to
    /// what arrives. `None` if there is no end.
    fn remaining(&self) -> Option<u64>;

    /// Tells what it would ask for of its own accord and has not asked for, and why; nothing of what has no end.
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let count = self.remaining().unwrap_or(0);
        if count > 0 {
            let why = match self.deadline() {
                Some(at) => would_begin(at),
                None => "begins when others are finished".to_owned(),
            };
            tell(NotBegun { count, destination: None, bytes: None, why });
        }
    }
}

/// Says when something would begin by itself.
fn would_begin(at: Instant) -> String {
    format!("would begin at {at}")
}
