//! The traffic that hosts ask for: messages, the applications that request them, and workloads.
//!
//! An [`Application`] runs on one host. It is told the time and the outcome of its messages, and answers with the
//! messages that it wants sent. It knows neither transports nor packets nor topologies: the host passes its messages to
//! whichever transport it has. A [`Message`] carries either real bytes or only a length, to one host or several.
//!
//! A [`Workload`] is a [`WorkloadPlan`] for all hosts of a network with its start and priority, read from a short text such as `incast:64x450kB`; it makes one
//! application for each host. Begin with [`Workload::parse`] and [`Workload::applications`].
//!
//! ```
//! use basis::{Instant, Rate};
//! use demand::{HostOf, Workload};
//!
//! let rate = Rate::from_gigabits_per_second(100);
//! let hosts: Vec<HostOf> = (1..=8).map(|address| HostOf { address, rate }).collect();
//! let Ok(workload) = Workload::parse("permutation:2MB") else { panic!("the text is valid") };
//! let mut applications = workload.applications(&hosts, 1)?;
//!
//! let mut wanted = Vec::new();
//! applications[0].wake(Instant::ZERO, &mut wanted);
//! assert_eq!(wanted[0].content.length(), 2_000_000);
//! # Ok::<(), demand::Unfit>(())
//! ```

mod all_to_all;
mod beside;
mod draw;
mod flow_sizes;
mod incast;
mod making;
mod matrix;
mod message;
mod on_off;
mod parallel_incasts;
mod parse;
mod permutation;
mod poisson;
mod requests;
mod scheduled;
mod together;
mod workload;

use basis::snapshot::Snapshot;
use basis::{Instant, Rate};
use node::{NotBegun, Outbox, UnfinishedWork};

pub use all_to_all::AllToAll;
pub use beside::Beside;
pub use flow_sizes::{FlowSizeTable, FlowSizes};
pub use incast::Incast;
pub use making::{Extent, Making};
pub use matrix::Matrix;
pub use message::{Arrived, Content, Destinations, Message, Wanted};
pub use on_off::OnOff;
pub use parallel_incasts::ParallelIncasts;
pub use permutation::Permutation;
pub use poisson::{End, MessageSizes, Poisson};
pub use requests::{Ping, Requests};
pub use workload::{Unfit, Workload, WorkloadPlan};

/// The properties of a host that workloads depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostOf {
    /// The host's IPv4 address, as a number.
    pub address: u32,
    /// The rate of the host's link.
    pub rate: Rate,
}

/// An application on one host, which asks for messages to be sent. It is a state machine without a clock; all its
/// randomness comes from its seed.
pub trait Application: Send + Snapshot {
    /// Returns the time at which the application next wants to be woken; `None` if it waits only for messages, or for
    /// nothing.
    fn deadline(&self) -> Option<Instant>;

    /// Handles the deadline having passed, and appends the messages to send to `wanted`.
    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>);

    /// Handles a message that has arrived at this host in full.
    fn arrived(&mut self, now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        let _ = (now, message, wanted);
    }

    /// Handles the end of a message that this host sent: it is known to have arrived, or was abandoned.
    fn finished(&mut self, now: Instant, message: Message, wanted: &mut Vec<Wanted>) {
        let _ = (now, message, wanted);
    }

    /// Emits the events that have happened in the application since the last call. The host calls this whenever it has
    /// called another method.
    fn report(&mut self, out: &mut Outbox) {
        let _ = out;
    }

    /// Returns the work of the application beyond its messages that is not finished, each item with what it waits for.
    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        let _ = now;
        Vec::new()
    }

    /// Returns a lower bound on the number of messages that the application will still ask for by itself. It is 0 only
    /// if all further messages are answers to arriving ones, and `None` if the application never ends.
    fn remaining(&self) -> Option<u64>;

    /// Reports the messages that the application would ask for by itself but has not asked for yet, each with the
    /// reason. An application that never ends reports nothing.
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let count = self.remaining().unwrap_or(0);
        if count > 0 {
            let why = match self.deadline() {
                Some(at) => would_begin(at),
                None => "begins when other messages finish".to_owned(),
            };
            tell(NotBegun { count, destination: None, bytes: None, why });
        }
    }
}

/// The reason for a message that has not begun because its time has not come.
fn would_begin(at: Instant) -> String {
    format!("would begin at {at}")
}
