//! Flow logs in files, in the field order of AWS VPC flow logs version 2.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use basis::Instant;
use vswitch::FlowRecord;
use vswitch::policy::Policy;

use crate::handle::SwitchHandle;

/// The time between looks at whether there are records.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Records that were made under one configuration.
pub(crate) struct Batch {
    pub policy: Arc<Policy>,
    /// The names of vNICs that were gone then, by the positions by which records mean them.
    pub gone: BTreeMap<u32, String>,
    pub records: Vec<FlowRecord>,
    /// The seconds from 1970 to the start of the switch's clock.
    pub start: u64,
}

/// Files of flow logs in a folder. Each is opened for every write, so that whoever rotates logs may rename it at any time.
#[derive(Clone)]
pub(crate) struct FlowLogs {
    folder: PathBuf,
}

impl FlowLogs {
    /// Makes the folder if it is missing.
    pub fn new(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot make `{}`: {error}", folder.display())))?;
        Ok(Self { folder })
    }

    /// Writes records as they come, on a thread of its own, until the switch ends.
    pub fn follow(&self, handle: SwitchHandle) -> io::Result<JoinHandle<()>> {
        let mut logs = self.clone();
        let follow = move || {
            while let Ok(batches) = handle.work().with(|running| running.take_records()) {
                if let Err(error) = logs.write(&batches) {
                    files::console::tell(&format!("the flow log has ended: {error}\n"));
                    return;
                }
                std::thread::sleep(BETWEEN_LOOKS);
            }
        };
        std::thread::Builder::new().name("flow log".to_owned()).spawn(follow)
    }

    /// Appends records to the files of their vNICs.
    pub fn write(&mut self, batches: &[Batch]) -> io::Result<()> {
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for Batch { policy, gone, records, start } in batches {
            let configuration = policy.configuration();
            let account = configuration.flow_log.as_ref().map_or("-", |log| log.account.as_str());
            let unix = |at: Instant| start + at.picoseconds() / 1_000_000_000_000;
            for record in records {
                let vnic = configuration.vnics.get(record.vnic() as usize);
                let present = vnic.filter(|vnic| !vnic.is_vacant()).map(|vnic| &vnic.name);
                let Some(name) = present.or_else(|| gone.get(&record.vnic())) else { continue };
                let name = file_name(name);
                let line = record.line(account, &name, unix);
                let text = texts.entry(name).or_default();
                text.push_str(&line);
                text.push('\n');
            }
        }
        for (name, text) in texts {
            let path = self.folder.join(format!("{name}.log"));
            let append = |path: &PathBuf| -> io::Result<()> {
                let mut file: File = OpenOptions::new().create(true).append(true).open(path)?;
                file.write_all(text.as_bytes())
            };
            append(&path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        }
        Ok(())
    }
}

/// Returns a name of a vNIC as the field of a record and as the name of a file: without spaces and separators.
fn file_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:@".contains(letter);
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    if plain.starts_with('.') { format!("_{plain}") } else { plain }
}
