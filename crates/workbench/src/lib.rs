//! One program on any machine: load it, fit it, run it on packets, check machines against each other, trace a packet, test it.
//!
//! A [`LoadedProgram`] is a program in whatever language it was written; [`kinds`] has the machines by name; [`Run`] and
//! [`CheckPlan`] are the one way of running and checking. [`Entries`] fill the tables of a program, [`packet_test`] runs
//! STF files, and [`trace_packet`] shows what happens to one packet.

mod activity;
mod check;
mod entries;
mod fit;
pub mod kinds;
mod machine;
mod memory_need;
pub mod packet_test;
mod placement;
mod ports;
mod program;
pub mod run;
mod shipped;
mod stage_map;
mod summary;
mod trace;
mod words;

pub use activity::{Activity, Counted};
pub use check::{CheckPlan, Checked, ReadyMachine};
pub use entries::Entries;
pub use fit::{CodeletRow, FitReport, fit};
pub use machine::{KnownLoad, MachinePlan};
pub use placement::Placement;
pub use ports::check_port;
pub use program::{
    FittedProgram, Language, LoadOptions, LoadedProgram, ParsedP4, STAGES, add_file, read_pipeline, stage,
};
pub use run::{ReadyRun, Run};
pub use shipped::{shipped_capture, shipped_program};
pub use stage_map::StageMap;
pub use summary::Summary;
pub use trace::{trace_nth, trace_packet};
