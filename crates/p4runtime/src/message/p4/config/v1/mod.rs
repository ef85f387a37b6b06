//! The package `p4.config.v1`: P4Info.

mod annotation;
mod info;
mod named_type;
mod state;
mod tables;
mod types;

pub use annotation::*;
pub use info::*;
pub use named_type::*;
pub use state::*;
pub use tables::*;
pub use types::*;
