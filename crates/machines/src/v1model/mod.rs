//! v1model: the switch architecture that most P4_16 programs are written for, as described by `v1model.p4` and by
//! BMv2's `simple_switch.md`. `docs/machines/v1model.md` describes its rules.

mod asked;
mod buffer;
mod copies;
mod device;
mod egress;

mod idle;
mod ingress;
mod intrinsics;
mod layout;
mod leave;
mod metadata;
mod parameters;
mod queues;
mod reads;
pub mod reasons;
mod run;
mod snapshot;
mod station;
mod statistics;
mod switch;
mod traveller;
mod whole;

use crate::trace;
pub use parameters::V1modelParameters;
pub use statistics::Statistics;
pub use switch::Switch;
