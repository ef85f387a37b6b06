//! Finds and removes the files that an earlier run left in a folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::MANIFEST;
use crate::manifest::{Fingerprint, Manifest};

/// The treatment of the files of an earlier run that this run does not overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// They are removed, because beside new files they would be taken for results of the new run.
    Goes,
    /// They stay, because each is complete in itself and took long to compute. The new manifest says that they are of
    /// an earlier run.
    Stays,
}

/// The files of an earlier run, by name.
pub(super) struct Left {
    /// The files to remove.
    going: Vec<String>,
    /// The files that stay, each with its hash, or `None` if the file has changed since it was written.
    staying: Vec<(String, Option<Fingerprint>)>,
}

/// Finds the files that an earlier run left in a folder and that `manifest` does not name.
pub(super) fn left(folder: &Path, manifest: &Manifest, earlier: Earlier) -> io::Result<Left> {
    let mut left = Left { going: Vec::new(), staying: Vec::new() };
    // Without a manifest, no file there is known to be ours.
    let Ok(before) = fs::read_to_string(folder.join(MANIFEST)) else { return Ok(left) };
    let now = manifest.to_text();
    for (name, written) in Manifest::all_outputs(&before) {
        let path = folder.join(name);
        let is_within = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let is_new = Manifest::outputs(&now).any(|(new, _)| new == name);
        // A symbolic link may lead to a file that somebody else wrote.
        if !is_within || is_new || name == MANIFEST || !fs::symlink_metadata(&path).is_ok_and(|it| it.is_file()) {
            continue;
        }
        let found = hash(&path)?;
        match earlier {
            Earlier::Goes if found.to_string() == written => left.going.push(name.to_owned()),
            Earlier::Stays if found.to_string() == written => left.staying.push((name.to_owned(), Some(found))),
            // The file has changed since it was written, so it is no longer ours.
            _ => left.staying.push((name.to_owned(), None)),
        }
    }
    Ok(left)
}

impl Left {
    /// Adds the files that stay unchanged to the manifest of the new run.
    pub(super) fn kept_in(&self, manifest: &mut Manifest) {
        for (name, hash) in &self.staying {
            hash.iter().for_each(|hash| manifest.earlier_of(name, *hash));
        }
    }

    /// Returns the names of the files that stay.
    pub(super) fn kept(&self) -> impl Iterator<Item = &str> {
        self.staying.iter().map(|(name, _)| name.as_str())
    }

    /// Removes the files that go, and folders that become empty.
    pub(super) fn remove(&self, folder: &Path) -> io::Result<()> {
        for name in &self.going {
            let path = folder.join(name);
            fs::remove_file(&path)?;
            if let Some(parent) = path.parent().filter(|parent| *parent != folder) {
                // Fails if the folder is not empty, and then it stays.
                let _ = fs::remove_dir(parent);
            }
        }
        Ok(())
    }
}

/// Returns the hash of a file's bytes.
pub(super) fn hash(path: &Path) -> io::Result<Fingerprint> {
    let mut fingerprint = Fingerprint::new();
    io::copy(&mut File::open(path)?, &mut fingerprint)?;
    Ok(fingerprint)
}
