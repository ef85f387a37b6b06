//! Networks: plans of topologies, switches, hosts and workloads; what a run of one comes to.
//!
//! `plan` reads what a person wrote, `build` makes the network of it, `results` watches it run, and `page` and
//! `result_files` write down what came of it. None of them knows a protocol or the inside of a queue beyond the names of
//! their parameters.

mod build;
mod ideal;
mod need;
mod page;
pub mod plan;
mod registry;
mod result_files;
pub mod results;
pub mod sweep;
pub mod topologies;
pub mod transports;

pub use plan::{NetworkPlan, Short};
pub use registry::Registry;
#[cfg(feature = "parquet")]
pub use result_files::parquet_files;
pub use result_files::{files, is_result};
pub use results::{Next, Outcome, Ran, Running, Stage, run};
