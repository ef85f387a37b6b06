//! The result files of programs with parsers, in formats that other tools read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use basis::Instant;
use machines::Device;
use machines::blocks::Digest;
use node::Transmission;
use runtime::Bits;
use wire::LinkLayer;
use wire::capture::{PcapngWriter, Timestamp};

use super::Replayed;
use super::names::{self, capture_name};
use super::state_tables;
use diagnostics::Failure;
use files::{Earlier, Finished, OutputFolder};
use files::{Fingerprint, Manifest};

/// A second in picoseconds.
const A_SECOND: u64 = 1_000_000_000_000;

/// The result files of a run. They appear under their names at the end, all or none.
pub(super) struct PortFiles {
    folder: OutputFolder,
    /// The start of the run by the clock of the captures that it reads.
    start: Timestamp,
    captures: BTreeMap<u16, PcapngWriter<Hashed>>,
    digests: Vec<u8>,
    trouble: Option<io::Error>,
}

impl PortFiles {
    pub(super) fn new(folder: OutputFolder, start: Timestamp) -> Self {
        Self { folder, start, captures: BTreeMap::new(), digests: Vec::new(), trouble: None }
    }

    pub(super) fn packet(&mut self, transmission: &Transmission) {
        if let Err(error) = self.record(transmission) {
            self.trouble.get_or_insert(error);
        }
    }

    fn record(&mut self, transmission: &Transmission) -> io::Result<()> {
        let port = transmission.port.0;
        let capture = match self.captures.get_mut(&port) {
            Some(capture) => capture,
            None => {
                let name = capture_name(port);
                let file = self.folder.begin(&name)?;
                let file = Hashed { file, fingerprint: Fingerprint::new() };
                self.captures.entry(port).or_insert(PcapngWriter::new(file, LinkLayer::Ethernet)?)
            }
        };
        // Uses the clock of the input captures, so that inputs and outputs can be compared.
        let (start, since) = (self.start, transmission.at.picoseconds());
        let time = Timestamp::new(start.seconds, start.picoseconds + since % A_SECOND);
        let time = Timestamp::new(time.seconds + (since / A_SECOND) as i64, time.picoseconds);
        capture.write(time, &transmission.packet)
    }

    pub(super) fn digest(&mut self, at: Instant, digest: &control::Digest, sent: &Digest) {
        let mut values = serde_json::Map::new();
        for (leaf, limbs) in digest.data_type.leaves().iter().zip(&sent.values) {
            let value = Bits::from_limbs(limbs, leaf.width);
            // Values of any width are texts, as everywhere in our JSON where 64 bits may not suffice.
            values.insert(leaf.path.clone(), format!("{value:#x}").into());
        }
        let line =
            serde_json::json!({ "time_us": at.microseconds(), "digest": digest.identity.name, "values": values });
        self.digests.extend_from_slice(line.to_string().as_bytes());
        self.digests.push(b'\n');
    }

    /// Completes the files and gives them their names.
    pub(super) fn finish(
        mut self,
        switch: &mut dyn Device,
        outcome: &Replayed,
        mut manifest: Manifest,
    ) -> Result<Finished, Failure> {
        let result = serde_json::to_string_pretty(outcome).expect("the keys of all maps in results are texts") + "\n";
        let texts = [
            (names::COUNTERS, state_tables::counters(switch)),
            (names::REGISTERS, state_tables::registers(switch)),
            (names::DROPS, drops(outcome)),
            (names::DIGESTS, String::from_utf8_lossy(&self.digests).into_owned()),
            (names::RESULT, result),
        ];
        let parts = (!outcome.parts.is_empty()).then(|| (names::PARTS, state_tables::parts(&outcome.parts)));
        let events = switch.trace_events().map(|events| (names::TRACE_EVENTS, events));
        let memory = state_tables::memory(switch).map(|table| (names::MEMORY, table));
        let records = state_tables::records(switch).map(|table| (names::RECORDS, table));
        let texts = texts.into_iter().chain(parts).chain(memory).chain(records).chain(events);
        if let Some(error) = self.trouble.take() {
            return Err(unwritable(self.folder.path(), &error));
        }
        for (port, capture) in std::mem::take(&mut self.captures) {
            let capture = capture.finish().map_err(|error| unwritable(self.folder.path(), &error))?;
            manifest.output_of(&capture_name(port), capture.fingerprint);
        }
        for (name, text) in texts {
            manifest.output(name, text.as_bytes());
            self.folder.write(name, text.as_bytes())?;
        }
        self.folder.finish(&manifest, Earlier::Goes)
    }
}

/// A file whose bytes are hashed while they are written.
struct Hashed {
    file: BufWriter<File>,
    fingerprint: Fingerprint,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.fingerprint.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn drops(outcome: &Replayed) -> String {
    let rows = outcome.statistics.drops.iter().map(|((reason, block), count)| {
        // The block is empty for a packet that arrived at a port that does not exist.
        format!("{reason},{block},{count}\n")
    });
    "reason,block,packets\n".to_owned() + &rows.collect::<String>()
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write results into {}: {error}", folder.display()))
}
