//! Packets as a head and a tail, standard headers, and captures in and out.

mod head;
mod packet;

pub use head::Head;
pub use packet::{Packet, Sidecar, Tail};
