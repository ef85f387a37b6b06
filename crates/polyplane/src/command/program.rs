//! The identity of this build of `polyplane`.

use std::{env, fs};

/// Returns the version of this build: the package version and a hash of the executable. Saved states and results are
/// valid for one build only, as another build may compute something else.
pub fn version() -> String {
    let program = env::current_exe().and_then(fs::read).unwrap_or_default();
    format!("{} {:016x}", env!("CARGO_PKG_VERSION"), polyplane::rooms::files::fingerprint(&program))
}
