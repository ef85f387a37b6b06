//! Plans in TOML, read entry by entry: everything that is wrong is found, each at its place. Values go by name.

mod entries;
mod parse;
mod record;

pub use entries::{Entries, Findings, Placed, Scalar, hint, value_of_name};
pub use parse::parse;
pub use record::{Record, Value};
