//! The typed interface of the control plane.
//!
//! [`Info`] describes the tables, actions and state of a program by name and P4Info id; the front end creates it. A
//! [`Request`] refers to them by the numbers that [`Info`] finds for names, and a [`Plane`] executes it on the state of
//! a running program: the [`runtime::ProgramState`], and the parts that belong to the switch itself, namely packet
//! replication ([`Replication`]) and digests ([`DigestQueue`]). The crate knows no language, no machine and no packets.
//!
//! Three file formats produce requests: packet tests ([`stf`]), commands like those of `simple_switch_CLI`
//! ([`commands`]), and the JSON files of the P4 tutorials ([`runtime_file`]). [`p4info`] writes an [`Info`] in the
//! formats that P4Runtime controllers read.
//!
//! # Example
//!
//! ```
//! use control::{Counter, CounterUnit, Identity, Info, Size, commands};
//! use diagnostics::Sources;
//!
//! let identity = Identity::new("ingress.hits");
//! let hits = Counter { identity, unit: CounterUnit::Packets, size: Size::Array(16) };
//! let info = Info { counters: vec![hits], ..Info::default() };
//!
//! let mut sources = Sources::new();
//! let file = sources.add("commands.txt", "counter_read hits 3");
//! let prepared = commands::prepare(&info, &sources, file).unwrap();
//! assert_eq!(prepared.steps.len(), 1);
//! ```

mod client;
pub mod commands;
mod describe;
mod digests;
mod entry;
mod error;
mod error_text;
pub mod handover;
mod info;
mod memory_error;
pub mod p4info;
mod pipe_error;
mod plane;
mod replication;
mod request;
mod response;
pub mod runtime_file;
mod settings_finding;
pub mod stf;

pub use client::{Placed, Prepared, Word};
pub use digests::DigestQueue;
pub use entry::{EntryAttributes, EntryDetails, IdleEntry, WeightedAction};
pub use error::{EntryError, Error, NameError, ProfileError, RefusedRequest};
pub use info::*;
pub use memory_error::{MemoryError, RecordError};
pub use pipe_error::PipeError;
pub use plane::{Device, Plane};
pub use replication::{CloneSession, MulticastGroup, Replica, Replication};
pub use request::{
    ActionCall, ConfigureRequest, CounterRequest, ElementSelection, EntrySelection, MemoryRequest, MeterRequest,
    ProfileRequest, RecordRequest, RegisterRequest, ReplicationRequest, Request, SettingsRequest, TableRequest, Target,
    ValueSetRequest,
};
pub use response::{Group, ProfileMember, ReadEntry, ReadRecord, Response};
pub use runtime::GroupMember;
pub use settings_finding::SettingsFinding;
