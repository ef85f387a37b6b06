//! Generation of packets that reach every part of a program, and measurement of what they reached.
//!
//! A comparison says little about code that no packet reaches. [`generate`] runs the interpreter and observes it:
//! whenever a packet is compared with something (a parser's `select`, the entries of a table, a condition) and takes
//! one branch, it creates packets that take the others, by writing the value that was compared with to where the found
//! value occurs in the packet (input-to-state correspondence: Aschermann et al., "REDQUEEN", NDSS 2019). The rest of
//! the stream consists of random variations of such packets, repeated and spread over time, because some branches
//! depend only on state.

mod compared;
mod conditions;
mod generate;
mod goals;
mod mutate;
mod threads;
mod watch;
mod watched;
mod wishes;

pub use generate::{Generated, Offered, Options, generate};
pub use goals::{Coverage, Goal, GoalKind, KindCount};
