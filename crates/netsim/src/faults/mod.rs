//! Faults: small, ordered rules about what happens to packets on links.
//!
//! Each link on which rules act has a [`LinkFaults`], a state machine that is told when a packet starts and when it
//! would arrive, and decides what happens to it. Every rule draws from a separate random stream for every link, so
//! that no link depends on what happens on another, and no rule on the draws of another.

mod damage;
mod link_faults;
mod link_set;
pub mod reasons;
mod rule;
mod strikes;

pub use link_faults::{Fate, LinkFaults, Tally};
pub use link_set::LinkSet;
pub use rule::{FaultKind, Packets, Rule};
pub use strikes::{Burst, Strikes};
