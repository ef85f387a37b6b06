//! The virtual switch on real interfaces: a configuration is checked against this computer, and run.
//!
//! [`check`] says whether the switch of a configuration can start here; [`Running::open`] opens its interfaces, and
//! [`Running::run`] runs it on the thread that calls it until somebody stops it.
#![cfg(unix)]

mod check;
mod running;

pub use check::check;
pub use running::{Running, Stop, Totals};
