//! Match tables: entries that the control plane writes and packets look up (P4_16 specification 1.2.5, section 14.2).
//!
//! Which entry wins depends on the match kinds, as BMv2's documentation of simple_switch describes the kinds of tables,
//! and so does the structure in which a table keeps its entries:
//!
//! - only `exact` fields: a hash table;
//! - one `lpm` field and otherwise `exact` ones: for each exact part a trie of prefixes; the longest prefix wins;
//! - a `ternary`, `range` or `optional` field: bit vectors, or a list if entries are few; the larger priority wins
//!   (P4Runtime specification 1.4, section 9.1). The length of a prefix in such a table decides whether an entry
//!   matches, and never which of two wins. Between equal priorities P4Runtime leaves the choice open; here the entry
//!   wins that was inserted earlier, as in BMv2;
//! - several `lpm` fields and otherwise `exact` ones, which compilers refuse: the same structure; the greatest sum of
//!   the prefixes' lengths wins, then the entry that was inserted earlier;
//! - no field at all: nothing matches, so that only the default action runs.
//!
//! Packets look up keys in words ([`MatchTable::lookup_words`]), for which nothing is allocated if they have at most 2048
//! bits. No structure is ever asked for its order, so that nothing depends on a hash.

mod entry;
mod error;
mod exact;
mod field;
mod found;
mod handles;
mod key_words;
mod long_keys;
mod matcher;
mod prefix;
mod ranked;
mod table;
mod target_words;
mod targets;

pub use entry::{Entry, EntryHandle, Target};
pub use error::TableError;
pub use field::{FieldMatch, KeyField, MatchKind};
pub use handles::HandleMap;
pub use table::MatchTable;
pub use target_words::{ActionWords, TargetWords};
use targets::Targets;
