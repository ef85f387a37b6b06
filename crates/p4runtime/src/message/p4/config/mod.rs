//! The packages below `p4.config`.

pub mod v1;
