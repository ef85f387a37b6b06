//! Congestion (Triton, section 8.1): a guest that does not read in time is noticed, and so is a core that more is brought to than it
//! can work on. Who sends to it is slowed at the source, and others are not harmed.

pub mod message;
mod receivers;
mod rings;
mod senders;

pub use receivers::Receivers;
pub use rings::{Entered, RING, Rings};
pub use senders::Senders;

use std::collections::BTreeMap;

use basis::{Duration, Instant};

/// The time between two messages about the same sender.
const BETWEEN_MESSAGES: Duration = Duration::from_microseconds(10_000);
/// The most senders that are remembered to have been told.
const MOST_TOLD: usize = 1024;

/// What a switch knows of congestion.
#[derive(Debug, Default)]
pub struct Congestion {
    /// The guests as receivers.
    pub receivers: Receivers,
    /// The guests as senders.
    pub senders: Senders,
    /// The time at which each sender behind a tunnel was told last, by its VPC and its address.
    told: BTreeMap<(u32, u128), Instant>,
}

impl Congestion {
    /// Returns true if a sender behind a tunnel, by its VPC and its address, is to be told now, which is recorded.
    pub fn is_to_be_told(&mut self, now: Instant, vpc: u32, sender: u128) -> bool {
        if self.told.len() >= MOST_TOLD {
            self.told.retain(|_, told| *told + BETWEEN_MESSAGES > now);
        }
        let told = self.told.get(&(vpc, sender));
        let is_due = told.is_none_or(|told| *told + BETWEEN_MESSAGES <= now) && self.told.len() < MOST_TOLD;
        if is_due {
            self.told.insert((vpc, sender), now);
        }
        is_due
    }
}
