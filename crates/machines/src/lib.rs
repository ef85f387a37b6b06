//! The machines: what a program is fitted to, and what then runs it, one folder an architecture.

mod machine;

pub use machine::{Machine, Statistics};
