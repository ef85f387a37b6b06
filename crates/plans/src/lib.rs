//! Reads plans written in TOML, and JSON with places.
//!
//! A plan is read entry by entry, so that one reading reports every mistake, each at its place in the file. The crate
//! knows the syntax of plans and how people write times, rates and sizes; it never knows what a plan describes.
//!
//! Begin with [`parse`], which turns a text into a TOML table, and [`Section`], which reads values with units, patterns
//! of names, and defaults that can be printed. [`Entries`] is the plainer reader below it. A [`Record`] holds named
//! values in order.
//!
//! ```
//! use plans::{Entries, Findings, Section};
//!
//! let text = "seed = 7\n\n[link]\nrate = \"100 Gbit/s\"\n";
//! let mut sources = diagnostics::Sources::new();
//! let id = sources.add("plan.toml", text);
//! let (table, mistakes) = plans::parse(text, id);
//! assert!(!mistakes.has_errors());
//!
//! let findings = Findings::new(id);
//! let plan = Section::root(Entries::of(&findings, "a plan", &table, 0..text.len()));
//! assert_eq!(plan.count("seed", 0..=u64::MAX, 1), 7);
//! let link = plan.section("link");
//! assert_eq!(link.count("hosts", 1..=64, 2), 2, "the default");
//! let mut printed = String::new();
//! link.end(&mut printed);
//! assert_eq!(printed, "\n[link]\nhosts = 2\n");
//! assert_eq!(findings.count(), 1, "`rate` was never requested");
//! ```

pub mod amount;
mod entries;
pub mod json;
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
pub use section::{LONGEST_SPIN, Section};
