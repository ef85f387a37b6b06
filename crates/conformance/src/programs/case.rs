//! One program of a collection, and its verdict.

use std::path::PathBuf;

use serde::Serialize;

use workbench::LoadOptions;

/// A set of programs from one collection that are tested in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Suite {
    /// `p4_16_samples` with packet tests, for v1model.
    Samples,
    /// `p4_14_samples_outputs` with the packet tests of `p4_14_samples`: P4_14 programs as the compiler translates
    /// them.
    Translated,
    /// The solutions of the P4 tutorials, with our own packet tests.
    Tutorials,
    /// `p4_16_errors`: programs that must be rejected at the places at which the compiler rejects them.
    Errors,
    /// The instantiations of SAI P4, the model of SONiC's switches, which must compile.
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

    /// Returns the name of the suite on the command line.
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

    /// Returns a description of the suite for reports.
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

    /// Returns true if some files of the suite are only parts of programs, which cannot be run.
    pub(super) const fn has_parts(self) -> bool {
        matches!(self, Self::SonicPins | Self::Guide)
    }

    /// Returns true if the programs of the suite only have to compile.
    pub(super) const fn only_compiles(self) -> bool {
        matches!(self, Self::SonicPins | Self::Dash | Self::Guide)
    }

    /// Returns the suite with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.name() == name)
    }
}

/// A program and the test that it has to pass.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) suite: Suite,
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// The packet test or the compiler's error output; an empty path for programs that only have to compile.
    pub(super) beside: PathBuf,
    /// Files whose requests fill the tables before the test.
    pub(super) entries: Vec<PathBuf>,
    /// The options with which the program is read.
    pub(super) options: LoadOptions,
}

/// The verdict on a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The suite to which the program belongs.
    pub suite: Suite,
    /// The name of the program.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
}

/// The verdict on a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The program behaves as its test requires.
    Passed,
    /// The program does not behave as its test requires, for this reason.
    Failed(String),
    /// The program fails, but is not required to pass, for this reason.
    Excluded(String),
}
