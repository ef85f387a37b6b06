//! IR to IR, one pass a file, each opening with its reason.

mod target;

pub use target::{Operations, Target};
