//! Experiments with published numbers: plans of one figure or table each, sweeps over their axes, comparison of what was
//! measured with what was published, and the document that shows both.
//!
//! No paper is known here. A [`plan::Method`] turns a point of the axes into a job, and a [`reproduce::Suite`] joins the
//! methods and the plans of a paper.

pub mod comparison;
pub mod plan;
pub mod reproduce;
pub mod results;
pub mod sweep;
