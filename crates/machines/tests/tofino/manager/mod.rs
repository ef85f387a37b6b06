//! The traffic manager: deflection, multicast trees, mirror sessions, congestion.

mod configure;
mod congestion;
mod deflection;
mod mirrors;
mod multicast;
mod ports;
pub mod support;
