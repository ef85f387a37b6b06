//! Machines that run compiled programs, one module per switch architecture.
//!
//! Every machine is a [`Device`]: a node that runs one program, takes requests of its control plane in order with
//! packets, and shows the program's state. [`Banzai`], [`Mp5`] and [`recirculating`] step pipelines cycle by cycle;
//! what they have in common is in [`pipelines`], and how packets enter and leave a pipeline is in [`edge`]. [`v1model`]
//! runs the blocks of a packet program on each arriving packet. [`trace`] records what happens to packets, and
//! [`drive`] runs a machine until it is idle.
//!
//! The crate knows stages, memories, cycles, queues inside a chip, and copies and recirculations of packets. It knows
//! no source languages, no topologies and no wall-clock time. Begin with [`Device`] and then read the module of one
//! machine.
//!
//! ```
//! use basis::Instant;
//! use machines::{Banzai, Device, banzai};
//! use node::{Node, Outbox, Port};
//! use runtime::binding::Binding;
//! use wire::Packet;
//!
//! // Every packet increments a register and carries its new value away.
//! let text = "pipeline sequencer\nfield number: int<32>\nlocal old: int<32>\nlocal new: int<32>\n\
//!     register count: int<32> = 0\nresolution 0\nstage {\n  atom raw {\n    old = @count\n    new = old + 1i32\n    \
//!     @count = new\n  }\n}\naccess @count stage 0 always pinned\nexport number = new\n";
//! let pipeline = ir::parse::pipeline("sequencer.ir", text).expect("the text is a pipeline");
//! let parameters = banzai::BanzaiParameters::default();
//! let mut machine = Banzai::new(&pipeline, Binding::record(vec![32]), parameters).expect("it fits");
//!
//! let mut out = Outbox::default();
//! out.begin(Instant::ZERO);
//! machine.receive(Instant::ZERO, Port(0), &mut vec![Packet::of_bytes(&[0; 4])], &mut out);
//! while let Some(deadline) = out.take_deadline() {
//!     out.begin(deadline);
//!     machine.wake(deadline, &mut out);
//! }
//! assert_eq!(out.transmissions[0].packet.head.bytes(), [0, 0, 0, 1]);
//! assert_eq!(machine.state().registers.array(0), [1]);
//! ```

pub mod aggregator;
pub mod banzai;
pub mod blocks;
pub mod chip;
mod described;
mod device;
pub mod edge;
mod engine;
pub mod mp5;
mod parts;
pub mod pipelines;
pub mod reasons;
pub mod recirculating;
mod registers;
mod remote;
mod sealed;
pub mod stages;
mod standstill;
mod statistics;
pub mod threads;
mod timeline;
pub mod tofino;
pub mod trace;
pub mod trio;
mod unsuitable;
pub mod v1model;

pub use banzai::Banzai;
pub use chip::Chip;
pub use described::control_plane_of;
pub use device::Device;
pub use edge::Edge;
pub use mp5::Mp5;
pub use parts::PartUse;
pub use pipelines::Pipelined;
pub use remote::{Answers, Attended, Remote, Waker};
pub use standstill::{Standstill, Stuck, drive};
pub use statistics::Statistics;
pub use timeline::{Moment, PacketLocation, Timeline, WaitingState};
pub use unsuitable::Unsuitable;
