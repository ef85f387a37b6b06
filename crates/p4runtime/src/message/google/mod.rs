//! The two messages of other packages that P4Runtime uses.

pub mod protobuf;
pub mod rpc;
