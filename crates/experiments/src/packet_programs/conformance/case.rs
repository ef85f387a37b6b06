//! One program of a collection, and what came of it.

use std::path::PathBuf;

use serde::Serialize;

/// A part of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Suite {
    /// `p4_16_samples` with packet tests, for v1model.
    Samples,
    /// `p4_14_samples_outputs` with the packet tests of `p4_14_samples`: P4_14 as the compiler translates it.
    Translated,
    /// The solutions of the P4 tutorials with packet tests of ours.
    Tutorials,
    /// `p4_16_errors`: programs that must be refused, where the compiler refuses them.
    Errors,
}

impl Suite {
    /// Every suite.
    pub const ALL: [Self; 4] = [Self::Samples, Self::Translated, Self::Tutorials, Self::Errors];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Translated => "translated",
            Self::Tutorials => "tutorials",
            Self::Errors => "errors",
        }
    }

    /// What it is.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Samples => "p4_16_samples with packet tests, for v1model",
            Self::Translated => "P4_14 programs, translated, with packet tests",
            Self::Tutorials => "solutions of the P4 tutorials",
            Self::Errors => "p4_16_errors, which must be refused",
        }
    }

    /// The suite of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.name() == name)
    }
}

/// A program and what is held against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) suite: Suite,
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// The packet test, or the compiler's answer.
    pub(super) beside: PathBuf,
    /// Files that fill the tables first.
    pub(super) entries: Vec<PathBuf>,
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Where it comes from.
    pub suite: Suite,
    /// Its name.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// What must come of it.
    Passed,
    /// Something else, for this reason.
    Failed(String),
    /// It is not held to it, for this reason.
    Excluded(String),
}
