//! Compares the P4Info that the P4 compiler publishes for its programs with ours.
//!
//! The published files are not part of this project. They are read from checkouts and compared by meaning, not as text.
//! Intended differences are listed in `reasons.txt` beside this file.

mod meaning;
mod report;
mod run;
mod text_format;

use std::path::PathBuf;

pub use report::{Case, Collection, Outcome, Report, Tally};
pub use run::p4info_conformance;

/// The published P4Infos to compare.
#[derive(Clone, Debug, Default)]
pub struct P4infoConformancePlan {
    /// The folder of a checkout of p4lang/p4c, or of its `testdata` and `p4include`.
    pub compiler: Option<PathBuf>,
    /// The folder of a checkout of sonic-net/sonic-pins, or of its `sai_p4`.
    pub sai: Option<PathBuf>,
    /// A part of the names of the programs to compare; all are compared if `None`.
    pub only: Option<String>,
    /// Whether programs are read with the compiler's own headers instead of ours.
    pub with_their_headers: bool,
}
