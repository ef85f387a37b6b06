//! Match tables: entries that the control plane writes and packets look up (P4_16 specification 1.2.5, section 14.2).
//!
//! The match kinds of the key decide which entry wins, following the kinds of tables in BMv2's documentation of
//! simple_switch, and also the data structure that holds the entries:
//!
//! - only `exact` fields: a hash table, or an array if the keys are small numbers;
//! - one `lpm` field and otherwise `exact` ones: a trie of prefixes for each combination of exact values; the longest
//!   prefix wins;
//! - a `ternary`, `range` or `optional` field: bit vectors, or a list if entries are few; the entry with the larger
//!   priority wins (P4Runtime specification 1.4, section 9.1). The length of a prefix in such a table decides only
//!   whether an entry matches, not which of two wins. P4Runtime leaves the choice between equal priorities open; here
//!   the entry that was inserted earlier wins, as in BMv2;
//! - several `lpm` fields and otherwise `exact` ones, which compilers refuse: the same structure; the entry with the
//!   greatest sum of prefix lengths wins, then the one that was inserted earlier;
//! - no fields: nothing matches, so only the default action runs.
//!
//! Packets look up keys in words ([`MatchTable::lookup_words`]). Nothing is allocated for keys of at most 2048 bits. No
//! structure is ever iterated in an order that depends on a hash.

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
mod shortcuts;
mod table;
mod target_words;
mod targets;
mod word_map;

pub use entry::{EntryHandle, TableEntry, Target};
pub use error::TableError;
pub(crate) use exact::HASHER;
pub use field::{FieldMatch, KeyField, MatchKind};
pub use handles::HandleMap;
pub use shortcuts::{Shortcut, Shortcuts, WordKey};
pub use table::MatchTable;
pub use target_words::{ActionWords, TargetWords};
use targets::Targets;
