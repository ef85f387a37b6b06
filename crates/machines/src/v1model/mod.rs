//! v1model: the switch that P4_16 programs are most often written for, as `v1model.p4` and BMv2's `simple_switch.md`
//! describe it. See `docs/machines/v1model.md` for its rules.

mod asked;
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
mod reads;
pub mod reasons;
mod run;
mod station;
mod statistics;
mod switch;
mod traveller;

use crate::trace;
pub use executor::Executor;
pub use frame::Frame;
pub use parameters::Parameters;
pub use statistics::Statistics;
pub use switch::Switch;

/// Where a packet comes from: the numbers of `instance_type`, as BMv2 gives them. `v1model.p4` has no names for them.
pub mod instance_type {
    /// From outside.
    pub const NORMAL: u64 = 0;
    /// A clone of a packet in ingress.
    pub const INGRESS_CLONE: u64 = 1;
    /// A clone of a packet in egress.
    pub const EGRESS_CLONE: u64 = 2;
    /// Put together from several packets: has a number, but never happens.
    pub const COALESCED: u64 = 3;
    /// Back from egress.
    pub const RECIRCULATED: u64 = 4;
    /// A copy for a member of a multicast group.
    pub const REPLICATED: u64 = 5;
    /// Back from ingress.
    pub const RESUBMITTED: u64 = 6;
}
