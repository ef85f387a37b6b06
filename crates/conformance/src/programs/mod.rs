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

use workbench::kinds::{self, Kind, Settings};

pub use case::{Case, Suite, Verdict};
pub use report::Report;
pub use run::conformance;

/// Which programs are run.
#[derive(Clone)]
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
    /// The machine.
    pub machine: &'static dyn Kind,
    /// How it is built.
    pub settings: Settings,
    /// Where everything random is drawn from.
    pub seed: u64,
    /// How many programs at a time.
    pub threads: usize,
}

impl Default for Plan {
    /// Nothing, on the switch that the programs are written for.
    fn default() -> Self {
        Self {
            compiler: None,
            tutorials: None,
            sonic_pins: None,
            dash: None,
            guide: None,
            tutorial_tests: None,
            suites: Vec::new(),
            only: None,
            machine: kinds::MEANING,
            settings: Settings::default(),
            seed: 1,
            threads: 1,
        }
    }
}
