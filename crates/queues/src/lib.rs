//! Queue disciplines and schedulers: how packets wait for an output link, and which of them are dropped, marked or
//! trimmed.
//!
//! A [`TrafficManager`] holds the queues of all ports of a switch or of a chip, and the memory that they share. The
//! caller offers it packets for a port and takes packets from it when the port's link is free. It keeps no clock and
//! owns no links; [`OutputQueues`] combines it with the links that drain the queues. Nothing here decides which port a
//! packet goes to, or what happens between a queue and its link: for the latter, see [`Behind`].
//!
//! Begin with [`DisciplinePlan`], which lists the disciplines, [`Discipline`], by which there are others, and
//! [`TrafficManager`]. What each discipline models,
//! what it leaves out and where it comes from is in `docs/queues.md`.
//!
//! # Example
//!
//! ```
//! use basis::{Instant, Rate};
//! use node::Port;
//! use queues::{BufferPlan, DisciplinePlan, PortPlan, Refusals, TrafficManager};
//! use wire::Packet;
//!
//! let port = PortPlan {
//!     rate: Rate::from_bits_per_second(10_000_000_000),
//!     framing: 24,
//!     is_last_hop: false,
//!     discipline: DisciplinePlan::DropTail { limit: 3000 },
//! };
//! let mut manager = TrafficManager::new(vec![port], &BufferPlan::default(), 0);
//! let mut refusals = Refusals::default();
//! for _ in 0..3 {
//!     let packet = Packet::of_bytes(&[0; 1000]);
//!     manager.offer(Instant::ZERO, Port(0), Port(0), packet, &mut refusals);
//! }
//! // Each packet takes 1024 bytes on the wire, so the third does not fit.
//! assert_eq!(manager.held(), 2);
//! assert_eq!(refusals.discarded.len(), 1);
//! assert!(manager.take(Instant::ZERO, Port(0), &mut refusals).is_some());
//! ```

mod behind;
mod cells;
mod counts;
mod discipline;
mod disciplines;
mod fair;
mod fields;
mod fifo;
mod flow_control;
mod manager;
mod memory;
mod output_queues;
mod plan;
mod queued;
pub mod read;
pub mod reasons;
mod shaper;
mod status;
mod surroundings;
pub mod write;

pub use behind::{Behind, Straight};
pub use discipline::{Arriving, Decision, Discipline, DisciplineParameters, Lanes, Leaving};
pub use fields::code_point;
pub use manager::{Refusals, TrafficManager};
pub use output_queues::OutputQueues;
pub use plan::{
    BufferPlan, CellPlan, ClassMap, ClassPlan, DisciplinePlan, DscpSet, FlowControlPlan, Marking, OutputPlan, PortPlan,
    QueuePlan, RedPlan, Returns, RoomPlan, SchedulerPlan, Service, ShaperPlan, ShortPackets, Spacing, TrimmedQueue,
    TrimmingPlan, Victim,
};
pub use queued::{PacketColor, Queued};
pub use status::{ChangeError, Depth, PoolStatus, QueueChange, QueueStatus, Tally};
pub use wire::dscp;
