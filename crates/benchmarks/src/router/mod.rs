//! An IPv4 router written in P4: how many packets a second, how long one takes, and how long it takes to have it.
//!
//! The bare pipeline is what a program costs: parser, checksums, ingress, egress and deparser on one packet after the
//! other, in one place of memory. The switch is what a user gets: bursts of packets through the whole of v1model, with
//! ports, copies and statistics.

mod compile_time;
mod entries;
mod measure;
mod packets;

pub use compile_time::{CompileTime, compile_times};
pub use measure::{MeasuredRouter, router};

/// What the router's tables hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// How many routes.
    pub routes: usize,
    /// How many rules of the access list.
    pub rules: usize,
}

impl Tables {
    /// Those that are measured: few routes, as published figures have it; many; an access list in front; both.
    pub const ALL: [Self; 4] = [
        Self { routes: 16, rules: 0 },
        Self { routes: 100_000, rules: 0 },
        Self { routes: 16, rules: 10_000 },
        Self { routes: 100_000, rules: 10_000 },
    ];
}

/// The text of the router.
const PROGRAM: &str = include_str!("router.p4");
