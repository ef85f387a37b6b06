//! Packets to offer to a node: generators, captures, tables of field values, published traces.
//!
//! A [`Traffic`] is a plan: what packets come, and how. [`Traffic::prepare`] checks it, its files included, and
//! gives a [`Prepared`], which makes as many equal [`Stream`]s of packets as one likes. No stream holds a file, or
//! all its packets, in memory, but for those of published traces, which share one; every one is a function of its
//! plan, its files and its seed.

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
pub use plan::{Form, Generated, Kind, Making, Pace, Published, Replay, Traffic};
pub use prepare::{Prepared, Stream};
pub use published::{
    PublishedPacket, PublishedPackets, PublishedPattern, PublishedPlan, PublishedShape, PublishedSizes, PublishedTrace,
    StatefulAccess,
};
pub use rate::LineRate;
pub use sizes::PacketSizes;
pub use spool::{STANDARD_INPUT, Spool, is_stream, open};
