//! The P4Info that the P4 compiler publishes beside its programs, against ours.
//!
//! Nothing of the published files is part of this project: they are read where they lie, and compared by what they mean.
//! What differs on purpose stands in `reasons.txt` beside this file.

mod meaning;
mod report;
mod run;
mod text_format;

use std::path::PathBuf;

pub use report::{Case, Collection, Outcome, Report, Tally};
pub use run::p4info_conformance;

/// Which published P4Infos are compared.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The folder of a checkout of p4lang/p4c, or of its `testdata` and `p4include`.
    pub compiler: Option<PathBuf>,
    /// The folder of a checkout of sonic-net/sonic-pins, or of its `sai_p4`.
    pub sai: Option<PathBuf>,
    /// Only programs whose names contain this.
    pub only: Option<String>,
    /// Read programs with the compiler's own headers instead of ours.
    pub with_their_headers: bool,
}
