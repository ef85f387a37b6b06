//! Results on disk: whole or not at all.

use std::fs;
use std::path::Path;

use experiments::Failure;

/// Writes a file, making the folders above it. It appears under its name only when it is whole.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let partial = path.with_extension("partial");
    let written =
        fs::create_dir_all(folder).and_then(|()| fs::write(&partial, bytes)).and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        // Half a file helps nobody; that this may fail too changes nothing.
        let _ = fs::remove_file(&partial);
        Failure::plain(format!("cannot write {}: {error}", path.display()))
    })
}
