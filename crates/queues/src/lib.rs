//! Queue disciplines and schedulers: what becomes of packets that have to wait for a line.
//!
//! A [`TrafficManager`] holds the queues of all ports of a switch, or of a chip. Packets are offered to it for a port
//! and taken from it when the port's line is free. It keeps no time of its own and owns no line; [`OutputQueues`] puts
//! the lines behind it. What each discipline models, what it leaves out and where it comes from is in `docs/queues.md`.

mod behind;
mod counts;
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
pub mod reasons;
mod surroundings;

pub use behind::{Behind, Straight};
pub use fields::code_point;
pub use manager::{Refusals, TrafficManager};
pub use output_queues::OutputQueues;
pub use plan::{
    BufferPlan, ClassMap, ClassPlan, DisciplinePlan, DscpSet, FlowControlPlan, Marking, OutputPlan, PortPlan, RedPlan,
    Returns, Service, ShortPackets, Spacing, TrimmedQueue, TrimmingPlan, Victim,
};
pub use queued::Queued;
pub use wire::dscp;
