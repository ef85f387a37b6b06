//! Queues that the sender of a packet names: priorities, deficit round robin, shapers, memory in cells, changes while
//! they run.

mod changes;
mod conservation;
mod fairness;
mod item;
mod memory;
mod plans;
mod shapers;
mod sidecar;
