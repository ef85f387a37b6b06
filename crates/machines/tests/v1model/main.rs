//! The behaviour of the v1model switch, stated as packets.

mod around;
mod conservation;
mod decisions;
mod executors;
mod forwarding;
mod language;
mod queues;
mod replication;
mod rounds;
mod snapshot;
mod support;
mod traces;
mod updates;
