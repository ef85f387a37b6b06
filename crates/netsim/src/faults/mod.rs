//! Faults: small ordered rules about what becomes of packets on lines.
//!
//! Each line on which rules act holds a [`LineFaults`], a state machine that is told when a packet starts and when it
//! would be there, and says what becomes of it. Every rule draws from a stream of its own for every line, so that no
//! line knows what happens on another, and no rule what another one draws.

mod damage;
mod line_faults;
mod lines;
pub mod reasons;
mod rule;
mod strikes;

pub use line_faults::{Fate, LineFaults, Tally};
pub use lines::Lines;
pub use rule::{Kind, Packets, Rule};
pub use strikes::{Burst, Strikes};
