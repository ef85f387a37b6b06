//! The traits that a machine, a transport, a topology, a queue discipline or a workload from outside Polyplane implements, and
//! the types that they use.
//!
//! `docs/extending.md` in the sources is the guide; `examples/own_switch.rs`, `examples/own_congestion_control.rs`,
//! `examples/own_discipline.rs` and `examples/own_workload.rs` are short ones that run.

pub use basis::{Duration, Instant, Random, Rate, snapshot};
pub use demand::{Application, Arrived, Extent, HostOf, Making, Message, Unfit, Wanted, WorkloadPlan};
pub use machines::{Device, Statistics, Unsuitable, v1model};
pub use networks::disciplines::{DisciplineKind, QueueReading};
pub use networks::topologies::{Reading, TopologyKind};
pub use networks::transports::{HostAttachment, TcpKind, TransportKind, TransportPlan};
pub use networks::workloads::WorkloadKind;
pub use node::{Burst, Node, Outbox, Port, SenderState, Station};
pub use plans::Section;
pub use queues::{Arriving, Decision, Discipline, DisciplineParameters, DisciplinePlan, Lanes, Leaving};
pub use transports::Transport;
pub use transports::tcp::{CongestionAlgorithm, CongestionControl, Heard, Window};
pub use workbench::LoadedProgram;
pub use workbench::kinds::{Fitted, Given, MachineKind, MachineOption, Settings, interpreted_switch};
