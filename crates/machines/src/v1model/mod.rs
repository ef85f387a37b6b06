//! v1model: the switch that P4_16 programs are most often written for, as `v1model.p4` and BMv2's `simple_switch.md`
//! describe it. See `docs/machines/v1model.md` for its rules.

mod asked;
mod buffer;
mod copies;
mod device;
mod egress;
pub mod events;
mod executor;
mod frame;
mod ingress;
mod intrinsics;
mod layout;
mod leave;
mod parameters;
mod queues;
mod reads;
pub mod reasons;
mod run;
mod snapshot;
mod station;
mod statistics;
mod switch;
mod tell;
mod traveller;

use crate::trace;
pub use executor::{Executor, Ran};
pub use frame::Frame;
pub use parameters::Parameters;
pub use statistics::Statistics;
pub use switch::Switch;
