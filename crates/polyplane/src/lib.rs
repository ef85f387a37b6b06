//! Polyplane is a workbench for programmable data planes: write a packet-processing program once, in P4_16 or Domino,
//! run it on several switch architectures, check that it means the same on each, and put it into a simulated network.
//!
//! - A [`Program`] is read from a file or a text.
//! - A [`Machine`] is chosen by name and may have options; [`Program::fit`] gives a [`Fitted`] program, or a resource
//!   report that says why the machine cannot hold it.
//! - A [`Device`] runs a fitted program: it takes packets and requests of the control plane, and tells where packets
//!   went and what happened to them on the way.
//! - A [`Check`] holds machines against the interpreter, and finds the fewest packets that show a difference.
//! - A [`Network`] is built from a plan; [`NetworkResults`] has its summary and its [`Table`]s.
//!
//! Everything that can go wrong is a [`Failure`]: bad input, a program that does not fit, or a run that stands still.
//!
//! ```
//! use polyplane::{Machine, Program, Tables};
//!
//! # fn main() -> Result<(), polyplane::Failure> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/p4/router");
//! let program = Program::read(format!("{folder}/router.p4"))?;
//! let tables = Tables::read(format!("{folder}/router.stf"), &program)?;
//! for machine in Machine::all() {
//!     let Ok(fitted) = program.fit(&machine) else { continue };
//!     let mut device = fitted.device()?;
//!     device.fill(&tables)?;
//!     let sent = device.send(1, &[0; 64])?;
//!     println!("{machine}: {} packets left, {} were dropped", sent.departures.len(), sent.drops.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`extend`] has the traits for those who add a machine or a transport of their own, and [`rooms`] the crates behind
//! these handles.

mod check;
mod device;
pub mod extend;
mod fitted;
mod machine;
mod network;
mod program;
pub mod rooms;
mod table;
mod tables;

pub use check::{Check, CheckOutcome, Difference};
pub use device::{Departure, Device, Drop, Sent};
pub use diagnostics::{Diagnostic, Diagnostics, Failure, Severity, Sources, Span};
pub use fitted::Fitted;
pub use machine::Machine;
pub use network::{Network, NetworkResults};
pub use networks::Registry;
pub use program::Program;
pub use table::Table;
pub use tables::Tables;
