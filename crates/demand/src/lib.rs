//! What hosts want to be carried: messages, and the applications that ask for them.
//!
//! An [`Application`] lives on one host. It is told the time and what became of messages, and says which messages it
//! wants sent. It knows no transport: the host hands its messages to whichever it has. A [`Message`] carries bytes, or
//! only as many of them as it says, to one host or several.
//!
//! A [`Workload`] is a plan of what all hosts of a network want, and makes their applications.

mod all_to_all;
mod draw;
mod extent;
mod flow_sizes;
mod matrix;
mod message;
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

pub use all_to_all::AllToAll;
pub use flow_sizes::{FlowSizeTable, FlowSizes};
pub use matrix::Matrix;
pub use message::{Arrived, Content, Destinations, Message, Wanted};
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
