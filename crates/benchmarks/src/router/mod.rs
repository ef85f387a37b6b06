//! Measures an IPv4 router written in P4: its throughput, its latency, and how long programs take to compile.
//!
//! The bare pipeline shows what the program itself costs: parser, checksums, ingress, egress and deparser run on one
//! packet after the other in the same memory. The switch shows what users get: bursts of packets through the whole of
//! v1model, with ports, copies and statistics.

mod compile_time;
mod entries;
mod measure;
mod packets;

pub use compile_time::{CompileTime, compile_time, compile_times};
pub use entries::{Route, routes, rule_key};
pub use measure::{MeasuredRouter, router};
pub use packets::packets;

/// The sizes of the router's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The number of routes.
    pub routes: usize,
    /// The number of rules in the access list.
    pub rules: usize,
}

impl Tables {
    /// The sizes that are measured: few routes, as in published figures; many routes; an access list; both.
    pub const ALL: [Self; 4] = [
        Self { routes: 16, rules: 0 },
        Self { routes: 100_000, rules: 0 },
        Self { routes: 16, rules: 10_000 },
        Self { routes: 100_000, rules: 10_000 },
    ];
}

/// The source text of the router.
pub const PROGRAM: &str = include_str!("router.p4");
