//! Public collections of P4 programs: their packet tests run on a machine ([`programs`]), and the P4Info that others make of
//! them compared with ours ([`p4info`]).

pub mod p4info;
pub mod programs;
