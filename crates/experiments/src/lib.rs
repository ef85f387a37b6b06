//! Programs on machines on traffic: plans, runs, comparisons, reports.

pub mod applications;
pub mod bench;
pub mod bound;
mod check;
pub mod comparison;
mod demo;
mod failure;
mod fit;
mod loaded;
mod machine;
mod manifest;
mod output;
pub mod packet_programs;
pub mod plan;
pub mod principles;
mod progress;
pub mod report;
pub mod reproduce;
pub mod results;
mod run;
mod stage_map;
pub mod streams;
pub mod sweep;
mod watched;

pub use check::{Checked, check};
pub use demo::{Demo, Measurement, demo};
pub use failure::Failure;
pub use fit::{CodeletRow, FitReport, fit};
pub use loaded::{LoadedProgram, read_pipeline};
pub use machine::{Architecture, KnownLoad, MachinePlan};
pub use manifest::{Manifest, fingerprint};
pub use output::PacketFiles;
pub use progress::Progress;
pub use run::{Outcome, ReadyRun, Run};
pub use stage_map::StageMap;
pub use watched::{Watched, Watcher};
