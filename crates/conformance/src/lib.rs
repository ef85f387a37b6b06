//! Tests Polyplane against public collections of P4 programs.
//!
//! [`programs`] runs the packet tests of the programs on a machine and checks that faulty programs are rejected.
//! [`p4info`] compares the P4Info that the P4 compiler publishes for its programs with ours. The collections are read
//! from checkouts and are not part of this project. The crate knows nothing of the inside of any machine.

pub mod p4info;
pub mod programs;
