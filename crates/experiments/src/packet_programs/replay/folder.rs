//! The folder of results, and what lies in it already.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, Sources};

use crate::failure::Failure;
use crate::manifest::Manifest;

/// What every run writes, beside a capture for each port that packets leave by.
pub(super) const COUNTERS: &str = "counters.csv";
pub(super) const REGISTERS: &str = "registers.csv";
pub(super) const DROPS: &str = "drops.csv";
pub(super) const DIGESTS: &str = "digests.jsonl";
pub(super) const RESULT: &str = "result.json";
pub(super) const MANIFEST: &str = "manifest.txt";
const TEXTS: [&str; 6] = [COUNTERS, REGISTERS, DROPS, DIGESTS, RESULT, MANIFEST];
/// What the name of a file ends in until it is whole.
const PARTIAL: &str = ".partial";

/// The file of what leaves by a port.
pub(super) fn capture_name(port: u16) -> String {
    format!("port-{port}.pcapng")
}

/// Where a file lies until it is whole.
pub(super) fn partial(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{PARTIAL}"))
}

fn is_capture(name: &str) -> bool {
    let port = name.strip_prefix("port-").and_then(|rest| rest.strip_suffix(".pcapng"));
    port.is_some_and(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port))
}

/// Whether a run may write or remove a file of this name. By which ports packets leave shows only while it runs.
fn is_result(name: &str) -> bool {
    let name = name.strip_suffix(PARTIAL).unwrap_or(name);
    TEXTS.contains(&name) || is_capture(name)
}

/// Refuses a folder in which results would take the place of what the run reads.
///
/// # Errors
/// Every file that is both.
pub(super) fn refuse_inputs<'p>(folder: &Path, inputs: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
    // A folder that is not there holds no input.
    let Ok(whole) = fs::canonicalize(folder) else { return Ok(()) };
    let lies_there = |path: &Path| {
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => return false,
        };
        let name = path.file_name().is_some_and(|name| is_result(&name.to_string_lossy()));
        name && fs::canonicalize(parent).is_ok_and(|parent| parent == whole)
    };
    let mut refused = Diagnostics::new();
    for path in inputs {
        // A link is taken for what it is, and for what it points to.
        if lies_there(path) || fs::canonicalize(path).is_ok_and(|target| lies_there(&target)) {
            let message = format!("{} is read, and results in {} take its place", path.display(), folder.display());
            refused.push(Diagnostic::without_place(message).hint("name another folder with `--out-dir`"));
        }
    }
    refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
}

/// Takes away what a run left behind that was cut off.
pub(super) fn remove_partial(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(PARTIAL) && is_result(&name) {
            fs::remove_file(folder.join(&*name))?;
        }
    }
    Ok(())
}

/// Takes away the captures of an earlier run, which would be taken for this one's: those that its manifest names and
/// that are not written again.
pub(super) fn remove_earlier(folder: &Path, written: &[String]) -> io::Result<()> {
    // Without a manifest nothing there is known to be ours.
    let Ok(manifest) = fs::read_to_string(folder.join(MANIFEST)) else { return Ok(()) };
    for name in Manifest::outputs(&manifest).filter(|name| is_capture(name)) {
        if !written.iter().any(|written| written == name) && folder.join(name).is_file() {
            fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}
