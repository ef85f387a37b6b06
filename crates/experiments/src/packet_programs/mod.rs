//! What a user does with a P4 program: load it, run it on captures, test it with packets, see what happens to one.
//!
//! A [`PacketProgram`] is a program for v1model with what the control plane may know of it. A [`machines::Device`] runs it;
//! [`Entries`] fill its tables. [`packet_test`] runs STF files, [`replay`] captures, [`trace`] single packets, and
//! [`conformance`] the public programs of the P4 compiler, whose P4Info [`p4info_conformance`] compares with ours.

mod activity;
mod check;
pub mod conformance;
mod entries;
mod load;
pub mod p4info_conformance;
pub mod packet_test;
mod pipelines;
pub mod replay;
mod stages;
mod summary;
mod switch;
mod tables;
mod trace;
mod words;

pub use activity::{Activity, Counted};
pub use check::{CheckPlan, CheckedPackets, ReadyMachine};
pub use entries::Entries;
pub use load::{LoadOptions, PacketProgram, is_packet_program};
pub use pipelines::FittedPacketProgram;
pub use stages::{STAGES, stage};
pub use summary::Summary;
pub use switch::{ExecutorKind, SwitchOptions, build_switch, check_port};
pub use trace::{Observed, trace};
