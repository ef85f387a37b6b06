//! Which program this is.

use std::{env, fs};

/// What a state or a result is one of, beside its plan: a program that was built anew may compute something else.
pub fn version() -> String {
    let program = env::current_exe().and_then(fs::read).unwrap_or_default();
    format!("{} {:016x}", env!("CARGO_PKG_VERSION"), polyplane::rooms::files::fingerprint(&program))
}
