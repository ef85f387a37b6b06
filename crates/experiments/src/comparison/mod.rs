//! Published numbers beside measured ones.

mod claim;
mod point;

pub use claim::{ClaimResult, claims};
pub use point::{Comparison, comparisons};

use std::fmt;

use serde::Serialize;

/// What came of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Ours is within the tolerance.
    Reproduced,
    /// It is not.
    Differs,
    /// Nothing says that it should be: shown only.
    Landmark,
    /// There is a published number, and none of ours.
    NotMeasured,
    /// Nothing published, but what must be so, and is.
    Holds,
    /// Nothing published, but what must be so, and is not: something is wrong with us.
    Broken,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reproduced => "reproduced",
            Self::Differs => "differs",
            Self::Landmark => "landmark",
            Self::NotMeasured => "not measured",
            Self::Holds => "holds",
            Self::Broken => "BROKEN",
        })
    }
}
