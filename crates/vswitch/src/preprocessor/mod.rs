//! What Triton's hardware does before and behind the software (sections 4.2, 5 and 8.1), each as an option: the index of flows,
//! vectors of packets, and payload that waits while its headers are worked on; and the way of packets to the cores of the software.

mod flow_index;
pub mod headers;
mod payloads;
mod queues;
mod vectors;
mod ways;

pub use flow_index::{FlowIndex, IndexUpdate};
pub use payloads::{PayloadId, PayloadPool};
pub use queues::Queues;
pub use vectors::Vectors;
pub use ways::Ways;
