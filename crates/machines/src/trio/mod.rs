//! The run-to-completion chip of *Using Trio: Juniper Networks' programmable chipset for emerging in-network applications*
//! (SIGCOMM 2022).

pub mod memory;
