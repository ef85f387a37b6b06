//! A store of points by their contents, so that a point is run once, whichever sweeps it belongs to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use diagnostics::Failure;
use files::fingerprint;
use files::sealed::{self, Sum};
use plans::Record;
use serde::{Deserialize, Serialize};

use super::{Job, Kept, Measured};

/// The kind of file, in its first line.
const KIND: &str = "polyplane point";
/// The number of the file format. Points in files of another format are run again.
const FORMAT: u32 = 1;

/// A folder with a file for each point. The name of the file is a hash of the version and of the contents of the point,
/// so that points of different plans, values and versions can share the folder.
#[derive(Clone, Debug)]
pub struct Points {
    folder: PathBuf,
    version: String,
}

/// The contents of a file.
#[derive(Serialize, Deserialize)]
struct StoredPoint {
    /// A checksum of the contents of the point, different from the hash in the file's name.
    contents: u64,
    key: Record,
    #[serde(flatten)]
    measured: Measured,
}

impl Points {
    /// Opens a folder for points of a version of the program, creating it if needed.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn open(folder: &Path, version: &str) -> Result<Self, Failure> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        Ok(Self { folder: folder.to_owned(), version: version.to_owned() })
    }

    fn contents(&self, job: &Job<'_>) -> String {
        format!("{}\n{}", self.version, job.contents())
    }

    fn path(&self, contents: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.point", fingerprint(contents.as_bytes())))
    }
}

impl Kept for Points {
    /// Files that have changed since they were written are ignored: the point is run again and the file replaced.
    fn find(&self, job: &Job<'_>) -> Option<Measured> {
        let contents = self.contents(job);
        let file = fs::read(self.path(&contents)).ok()?;
        let entry: StoredPoint = serde_json::from_slice(sealed::open(KIND, FORMAT, &file).ok()?).ok()?;
        (entry.contents == Sum::of(contents.as_bytes())).then_some(entry.measured)
    }

    fn keep(&mut self, job: &Job<'_>, measured: &Measured) -> Result<(), Failure> {
        let contents = self.contents(job);
        let sum = Sum::of(contents.as_bytes());
        let entry = StoredPoint { contents: sum, key: job.key().clone(), measured: measured.clone() };
        let json = serde_json::to_vec(&entry).expect("records are JSON");
        let path = self.path(&contents);
        // Renamed when complete, so that a killed process leaves no partial point.
        let partial = path.with_extension("partial");
        let written = fs::write(&partial, sealed::seal(KIND, FORMAT, &json)).and_then(|()| fs::rename(&partial, &path));
        written.map_err(|error| unwritable(&path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(contents: &str) -> Job<'static> {
        Job::new(Record::new().with("seed", 1u64), 1, || Ok(Record::new())).with_contents(contents)
    }

    #[test]
    fn finds_points_by_contents_and_version_in_intact_files() {
        let folder = std::env::temp_dir().join(format!("polyplane-points-{}", std::process::id()));
        let mut points = Points::open(&folder, "1").expect("a folder can be made");
        let measures = Measured::from(Record::new().with("goodput", 0.1));
        points.keep(&job("a plan"), &measures).expect("a file can be written");
        assert_eq!(points.find(&job("a plan")), Some(measures));
        assert_eq!(points.find(&job("another plan")), None);
        assert_eq!(Points::open(&folder, "2").expect("it is there").find(&job("a plan")), None);
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
        assert_eq!(points.find(&job("a plan")), None);
        fs::remove_dir_all(&folder).unwrap();
    }
}
