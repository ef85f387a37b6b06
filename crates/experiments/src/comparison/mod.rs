//! The comparison of measured with published numbers.

mod claim;
mod point;

pub use claim::{ClaimResult, claims};
pub use point::{Comparison, comparisons};

use std::fmt;

use serde::Serialize;

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Our number is within the tolerance.
    Reproduced,
    /// Our number is outside the tolerance.
    Differs,
    /// The numbers are shown but not judged.
    Landmark,
    /// There is a published number, but ours was not measured.
    NotMeasured,
    /// An invariant of our own, not a published statement, that holds.
    Holds,
    /// An invariant of our own, not a published statement, that does not hold, which is a defect.
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
