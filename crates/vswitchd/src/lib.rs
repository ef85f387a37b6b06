//! The virtual switch on real interfaces, while it runs: a configuration is checked against this computer and run, and
//! everything that the switch can be asked.
//!
//! [`check`] says whether the switch of a configuration can start here; [`Switch::open`] opens its interfaces, and
//! [`Switch::run`] runs it on the thread that calls it. A [`SwitchHandle`] asks it from any other thread: for ports, sessions,
//! flows, rules and drops, for a trace or a capture, to apply another configuration, to stop. The control socket ([`socket`])
//! and the metrics ([`metrics`]) are clients of such a handle.
#![cfg(unix)]

mod apply;
mod attached;
mod bindings;
pub mod capture;
mod check;
mod claims;
pub mod cni;
mod describe;
mod difference;
mod events;
mod explain;
mod flow_logs;
mod handle;
mod keys;
mod message;
pub mod metrics;
mod notes;
mod origin;
pub mod service_manager;
mod serving;
mod show;
pub mod socket;
mod station;
mod switch;
mod tenant;
mod tenant_view;
pub mod topology;
mod upgrade;
mod workers;
mod xdp;

pub use check::check;
pub use events::EventRow;
pub use handle::SwitchHandle;
pub use message::*;
pub use service::{Cancel, Filter};
pub use serving::{Served, ServedPlaces, Serving};
pub use station::{Station, reasons};
pub use switch::{Running, Switch, Totals};
pub use tenant::Tenant;
pub use upgrade::{HandedOver, LONGEST_WAIT, Takeover, UpgradeReport};
