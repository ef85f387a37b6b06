//! The one typed interface of the control plane.
//!
//! [`Info`] says what a program has, by name and P4Info id; the front end makes it. A [`Request`] asks for something
//! with the numbers that [`Info`] found for names, and a [`Plane`] carries it out on the state of a running program:
//! what [`runtime::State`] holds, and what the switch itself does with copies of packets ([`Replication`]) and messages
//! ([`DigestQueue`]).
//!
//! Three kinds of file are clients: packet tests ([`stf`]), commands in the manner of `simple_switch_CLI`
//! ([`commands`]), and the JSON files of the P4 tutorials ([`runtime_file`]).

mod client;
pub mod commands;
mod describe;
mod digests;
mod error;
mod error_text;
mod info;
pub mod p4info;
mod plane;
mod replication;
mod request;
mod response;
pub mod runtime_file;
pub mod stf;

pub use client::{Placed, Prepared, Word};
pub use digests::DigestQueue;
pub use error::{EntryError, Error, NameError, ProfileError};
pub use info::*;
pub use plane::{Device, Plane};
pub use replication::{CloneSession, Replica, Replication};
pub use request::{
    ActionCall, CounterRequest, EntrySelection, MeterRequest, Place, ProfileRequest, RegisterRequest,
    ReplicationRequest, Request, TableRequest, Target, ValueSetRequest,
};
pub use response::{Entry, Group, ProfileMember, Response};
