//! Runs, comparisons and reports.

pub mod report;
mod stage_map;

pub use stage_map::StageMap;
