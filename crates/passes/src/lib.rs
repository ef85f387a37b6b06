//! IR to IR, one pass a file, each opening with its reason.
//!
//! [`compile`] fits a program to a pipelined machine: it runs all passes of [`PASSES`] and gives a pipeline, or a
//! report of everything that does not fit. `docs/passes.md` tells the story of a program on its way.

mod address_resolution;
mod algebra;
mod atom_mapping;
pub mod atoms;
mod choices;
mod codelets;
mod common_subexpressions;
mod compile;
mod dead_code;
mod definitions;
mod demand;
mod dependency_graph;
mod flow_order;
mod functions;
mod hoisting;
mod if_conversion;
mod layout;
mod names;
mod predicates;
mod propagation;
mod report;
mod resolvability;
mod schedule;
mod single_assignment;
mod target;
mod three_address;
mod units;

pub use atom_mapping::{Codelet, Codelets};
pub use compile::{Compiled, Failure, PASSES, Refused, Snapshot, apply, compile};
pub use dependency_graph::graphviz;
pub use flow_order::FLOW_ORDER;
pub use layout::{Layout, Reason, Unresolved};
pub use report::{Finding, ResourceReport};
pub use target::{ANY_ATOM, Operations, Target};
