//! The machines: what a program is fitted to, and what then runs it, one folder an architecture.

pub mod banzai;
pub mod chip;
mod device;
pub mod edge;
mod engine;
pub mod mp5;
pub mod pipelines;
pub mod reasons;
pub mod recirculating;
mod remote;
mod standstill;
mod statistics;
mod timeline;
pub mod trace;
mod unsuitable;
pub mod v1model;

pub use banzai::Banzai;
pub use chip::Chip;
pub use device::Device;
pub use edge::Edge;
pub use mp5::Mp5;
pub use pipelines::Pipelined;
pub use remote::{Answers, Attended, Remote, Waker};
pub use standstill::{Standstill, Stuck, drive};
pub use statistics::Statistics;
pub use timeline::{Moment, Place, Timeline, Waiting};
pub use unsuitable::Unsuitable;
