//! One program of a collection, and what came of it.

use std::path::PathBuf;

use serde::Serialize;

use workbench::LoadOptions;

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
    /// SAI P4, the model of SONiC's switches: its instantiations, which must compile.
    SonicPins,
    /// The pipeline of SONiC's DASH, which must compile.
    Dash,
    /// The programs of p4-guide for v1model, which must compile.
    Guide,
}

impl Suite {
    /// Every suite.
    pub const ALL: [Self; 7] =
        [Self::Samples, Self::Translated, Self::Tutorials, Self::Errors, Self::SonicPins, Self::Dash, Self::Guide];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Translated => "translated",
            Self::Tutorials => "tutorials",
            Self::Errors => "errors",
            Self::SonicPins => "sonic-pins",
            Self::Dash => "dash",
            Self::Guide => "p4-guide",
        }
    }

    /// What it is.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Samples => "p4_16_samples with packet tests, for v1model",
            Self::Translated => "P4_14 programs, translated, with packet tests",
            Self::Tutorials => "solutions of the P4 tutorials",
            Self::Errors => "p4_16_errors, which must be refused",
            Self::SonicPins => "SAI P4 (sonic-net/sonic-pins), which must compile",
            Self::Dash => "the pipeline of DASH (sonic-net/DASH), which must compile",
            Self::Guide => "programs of jafingerhut/p4-guide with a V1Switch, which must compile",
        }
    }

    /// Whether its files may be parts of programs, which nobody can run.
    pub(super) const fn has_parts(self) -> bool {
        matches!(self, Self::SonicPins | Self::Guide)
    }

    /// Whether its programs only have to compile.
    pub(super) const fn only_compiles(self) -> bool {
        matches!(self, Self::SonicPins | Self::Dash | Self::Guide)
    }

    /// The suite of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.name() == name)
    }
}

/// A program and what is held against it.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) suite: Suite,
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// The packet test, or the compiler's answer; nothing for programs that only have to compile.
    pub(super) beside: PathBuf,
    /// Files that fill the tables first.
    pub(super) entries: Vec<PathBuf>,
    /// How it is read.
    pub(super) options: LoadOptions,
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
