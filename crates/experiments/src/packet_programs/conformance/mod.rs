//! The public programs of the P4 compiler, of the P4 tutorials and of some who use P4: which do here what they must.
//!
//! Nothing of them is part of this project. What is excluded on purpose stands in `exclusions.txt` beside this file
//! with its reason, and for programs that must be refused in the front end's own list. No case is cut by time: every
//! packet is bounded by steps, and every program by the limits of the front end.

mod case;
mod collect;
mod exclusions;
mod refusals;
mod report;
mod run;

use std::path::PathBuf;

use super::SwitchOptions;

pub use case::{Case, Suite, Verdict};
pub use report::Report;
pub use run::conformance;

/// Which programs are run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The folder of a checkout of p4lang/p4c, or of its `testdata` and `p4include`.
    pub compiler: Option<PathBuf>,
    /// The folder of a checkout of p4lang/tutorials.
    pub tutorials: Option<PathBuf>,
    /// The folder of a checkout of sonic-net/sonic-pins.
    pub sonic_pins: Option<PathBuf>,
    /// The folder of a checkout of sonic-net/DASH.
    pub dash: Option<PathBuf>,
    /// The folder of a checkout of jafingerhut/p4-guide.
    pub guide: Option<PathBuf>,
    /// The folder of our packet tests of the tutorials.
    pub tutorial_tests: Option<PathBuf>,
    /// Only these suites; all if empty.
    pub suites: Vec<Suite>,
    /// Only programs whose names contain this.
    pub only: Option<String>,
    /// How the switch is built.
    pub options: SwitchOptions,
    /// How many programs at a time.
    pub threads: usize,
}
