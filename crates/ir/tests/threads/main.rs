//! Tests of what programs of threads mean.

mod filter;
mod flow;
mod instructions;
mod interleavings;
mod memory;
mod observed;
mod packets;
mod records;
mod support;
