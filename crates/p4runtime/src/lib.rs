//! P4Runtime, the protocol by which controllers configure, fill and watch a programmable switch.

pub mod arbitration;
pub mod message;
