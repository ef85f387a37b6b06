//! Figure 8 of the MP5 paper: four real programs on real traffic (section 4.4), and how they do when every pipeline
//! gets a packet a cycle, which the paper's load leaves open.
//!
//! The published simulator runs no programs: it has traces that stand for them, in which each index belongs to one flow
//! and every flow is as likely (or 30% of them are). [`ApplicationStreamsMethod`] makes such traces;
//! [`ApplicationsMethod`] runs the programs themselves on flows of web-search sizes.

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
