//! The crates that Polyplane is made of, each under its own name.
//!
//! ARCHITECTURE.md in the sources says what each knows and never knows, and what the contracts are between them.
//! Someone who adds a machine implements [`machines::Device`] and [`workbench::kinds::MachineKind`]; someone who adds a
//! transport implements [`transports::Transport`]. [`extend`](crate::extend) has what most of them need.

pub use arch;
pub use atoms;
pub use basis;
pub use bpf;
pub use conformance;
pub use constraints;
pub use control;
pub use demand;
pub use diagnostics;
pub use domino;
pub use equivalence;
pub use experiments;
pub use files;
pub use ir;
pub use lab;
pub use live;
pub use machines;
pub use measure;
pub use microcode;
pub use native;
pub use netsim;
pub use networks;
pub use node;
pub use papers;
pub use passes;
pub use plans;
pub use queues;
pub use report;
pub use runtime;
pub use service;
pub use switchd;
pub use traffic;
pub use transports;
pub use trio;
pub use units;
pub use vswitch;
pub use vswitchd;
pub use wire;
pub use workbench;
