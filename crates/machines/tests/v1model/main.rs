//! What the v1model switch does, stated as packets.

mod around;
mod conservation;
mod decisions;
mod executors;
mod forwarding;
mod language;
mod replication;
mod rounds;
mod support;
mod traces;
mod updates;
