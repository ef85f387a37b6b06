//! IR to IR, one pass a file, each opening with its reason.
//!
//! [`compile`] fits a program to a pipelined machine: it runs all passes of [`PASSES`] and gives a pipeline, or a
//! report of everything that does not fit. `docs/passes.md` tells the story of a program on its way.

mod address_resolution;
mod algebra;
mod atom_mapping;
pub mod atoms;
mod choice_chains;
mod choices;
mod codelets;
mod common_subexpressions;
mod compile;
mod dead_code;
mod definitions;
mod demand;
mod dependency_graph;
mod fitting;
pub mod flatten;
mod flow_order;
mod functions;
mod hoisting;
mod if_conversion;
mod layout;
mod memory;
mod names;
mod observer;
mod predicates;
mod propagation;
mod report;
mod resolvability;
mod schedule;
mod single_assignment;
mod smallest;
mod stage_use;
mod target;
mod three_address;
mod units;

pub use atom_mapping::{Codelet, Codelets};
pub use choice_chains::verify_choices;
pub use compile::{Compiled, Failure, PASSES, Refused, apply, compile};
pub use dependency_graph::graphviz;
pub use fitting::{Dependency, DependencyKind, FittedTable, Fitting, Step, TablePart};
pub use flow_order::FLOW_ORDER;
pub use layout::{Layout, Reason, Unresolved};
pub use memory::{Blocks, MatchMemory, TableShape, USUAL_SIZE, register_blocks};
pub use observer::{Made, Observer};
pub use report::{Finding, ResourceReport};
pub use smallest::Smallest;
pub use stage_use::{Limit, StageUse};
pub use target::{ANY_ATOM, MatchAction, Operations, Target};
