//! What a user does with a program on a machine, with packets: run it on captures, test it, see what happens to one.
//!
//! A [`machines::Device`] runs the program; [`Entries`] fill its tables. [`packet_test`] runs STF files, [`trace`] single packets, and
//! [`conformance`] the public programs of the P4 compiler, whose P4Info [`p4info_conformance`] compares with ours.

mod activity;
pub mod conformance;
mod entries;
pub mod p4info_conformance;
pub mod packet_test;
mod ports;
mod summary;
mod trace;
pub(crate) mod words;

pub use activity::{Activity, Counted};
pub use entries::Entries;
pub use ports::check_port;
pub use summary::Summary;
pub use trace::{trace_nth, trace_packet};
