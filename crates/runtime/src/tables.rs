//! Match tables: entries that the control plane writes and packets look up (P4_16 specification 1.2.5, section 14.2).
//!
//! A table keeps its entries in a structure made for its match kinds, as BMv2's documentation of simple_switch
//! describes the kinds of tables:
//!
//! - only `exact` fields: a hash table;
//! - one `lpm` field and otherwise `exact` ones: for each exact part a trie of prefixes; the longest prefix wins;
//! - a `ternary`, `range` or `optional` field: a list in the order of priorities; the larger priority wins
//!   (P4Runtime specification 1.4, section 9.1). The length of a prefix in such a table decides whether an entry
//!   matches, and never which of two wins. Between equal priorities P4Runtime leaves the choice open; here the entry
//!   wins that was inserted earlier, as in BMv2;
//! - several `lpm` fields and otherwise `exact` ones, which compilers refuse: the greatest sum of the prefixes' lengths
//!   wins, then the entry that was inserted earlier;
//! - no field at all: nothing matches, so that only the default action runs.
//!
//! No structure is ever asked for its order, so that nothing depends on a hash.

mod entry;
mod error;
mod exact;
mod field;
mod handles;
mod matcher;
mod prefix;
mod ranked;
mod table;
mod target_words;

pub use entry::{Entry, EntryHandle, Target};
pub use error::TableError;
pub use field::{FieldMatch, KeyField, MatchKind};
pub use handles::HandleMap;
pub use table::MatchTable;
pub use target_words::{ActionWords, TargetWords};
