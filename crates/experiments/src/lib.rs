//! Reproduction of published experiments: plans of one figure or table each, sweeps over their axes, the comparison of
//! measured with published numbers, and the report that shows both.
//!
//! The crate knows no paper and no machine. A [`plan::Method`] turns a point of the axes into a job; a
//! [`reproduce::Suite`] joins the methods and plans of a paper. Begin with [`reproduce::reproduce`], which runs a
//! suite, or with [`sweep::sweep`], which runs any jobs:
//!
//! ```
//! use std::num::NonZeroUsize;
//!
//! use experiments::results::rows_to_csv;
//! use experiments::sweep::{Job, sweep};
//! use plans::Record;
//!
//! let job = |x: u64| Job::new(Record::new().with("x", x), 1, move || Ok(Record::new().with("square", x * x)));
//! let rows = sweep(&[job(2), job(3)], NonZeroUsize::MIN, None, &mut |_| {})?;
//! assert_eq!(rows_to_csv(&rows), "x,square\n2,4\n3,9\n");
//! # Ok::<(), diagnostics::Failure>(())
//! ```

pub mod comparison;
pub mod plan;
pub mod reproduce;
pub mod results;
pub mod sweep;
