//! The chip for programs of the Tofino Native Architecture, with programs in P4.

mod bench;
mod by_pipe;
mod conservation;
mod damaged_settings;
mod destinations;
mod generator;
mod ghost;
mod idle;
mod manager;
mod metadata;
mod meters;
mod pipes;
mod saved;
mod settings;
mod timing;
mod told;
