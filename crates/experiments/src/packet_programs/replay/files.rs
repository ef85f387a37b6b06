//! What comes out, in files that other tools open.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use control::Digest;
use node::Transmission;
use runtime::Bits;
use wire::LinkLayer;
use wire::capture::{PcapngWriter, Timestamp};

use super::folder::{self, capture_name, partial};
use super::result::ReplayOutcome;
use crate::failure::Failure;
use crate::manifest::{Fingerprint, Manifest};
use crate::packet_programs::{PacketSwitch, tables};

/// In picoseconds.
const A_SECOND: u64 = 1_000_000_000_000;

/// A folder that is being filled. The files appear under their names at the end, all or none.
pub(super) struct ResultFolder {
    folder: PathBuf,
    /// When the run begins, by the clock of the captures that it reads.
    start: Timestamp,
    captures: BTreeMap<u16, PcapngWriter<Hashed>>,
    digests: Vec<u8>,
    trouble: Option<io::Error>,
    /// The files that are begun and have not their names yet.
    partial: Vec<String>,
}

impl ResultFolder {
    pub(super) fn create(folder: &Path, start: Timestamp) -> Result<Self, Failure> {
        fs::create_dir_all(folder)
            .and_then(|()| folder::remove_partial(folder))
            .map_err(|error| unwritable(folder, &error))?;
        Ok(Self {
            folder: folder.to_owned(),
            start,
            captures: BTreeMap::new(),
            digests: Vec::new(),
            trouble: None,
            partial: Vec::new(),
        })
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
                let file = BufWriter::new(File::create(partial(&self.folder, &name))?);
                self.partial.push(name);
                let file = Hashed { file, fingerprint: Fingerprint::new() };
                self.captures.entry(port).or_insert(PcapngWriter::new(file, LinkLayer::Ethernet)?)
            }
        };
        // The clock of the captures again, so that both can be laid side by side.
        let (start, since) = (self.start, transmission.at.picoseconds());
        let time = Timestamp::new(start.seconds, start.picoseconds + since % A_SECOND);
        let time = Timestamp::new(time.seconds + (since / A_SECOND) as i64, time.picoseconds);
        capture.write(time, &transmission.packet)
    }

    pub(super) fn digest(&mut self, time: u64, digest: &Digest, message: &[Bits]) {
        let mut values = serde_json::Map::new();
        for (leaf, value) in digest.data_type.leaves().iter().zip(message) {
            // Values of any width: text, as everywhere in JSON of ours where 64 bits may not do.
            values.insert(leaf.path.clone(), format!("{value:#x}").into());
        }
        let line = serde_json::json!({ "time_us": time, "digest": digest.identity.name, "values": values });
        self.digests.extend_from_slice(line.to_string().as_bytes());
        self.digests.push(b'\n');
    }

    /// Ends the files, and shows them under their names.
    pub(super) fn finish(
        mut self,
        switch: &mut PacketSwitch,
        outcome: &ReplayOutcome,
        mut manifest: Manifest,
    ) -> Result<Vec<PathBuf>, Failure> {
        let result = serde_json::to_string_pretty(outcome).expect("results have no maps with odd keys") + "\n";
        let texts = [
            (folder::COUNTERS, tables::counters(switch)),
            (folder::REGISTERS, tables::registers(switch)),
            (folder::DROPS, drops(outcome)),
            (folder::DIGESTS, String::from_utf8_lossy(&self.digests).into_owned()),
            (folder::RESULT, result),
        ];
        texts.iter().for_each(|(name, text)| manifest.output(name, text.as_bytes()));
        self.end(&texts, manifest).map_err(|error| unwritable(&self.folder, &error))
    }

    fn end(&mut self, texts: &[(&str, String)], mut manifest: Manifest) -> io::Result<Vec<PathBuf>> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        for (port, capture) in std::mem::take(&mut self.captures) {
            // What the next run in this folder may remove is what is named here.
            manifest.output_of(&capture_name(port), capture.finish()?.fingerprint);
        }
        for (name, text) in texts.iter().chain(&[(folder::MANIFEST, manifest.to_text())]) {
            self.partial.push((*name).to_owned());
            fs::write(partial(&self.folder, name), text)?;
        }
        if let Some(name) = self.partial.iter().find(|name| self.folder.join(name).is_dir()) {
            return Err(io::Error::other(format!("{name} is a folder")));
        }
        folder::remove_earlier(&self.folder, &self.partial)?;
        let mut names = std::mem::take(&mut self.partial);
        for name in &names {
            fs::rename(partial(&self.folder, name), self.folder.join(name))?;
        }
        names.sort();
        Ok(names.iter().map(|name| self.folder.join(name)).collect())
    }
}

/// A file whose bytes are hashed as they are written.
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

impl Drop for ResultFolder {
    /// What was not finished is not left behind.
    fn drop(&mut self) {
        for name in &self.partial {
            // That this may fail, too, changes nothing.
            let _ = fs::remove_file(partial(&self.folder, name));
        }
    }
}

fn drops(outcome: &ReplayOutcome) -> String {
    let rows = outcome.statistics.discarded_in.iter().map(|((reason, block), count)| {
        // One that came in where no port is was in no block.
        format!("{reason},{block},{count}\n")
    });
    "reason,block,packets\n".to_owned() + &rows.collect::<String>()
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write results into {}: {error}", folder.display()))
}
