//! Runs, comparisons and reports.

pub mod report;
