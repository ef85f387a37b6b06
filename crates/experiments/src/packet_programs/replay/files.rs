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

use super::input::{CaptureInput, Pace};
use super::result::ReplayOutcome;
use crate::failure::Failure;
use crate::manifest::Manifest;
use crate::packet_programs::tables;
use crate::packet_programs::{PacketProgram, PacketSwitch, SwitchOptions};

/// A folder that is being filled. The files appear under their names at the end, all or none.
pub(super) struct ResultFolder {
    folder: PathBuf,
    captures: BTreeMap<u16, PcapngWriter<BufWriter<File>>>,
    digests: Vec<u8>,
    trouble: Option<io::Error>,
    /// The files that are begun and have not their names yet.
    partial: Vec<String>,
}

impl ResultFolder {
    pub(super) fn create(folder: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        Ok(Self {
            folder: folder.to_owned(),
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
                let name = format!("port-{port}.pcapng");
                let file = BufWriter::new(File::create(self.path(&name, true))?);
                self.partial.push(name);
                self.captures.entry(port).or_insert(PcapngWriter::new(file, LinkLayer::Ethernet)?)
            }
        };
        capture.write(Timestamp::new(0, transmission.at.picoseconds()), &transmission.packet)
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
        manifest.output("result.json", result.as_bytes());
        let texts = [
            ("counters.csv", tables::counters(switch)),
            ("registers.csv", tables::registers(switch)),
            ("drops.csv", drops(outcome)),
            ("digests.jsonl", String::from_utf8_lossy(&self.digests).into_owned()),
            ("result.json", result),
            ("manifest.txt", manifest.to_text()),
        ];
        self.end(&texts).map_err(|error| unwritable(&self.folder, &error))
    }

    fn end(&mut self, texts: &[(&str, String)]) -> io::Result<Vec<PathBuf>> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        for (_, capture) in std::mem::take(&mut self.captures) {
            capture.finish()?;
        }
        for (name, text) in texts {
            self.partial.push((*name).to_owned());
            File::create(self.path(name, true))?.write_all(text.as_bytes())?;
        }
        if let Some(name) = self.partial.iter().find(|name| self.path(name, false).is_dir()) {
            return Err(io::Error::other(format!("{name} is a folder")));
        }
        self.remove_earlier()?;
        let mut names = std::mem::take(&mut self.partial);
        for name in &names {
            fs::rename(self.path(name, true), self.path(name, false))?;
        }
        names.sort();
        Ok(names.iter().map(|name| self.path(name, false)).collect())
    }

    /// Captures of an earlier run would be taken for this one's.
    fn remove_earlier(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let port = name.strip_prefix("port-").and_then(|rest| rest.strip_suffix(".pcapng"));
            if port.is_some_and(|port| port.parse::<u16>().is_ok()) && !self.partial.contains(&name) {
                fs::remove_file(self.path(&name, false))?;
            }
        }
        Ok(())
    }

    fn path(&self, name: &str, is_partial: bool) -> PathBuf {
        self.folder.join(if is_partial { format!("{name}.partial") } else { name.to_owned() })
    }
}

impl Drop for ResultFolder {
    /// What was not finished is not left behind.
    fn drop(&mut self) {
        for name in &self.partial {
            // That this may fail, too, changes nothing.
            let _ = fs::remove_file(self.path(name, true));
        }
    }
}

fn drops(outcome: &ReplayOutcome) -> String {
    let rows = outcome.statistics.discarded.iter().map(|(reason, count)| format!("{reason},{count}\n"));
    "reason,packets\n".to_owned() + &rows.collect::<String>()
}

pub(super) fn manifest(
    program: &PacketProgram,
    entries: &[(String, String)],
    captures: &[CaptureInput],
    options: &SwitchOptions,
    pace: Pace,
) -> Manifest {
    let mut manifest = Manifest::of_inputs("run", &program.inputs);
    entries.iter().for_each(|(name, text)| manifest.input(name, text.as_bytes()));
    for capture in captures {
        // A file that vanished since it was read leaves no hash, and that is the truth.
        if let Ok(bytes) = fs::read(&capture.path) {
            manifest.input(&format!("port {} {}", capture.port, capture.path.display()), &bytes);
        }
    }
    manifest.parameter("v1model", &format!("{options:?} {pace:?}"));
    manifest
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write results into {}: {error}", folder.display()))
}
