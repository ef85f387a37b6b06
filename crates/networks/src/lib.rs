//! Simulated networks: plans of topologies, switches, hosts and workloads, and the results of running them.
//!
//! [`plan`] reads a plan in TOML into a [`NetworkPlan`]; [`run()`] builds the network, runs it and returns an
//! [`Outcome`]; [`results`] holds its tables and [`files()`] its result files; [`sweep`] runs a plan for many values of
//! its fields. A [`Registry`] lists what plans can name. The crate knows protocols and queues only by their names and
//! parameters: their behaviour is in `transports` and `queues`, and virtual time in `netsim`. Begin with
//! [`plan::read()`] and [`run()`]:
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::path::Path;
//!
//! use networks::{Next, Running, Short};
//!
//! let (topology, workloads) = ("single-switch:4".into(), vec!["incast:3x30kB".into()]);
//! let short = Short { topology, workloads, ..Short::default() };
//! let plan = networks::plan::read("incast", "incast.toml", &short.to_toml(), Path::new(""), None)?;
//! let running = Running::through(Path::new(""), NonZeroUsize::MIN);
//! let outcome = networks::run(plan, &running, &mut |_| Next::GoOn)?.outcome().expect("the run was not paused");
//! assert_eq!(outcome.summary.delivered, 3);
//! # Ok::<(), diagnostics::Failure>(())
//! ```

pub mod aggregators;
mod build;
mod controlled;
pub mod disciplines;
mod ideal;
pub mod jobs;
pub mod method;
mod need;
mod page;
pub mod plan;
mod registry;
mod result_files;
pub mod results;
pub mod sweep;
pub mod topologies;
pub mod transports;
pub mod workloads;

pub use method::NetworkMethod;
pub use plan::{NetworkPlan, Short};
pub use registry::Registry;
#[cfg(feature = "parquet")]
pub use result_files::parquet_files;
pub use result_files::{files, is_result};
pub use results::{Next, Outcome, Ran, Running, Stage, run, run_to_the_end};
