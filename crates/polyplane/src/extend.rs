//! The traits that a machine or a transport from outside Polyplane implements, and the types that they use.
//!
//! `docs/extending.md` in the sources is the guide; `examples/own_switch.rs` and `examples/own_congestion_control.rs`
//! are short ones that run.

pub use basis::{Duration, Instant, snapshot};
pub use machines::{Device, Statistics, Unsuitable, v1model};
pub use networks::topologies::TopologyKind;
pub use networks::transports::{HostAttachment, TcpKind, TransportKind, TransportPlan};
pub use node::{Burst, Node, Outbox, Port, Station};
pub use plans::Section;
pub use transports::Transport;
pub use transports::tcp::{CongestionAlgorithm, CongestionControl, Heard, Window};
pub use workbench::LoadedProgram;
pub use workbench::kinds::{Fitted, Given, MachineKind, MachineOption, Settings, interpreted_switch};
