//! Queue disciplines and schedulers: what becomes of packets that have to wait for a line.
//!
//! A [`TrafficManager`] holds the queues of all ports of a switch, or of a chip. Packets are offered to it for a port
//! and taken from it when the port's line is free. It keeps no time of its own and owns no line.

mod manager;
mod plan;

pub use manager::{Refusals, TrafficManager};
pub use plan::{BufferPlan, DisciplinePlan, PortPlan};
