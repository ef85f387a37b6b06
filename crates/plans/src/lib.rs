//! Plans in TOML, read entry by entry: everything that is wrong is found, each at its place. Values go by name.
//!
//! [`Section`] is the dialect in which people write plans: times, rates and sizes with their units, names with stars, defaults
//! that can be printed. [`Entries`] is what it stands on.

pub mod amount;
mod entries;
mod mentions;
mod parse;
mod pattern;
mod record;
mod section;

pub use amount::Amount;
pub use entries::{Entries, Findings, Placed, Scalar, hint, value_of_name};
pub use mentions::{Mention, Mentions};
pub use parse::parse;
pub use pattern::Pattern;
pub use record::{Record, Value};
pub use section::Section;
