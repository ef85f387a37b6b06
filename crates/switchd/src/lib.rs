//! A device as a switch of live packets, while it runs: what it is made of, and everything that it can be asked.
//!
//! A [`SwitchPlan`] says what runs on which interfaces; a [`Switch`] runs it on the thread that calls [`Switch::run`], and a
//! [`SwitchHandle`] asks it from any other thread: for ports, tables, counters and drops, for a trace or a capture, to change
//! entries, to reload its program, to stop. The control socket ([`socket`]) and the metrics ([`metrics`]) are clients of
//! such a handle, as anything else may be. The crate knows no protocol and no machine by name.
//!
//! ```
//! use switchd::Request;
//!
//! let request = Request::read(br#"{"request": "tables", "names": ["ingress.ipv4_lpm"]}"#).expect("a request");
//! assert_eq!(request, Request::Tables { names: vec!["ingress.ipv4_lpm".into()] });
//! ```
#![cfg(unix)]

pub mod capture;
mod check;
mod controllers;
mod execute;
mod handle;
mod message;
pub mod metrics;
mod open;
pub mod plan;
mod program;
mod reload;
mod show;
pub mod socket;
mod station;
mod switch;
mod trace;
mod wires;

pub use check::check;
pub use controllers::Controllers;
pub use handle::{Ended, NotExecuted, SwitchHandle};
pub use message::*;
pub use open::open_interfaces;
pub use plan::{ArrivingPlan, Fixed, Loaded, Places, PortBinding, SwitchPlan};
pub use program::RunningProgram;
pub use reload::{NotReplaced, ReadyProgram, StateKept};
pub use service::{BoxedInterface, Cancel, Filter};
pub use station::{Station, reasons};
pub use switch::{Running, Switch, Totals};
