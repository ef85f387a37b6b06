//! Packets that go everywhere in a program, and the account of where they went.
//!
//! Holding a machine against the interpreter says little of what no packet reaches. [`generate`] runs the interpreter
//! and watches: whenever a packet is compared with something (a parser's `select`, the entries of a table, a condition)
//! and goes one way, it makes packets that would go the others, by putting what was asked for where what was found
//! stands in the packet (input-to-state correspondence: Aschermann et al., "REDQUEEN", NDSS 2019). What is left of the
//! stream are packets like those, changed at random, repeated, and spread over time, for what only state decides.

mod conditions;
mod generate;
mod goals;
mod mutate;
mod watch;
mod watched;
mod wishes;

pub use generate::{Generated, Offered, Options, generate};
pub use goals::{Coverage, Goal, Kind, KindCount};
