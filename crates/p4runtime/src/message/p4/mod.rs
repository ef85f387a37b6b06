//! The packages below `p4`.

pub mod config;
pub mod tmp;
pub mod v1;
