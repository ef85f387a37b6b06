//! The cloud virtual switch of Triton (Li et al., SIGCOMM 2024), as a device without I/O.
//!
//! The crate begins with its sessions: [`session::SessionTable`] finds both directions of a connection by flow id or by
//! their keys, follows TCP, and ends what nobody uses.

pub mod action;
mod action_lists;
mod balance;
pub mod bindings;
mod common;
pub mod configuration;
mod congestion;
pub mod encryption;
mod events;
pub mod flow_log;
mod fragments;
pub mod handover;
mod limiters;
mod metadata;
mod midstream;
mod notice;
mod overlay;
pub mod policy;
mod preprocessor;
pub mod reasons;
pub mod reliable;
mod resolution;
mod responder;
mod rewrite;
pub mod session;
mod slow_path;
mod switch;
mod translate;
mod underlay;

pub use congestion::RING;
pub use events::{Event, EventKind};
pub use flow_log::{FlowRecord, RecordedFlow};
pub use limiters::LimiterCounts;
pub use metadata::{Metadata, Subject};
pub use preprocessor::headers::{self, HeaderCounts, Headers};
pub use preprocessor::{IndexUpdate, PayloadId, PayloadPool};
pub use switch::{
    Applied, Core, CoreView, Found, MOST_CORES, Made, Matches, OUTSIDE, Parsed, Peeked, SessionView, TakenOver,
    Verdict, VirtualSwitch, VnicCounts, before_sessions,
};
pub use underlay::{PathChange, PathState};
