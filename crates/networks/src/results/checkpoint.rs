//! Checkpoints: the state of a run on disk, from which the run resumes.
//!
//! When a run resumes, its network is built from the plan again, and the file supplies the state. A checkpoint is valid
//! only for the build of the program that wrote it and for the same plan; it begins with both, and ends with a
//! checksum.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use diagnostics::Diagnostic;
use netsim::Simulation;

use super::recorder::Collector;
use crate::plan::NetworkPlan;
use diagnostics::Failure;
use files::sealed::{self, Broken};

/// The text with which a checkpoint begins.
const KIND: &str = "polyplane checkpoint";
/// The number of the file format.
const FORMAT: u32 = 1;

/// Returns the path of the checkpoint of a run with this folder for results.
pub fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join("checkpoint.bin")
}

/// Writes the state of a run atomically: if writing fails, the earlier checkpoint stays.
pub(super) fn write(
    folder: &Path,
    version: &str,
    plan: &NetworkPlan,
    simulation: &Simulation,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    let path = checkpoint_file(folder);
    let bytes = state(version, plan, simulation, collector)
        .map_err(|unfit| Failure::plain(format!("there can be no checkpoint of this run: {unfit}")))?;
    let partial = path.with_extension("bin.partial");
    let written = fs::create_dir_all(folder).and_then(|()| {
        let mut file = File::create(&partial)?;
        file.write_all(&bytes)?;
        // After a loss of power, either this file or the earlier one is intact.
        file.sync_all()?;
        fs::rename(&partial, &path)
    });
    written.map_err(|error| Failure::plain(format!("cannot write {}: {error}", path.display())))
}

fn state(
    version: &str,
    plan: &NetworkPlan,
    simulation: &Simulation,
    collector: &mut Collector<'_>,
) -> Result<Vec<u8>, Unfit> {
    let mut saver = Saver::default();
    saver.put(&(version, plan.seed, &plan.text))?;
    simulation.save(&mut saver)?;
    collector.captures.flush_to_disk()?;
    collector.save(&mut saver)?;
    Ok(sealed::seal(KIND, FORMAT, &saver.into_bytes()))
}

/// Restores the state from the checkpoint into a run that was built from the same plan.
pub(super) fn read(
    folder: &Path,
    version: &str,
    plan: &NetworkPlan,
    simulation: &mut Simulation,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    let path = checkpoint_file(folder);
    let fail = |why: &str, hint: &str| -> Failure {
        Diagnostic::without_place(format!("cannot go on from {}: {why}", path.display())).hint(hint).into()
    };
    let begin_again = "leave `--resume` out: the run then begins again, and writes a new checkpoint if it is asked to";
    // A file that is not a checkpoint may be of any length.
    let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    memory::check(length).map_err(|shortage| Failure::DoesNotFit(format!("{}: {shortage}\n", path.display())))?;
    let bytes = fs::read(&path).map_err(|error| fail(&error.to_string(), "run it without `--resume` first"))?;
    let content = sealed::open(KIND, FORMAT, &bytes).map_err(|broken| match broken {
        Broken::OtherKind => fail("it is no checkpoint, or its beginning is damaged", begin_again),
        _ => fail(&broken.to_string(), begin_again),
    })?;
    let mut loader = Loader::new(content);
    let heading: Result<(String, u64, String), Unfit> = loader.take();
    let (of_version, seed, text) = heading.map_err(|unfit| fail(&unfit.to_string(), begin_again))?;
    if of_version != version {
        let why = format!("it was written by another program ({of_version}; this one is {version})");
        return Err(fail(&why, "go on with the program that wrote it, or leave `--resume` out"));
    }
    if (seed, &text) != (plan.seed, &plan.text) {
        let hint = "go on with the plan and the seed that it was written for, or leave `--resume` out";
        return Err(fail("it is of another plan, or of another seed", hint));
    }
    let restored = simulation.restore(&mut loader).and_then(|()| collector.restore(&mut loader));
    restored.and_then(|()| loader.finish()).map_err(|unfit| fail(&unfit.to_string(), begin_again))
}
