//! The published papers that Polyplane reproduces, one module each: the methods of its experiments, its programs,
//! streams and published numbers.
//!
//! Everything specific to a paper is here, so that `experiments` and the machines know none. A paper knows machines by
//! their parameters, and never their inside. Begin with [`mp5::suite`].

pub mod atp;
#[cfg(test)]
mod every_experiment;
pub mod mp5;
mod registry;
pub mod trimming;
pub mod trio_ml;

pub use registry::{ALL, Paper};
