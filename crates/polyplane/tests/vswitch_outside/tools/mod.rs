//! Ping, iperf3, nginx with wrk, redis with its benchmark, and memcached between two guests, through each feature of the switch, over IPv4 and
//! IPv6. Every result is checked, every tool ends by itself, and every frame has a verdict at the end.
//!
//! `POLYPLANE_TOOLS_SECONDS` lets each tool run for as long, and `POLYPLANE_TOOLS_REPORT` names a folder into which each feature writes the
//! lines of a table (`make vswitch-outside`).

mod features;
mod memcached;
pub mod report;
mod servers;
pub mod site;
mod stream;
mod workloads;
