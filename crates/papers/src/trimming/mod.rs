//! Packet trimming: "Implementing packet trimming support in hardware" (Popa et al.): ways to trim in a switch (sections 6.1
//! to 6.3, the method `switches`; section 3, `depths`), flows at line rate (sections 4 and 6.4, `validation`), and what small
//! buffers with trimming do for the hosts of a testbed (section 6.5).
//!
//! Each experiment of section 6.5 is a [`NetworkMethod`](networks::NetworkMethod) over two plans of a network, the
//! stack of Linux before switches that drop and EQDS before switches that trim, which are also plans of `polyplane
//! sim`.

mod depths;
mod first_test;
mod pings;
mod requests;
mod shipped;
mod suite;
mod switches;
mod validation;

pub use suite::suite;

/// The axis that says what carries messages, and what switches do with packets for which there is no room.
const STACK: &str = "stack";

/// TCP (CUBIC), before switches that drop.
const TCP: &str = "tcp";

/// EQDS, before switches that trim.
const EQDS: &str = "eqds";
