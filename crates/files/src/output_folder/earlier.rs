//! The files that an earlier run left in a folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::MANIFEST;
use crate::manifest::{Fingerprint, Manifest};

/// What becomes of the files of an earlier run that this run does not write again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// They go: next to new ones they would be taken for theirs.
    Goes,
    /// They stay, for each stands for itself and took long; the new manifest says that they are of an earlier run.
    Stays,
}

/// Files of an earlier run, by name.
pub(super) struct Left {
    /// Those that go.
    going: Vec<String>,
    /// Those that stay, with their hashes, if they still are what was written.
    staying: Vec<(String, Option<Fingerprint>)>,
}

/// What an earlier run left in a folder beside that which a manifest names.
pub(super) fn left(folder: &Path, manifest: &Manifest, earlier: Earlier) -> io::Result<Left> {
    let mut left = Left { going: Vec::new(), staying: Vec::new() };
    // Without a manifest nothing there is known to be ours.
    let Ok(before) = fs::read_to_string(folder.join(MANIFEST)) else { return Ok(left) };
    let now = manifest.to_text();
    for (name, written) in Manifest::all_outputs(&before) {
        let path = folder.join(name);
        let is_within = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let is_new = Manifest::outputs(&now).any(|(new, _)| new == name);
        // A link may lead to what others wrote.
        if !is_within || is_new || name == MANIFEST || !fs::symlink_metadata(&path).is_ok_and(|it| it.is_file()) {
            continue;
        }
        let found = hash(&path)?;
        match earlier {
            Earlier::Goes if found.to_string() == written => left.going.push(name.to_owned()),
            Earlier::Stays if found.to_string() == written => left.staying.push((name.to_owned(), Some(found))),
            // Somebody has changed it: it is no longer ours.
            _ => left.staying.push((name.to_owned(), None)),
        }
    }
    Ok(left)
}

impl Left {
    /// Notes those that stay in the manifest of the new run.
    pub(super) fn kept_in(&self, manifest: &mut Manifest) {
        for (name, hash) in &self.staying {
            hash.iter().for_each(|hash| manifest.earlier_of(name, *hash));
        }
    }

    /// The names of those that stay.
    pub(super) fn kept(&self) -> impl Iterator<Item = &str> {
        self.staying.iter().map(|(name, _)| name.as_str())
    }

    /// Takes away those that go, and folders that are empty then.
    pub(super) fn remove(&self, folder: &Path) -> io::Result<()> {
        for name in &self.going {
            let path = folder.join(name);
            fs::remove_file(&path)?;
            if let Some(parent) = path.parent().filter(|parent| *parent != folder) {
                // One that is not empty stays.
                let _ = fs::remove_dir(parent);
            }
        }
        Ok(())
    }
}

/// The hash of a file's bytes.
pub(super) fn hash(path: &Path) -> io::Result<Fingerprint> {
    let mut fingerprint = Fingerprint::new();
    io::copy(&mut File::open(path)?, &mut fingerprint)?;
    Ok(fingerprint)
}
