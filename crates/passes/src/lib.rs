//! IR to IR, one pass a file, each opening with its reason.

mod algebra;
mod choices;
pub mod common_subexpressions;
pub mod dead_code;
mod definitions;
mod demand;
mod dependency_graph;
mod functions;
pub mod hoisting;
pub mod if_conversion;
mod names;
mod predicates;
pub mod propagation;
mod report;
pub mod single_assignment;
mod target;
pub mod three_address;

pub use dependency_graph::graphviz;
pub use report::{Finding, ResourceReport};
pub use target::{Operations, Target};
