//! The cloud virtual switch of Triton (Li et al., SIGCOMM 2024), as a device without I/O.
//!
//! The crate begins with its sessions: [`session::SessionTable`] finds both directions of a connection by flow id or by
//! their keys, follows TCP, and ends what nobody uses.

pub mod session;
