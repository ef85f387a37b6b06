//! Programs on machines on traffic: plans, runs, comparisons, reports.

mod bench;
mod check;
mod demo;
mod failure;
mod fit;
mod loaded;
mod machine;
mod manifest;
mod output;
mod progress;
pub mod report;
mod run;
mod stage_map;
mod watched;

pub use bench::{Measured, bench};
pub use check::{Checked, check};
pub use demo::{Demo, Measurement, demo};
pub use failure::Failure;
pub use fit::{CodeletRow, FitReport, fit};
pub use loaded::{LoadedProgram, read_pipeline};
pub use machine::{Architecture, KnownLoad, MachinePlan};
pub use manifest::Manifest;
pub use output::PacketFiles;
pub use progress::Progress;
pub use run::{Outcome, ReadyRun, Run};
pub use stage_map::StageMap;
pub use watched::{Watched, Watcher};
