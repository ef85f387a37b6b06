//! The run-to-completion chip, with programs of threads as texts of the IR.

mod bench;
mod conservation;
mod forwarding;
mod memory;
mod rates;
mod records;
mod timers;
