//! The machines: what a program is fitted to, and what then runs it, one folder an architecture.

pub mod banzai;
pub mod chip;
pub mod edge;
mod engine;
mod machine;
pub mod mp5;
pub mod recirculating;
mod standstill;
mod timeline;
mod unsuitable;
pub mod v1model;

pub use banzai::Banzai;
pub use chip::Chip;
pub use edge::Edge;
pub use machine::{Machine, Statistics};
pub use mp5::Mp5;
pub use recirculating::Recirculating;
pub use standstill::{Standstill, Stuck, drive};
pub use timeline::{Moment, Place, Timeline, Waiting};
pub use unsuitable::Unsuitable;
