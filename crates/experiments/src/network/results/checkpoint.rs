//! A run on disk: written now and then, and gone on with.
//!
//! The plan is built anew; the file has what the plan does not say. It means something only to the program that wrote it,
//! and only with the same plan, and says both at its beginning.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use netsim::Simulation;

use super::recorder::Collector;
use crate::failure::Failure;
use crate::network::plan::NetworkPlan;

/// What a file begins with.
const MAGIC: &str = "polyplane checkpoint";

/// Where the state of a run in this folder is.
pub fn checkpoint_file(folder: &Path) -> PathBuf {
    folder.join("checkpoint.bin")
}

/// Writes the state of a run: whole, or what was there before stays.
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
        // A machine that loses its power keeps this file or the one before.
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
    saver.put(&(MAGIC, version, plan.seed, &plan.text))?;
    simulation.save(&mut saver)?;
    collector.captures.flush_to_disk()?;
    collector.save(&mut saver)?;
    Ok(saver.into_bytes())
}

/// Gives a run that was built of the same plan the state that was written.
pub(super) fn read(
    folder: &Path,
    version: &str,
    plan: &NetworkPlan,
    simulation: &mut Simulation,
    collector: &mut Collector<'_>,
) -> Result<(), Failure> {
    let path = checkpoint_file(folder);
    let fail = |why: String| Failure::plain(format!("cannot go on from {}: {why}", path.display()));
    let bytes = fs::read(&path).map_err(|error| fail(error.to_string()))?;
    let mut loader = Loader::new(&bytes);
    let header: Result<(String, String, u64, String), Unfit> = loader.take();
    let (magic, of_version, seed, text) = header.map_err(|_| fail("it is no checkpoint".to_owned()))?;
    if magic != MAGIC {
        return Err(fail("it is no checkpoint".to_owned()));
    }
    if of_version != version {
        return Err(fail(format!("it was written by another program ({of_version}; this one is {version})")));
    }
    if (seed, &text) != (plan.seed, &plan.text) {
        return Err(fail("it is of another plan, or of another seed".to_owned()));
    }
    let restored = simulation.restore(&mut loader).and_then(|()| collector.restore(&mut loader));
    restored.and_then(|()| loader.finish()).map_err(|unfit| fail(unfit.to_string()))
}
