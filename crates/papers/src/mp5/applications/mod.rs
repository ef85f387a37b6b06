//! Figure 8 of the MP5 paper: four real programs on real traffic (section 4.4), and their throughput at one packet per
//! cycle and pipeline, which the paper's load does not reach.
//!
//! The published simulator runs no programs but traces that represent them, in which each index belongs to one flow,
//! and all flows are equally likely (or 95% of packets belong to 30% of the flows). [`ApplicationStreamsMethod`] makes
//! such traces; [`ApplicationsMethod`] runs the programs themselves on flows of web-search sizes.

mod application;
mod cap;
mod load;
mod method;
mod predicates;
mod predicates_method;
mod published_method;
mod run;
mod switch;
#[cfg(test)]
mod tests;

pub use application::{Application, ports};
pub use load::Load;
pub use method::ApplicationsMethod;
pub use predicates::Predicates;
pub use predicates_method::ApplicationPredicatesMethod;
pub use published_method::{ApplicationQueuesMethod, ApplicationStreamsMethod};
pub use run::{ApplicationOutcome, ApplicationPlan};
