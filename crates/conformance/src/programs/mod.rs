//! Runs the public programs of the P4 compiler, of the P4 tutorials and of users of P4, and checks that they behave as
//! they must.
//!
//! None of these programs is part of this project. `exclusions.txt` beside this file lists the excluded programs with
//! the reasons; for programs that must be rejected, the list is that of the front end's own tests. There are no time
//! limits: every packet is bounded by a number of steps, and every program by the limits of the front end.

mod case;
mod collect;
mod exclusions;
mod refusals;
mod report;
mod run;

use std::path::PathBuf;

use workbench::kinds::{self, MachineKind, Settings};

pub use case::{Case, Suite, Verdict};
pub use report::Report;
pub use run::conformance;

/// The programs to run, and the machine to run them on.
#[derive(Clone)]
pub struct ConformancePlan {
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
    /// The suites to run; all if empty.
    pub suites: Vec<Suite>,
    /// A part of the names of the programs to run; all programs run if `None`.
    pub only: Option<String>,
    /// The machine on which the programs run.
    pub machine: &'static dyn MachineKind,
    /// The settings of the machine.
    pub settings: Settings,
    /// The seed of everything random.
    pub seed: u64,
    /// The number of programs that run in parallel.
    pub threads: usize,
}

impl Default for ConformancePlan {
    /// Returns a plan without collections, on the switch for which the programs are written.
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
