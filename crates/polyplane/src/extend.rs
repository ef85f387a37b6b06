//! The traits that a machine, a transport, a topology or a queue discipline from outside Polyplane implements, and the types
//! that they use.
//!
//! `docs/extending.md` in the sources is the guide; `examples/own_switch.rs`, `examples/own_congestion_control.rs`
//! and `examples/own_discipline.rs` are short ones that run.

pub use basis::{Duration, Instant, Random, Rate, snapshot};
pub use machines::{Device, Statistics, Unsuitable, v1model};
pub use networks::disciplines::{DisciplineKind, QueueReading};
pub use networks::topologies::TopologyKind;
pub use networks::transports::{HostPlace, TcpKind, TransportKind, TransportPlan};
pub use node::{Burst, Node, Outbox, Port, SenderState, Station};
pub use plans::Section;
pub use queues::{Arriving, Decision, Discipline, DisciplineParameters, DisciplinePlan, Lanes, Leaving};
pub use transports::Transport;
pub use transports::tcp::{CongestionAlgorithm, CongestionControl, Heard, Window};
pub use workbench::LoadedProgram;
pub use workbench::kinds::{Fitted, Given, Kind, MachineOption, Settings, interpreted_switch};
