//! Packets to offer to a node: generators, captures, tables of field values, and published traces.
//!
//! A [`Traffic`] is a plan of which packets arrive, and how fast. [`Traffic::prepare`] checks the plan and its files
//! for one program and one machine and returns a [`Prepared`], which makes any number of equal [`Stream`]s of packets.
//! No stream holds a whole file or all of its packets in memory, except for published traces, whose streams share one
//! copy. Every stream is a function of its plan, its files and its seed.
//!
//! This crate knows nothing of machines, transports or the meaning of programs. Begin with [`Traffic::parse`], whose
//! notation `docs/traffic.md` describes.
//!
//! # Example
//!
//! ```
//! use traffic::Traffic;
//!
//! let plan = Traffic::parse("skewed:flows=512,size=64,packets=1000").map_err(|_| "a valid plan").unwrap();
//! assert_eq!(plan.packets, Some(1000));
//! assert_eq!(plan.ports, Traffic::PORTS);
//! assert!(Traffic::parse("skewed:size=20").is_err(), "packets have at least 64 bytes");
//! ```

mod arrival_order;
mod capture;
mod fields;
mod generate;
mod heads;
mod input;
mod lines;
mod maker;
mod pattern;
mod plan;
mod prepare;
mod published;
mod rate;
mod sizes;
mod spool;
mod table;

pub use arrival_order::ArrivalOrder;
pub use fields::FieldGenerator;
pub use generate::Generator;
pub use heads::{Protocol, flow_tuple};
pub use input::Input;
pub use pattern::{Pattern, Share};
pub use plan::{Form, Generated, Making, Pace, Published, Replay, Traffic, TrafficSource};
pub use prepare::{Prepared, Stream};
pub use published::{
    PublishedPacket, PublishedPackets, PublishedPattern, PublishedPlan, PublishedShape, PublishedSizes, PublishedTrace,
    StatefulAccess,
};
pub use rate::LineRate;
pub use sizes::PacketSizes;
pub use spool::{STANDARD_INPUT, Spool, is_stream, open};
