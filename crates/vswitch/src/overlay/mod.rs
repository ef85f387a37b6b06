//! Frames in tunnels between switches: VXLAN (RFC 7348).

mod congestion;
mod decapsulate;
mod encapsulate;

pub use decapsulate::decapsulate;
pub use encapsulate::{Outer, encapsulate};
