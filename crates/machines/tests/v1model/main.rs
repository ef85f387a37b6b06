//! What the v1model switch does, stated as packets.

mod around;
mod conservation;
mod decisions;
mod forwarding;
mod language;
mod replication;
mod rounds;
mod support;
mod traces;
