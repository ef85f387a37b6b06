//! The manifest of a run, with everything that is needed to reproduce its results.

use std::fs::File;
use std::io;

use super::Run;
use super::offer::{Offer, Pace, Packets};
use crate::kinds::Fitted;
use files::{Fingerprint, Manifest};

/// Returns the manifest of a run, without the results.
pub(super) fn manifest(run: &Run<'_>, fitted: &dyn Fitted, packets: &Packets) -> Manifest {
    let mut manifest = Manifest::of_inputs("run", &run.program.inputs);
    run.entries.inputs().for_each(|(name, text)| manifest.input(name, text.as_bytes()));
    // A file that has vanished since the machine was built gets no hash.
    let of_options = run.settings.given.inputs().unwrap_or_default();
    of_options.iter().for_each(|(name, text)| manifest.input(name, text.as_bytes()));
    match &run.offer {
        Offer::Captures { captures, .. } => {
            for (capture, as_read) in captures.iter().zip(packets.hashes()) {
                // A file that has vanished since it was read gets no hash.
                if let Some(fingerprint) = as_read.or_else(|| hash(File::open(&capture.path)).ok()) {
                    manifest.input_of(&format!("port {} {}", capture.port, capture.path.display()), fingerprint);
                }
            }
        }
        Offer::Traffic(planned) => manifest.traffic_inputs(&planned.0),
    }
    manifest.parameter("machine", run.machine.name());
    let options = &run.program.options;
    options.search_paths.iter().for_each(|path| manifest.parameter("include", &path.display().to_string()));
    options.definitions.iter().for_each(|(name, text)| manifest.parameter("define", &format!("{name}={text}")));
    match &run.offer {
        Offer::Traffic(planned) => manifest.parameter("traffic", &planned.0.to_string()),
        Offer::Captures { pace: Pace::Timestamps, .. } => {
            let start = packets.start();
            manifest.parameter("arrivals", "by timestamps");
            manifest.parameter("time 0", &format!("{}.{:012} s after 1970", start.seconds, start.picoseconds));
        }
        Offer::Captures { pace: Pace::Rate(rate), .. } => {
            manifest.parameter("arrivals", &format!("{rate} a second on each port"))
        }
    }
    manifest.parameter("packets", &run.packets.map_or("all".to_owned(), |most| format!("at most {most}")));
    manifest.parameter("seed", &run.seed.to_string());
    fitted.parameters().iter().for_each(|(name, value)| manifest.parameter(name, value));
    manifest
}

fn hash(bytes: io::Result<impl io::Read>) -> io::Result<Fingerprint> {
    let mut fingerprint = Fingerprint::new();
    io::copy(&mut bytes?, &mut fingerprint)?;
    Ok(fingerprint)
}
