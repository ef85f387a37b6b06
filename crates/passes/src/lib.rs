//! Passes from IR to IR that fit a program to a pipelined machine.
//!
//! Begin with [`compile()`]: it runs the passes listed in [`PASSES`] in order and returns a pipeline, or a report of
//! everything that does not fit. [`flatten`] comes before it for programs with a parser: it splits off the parser
//! and the deparser and leaves the flat program that the passes take. Each pass is one file that opens with the reason
//! why it exists; `docs/passes.md` follows a program through all of them. Circuits that compute updates of state come,
//! with a proof, from [`atoms`].
//!
//! The passes know what a machine offers ([`Target`]) and what an architecture prescribes ([`arch::Architecture`]), but
//! no front end and nothing about how a machine keeps time.
//!
//! ```
//! use passes::{Layout, Target, compile};
//!
//! let text = "program count
//! field port: int<32>
//! register seen: int<32>[8] = fill 0
//! packet {
//!   @seen[port] = @seen[port] + 1i32
//! }";
//! let program = ir::parse::program("count.ir", text).unwrap();
//! let compiled = compile(&program, &Target::default(), Layout::Single, &mut ()).unwrap();
//! // The update of `seen` maps to an atom, and no packet of a single pipeline has to wait.
//! assert!(compiled.codelets.all[0].mapping.is_some());
//! assert!(compiled.unresolved.is_empty());
//! ```

mod address_resolution;
mod algebra;
mod atom_mapping;
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
mod fresh_names;
mod functions;
mod hoisting;
mod if_conversion;
mod layout;
mod memory;
mod observer;
mod predicates;
mod propagation;
mod report;
mod resolvability;
mod schedule;
pub mod segments;
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
