//! Elements of arrays in answers.

use serde::{Deserialize, Serialize};

/// A value with its place in an array, or with the entry of the table to which it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// The index, or the key of the entry.
    pub at: String,
    /// The value in words, such as `3 packets 180 bytes`.
    pub value: String,
}
