//! What Triton's hardware does before and behind the software (sections 4.2, 5 and 8.1), each as an option: the index of flows,
//! vectors of packets, and payload that waits while its headers are worked on.

mod flow_index;
pub mod headers;
mod payloads;
mod vectors;

pub use flow_index::{FlowIndex, IndexUpdate};
pub use payloads::{PayloadId, PayloadPool};
pub use vectors::Vectors;
