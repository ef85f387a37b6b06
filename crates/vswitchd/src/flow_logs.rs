//! Flow logs in files, by default in the field order of AWS VPC flow logs version 2.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use basis::Instant;
use vswitch::FlowRecord;
use vswitch::flow_log::{FlowField, RecordNames, VERSION_2, fields_of_header, header, word};
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
    /// The name of the switch.
    pub host: String,
}

/// Files of flow logs in a folder. Each is opened for every write, so that whoever rotates logs may rename it at any time.
#[derive(Clone)]
pub(crate) struct FlowLogs {
    folder: PathBuf,
    /// What was written into the files of vNICs last, by their names.
    written: BTreeMap<String, Option<Written>>,
}

/// A file as it was left, whose last records have these fields.
#[derive(Clone)]
struct Written {
    inode: u64,
    length: u64,
    fields: Vec<FlowField>,
}

impl FlowLogs {
    /// Makes the folder if it is missing.
    pub fn new(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot make `{}`: {error}", folder.display())))?;
        Ok(Self { folder, written: BTreeMap::new() })
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
        for Batch { policy, gone, records, start, host } in batches {
            let configuration = policy.configuration();
            let named = configuration.flow_log.as_ref().and_then(|log| log.fields.as_deref());
            let fields = named.unwrap_or(&VERSION_2);
            let unix = |at: Instant| start + at.picoseconds() / 1_000_000_000_000;
            let mut texts: BTreeMap<String, String> = BTreeMap::new();
            for record in records {
                let vnic = configuration.vnics.get(record.vnic() as usize);
                let present = vnic.filter(|vnic| !vnic.is_vacant()).map(|vnic| &vnic.name);
                let Some(name) = present.or_else(|| gone.get(&record.vnic())) else { continue };
                let interface = word(name);
                let names = RecordNames { host, interface: &interface, configuration, unix: &unix };
                let line = record.line(fields, names);
                let text = texts.entry(interface).or_default();
                text.push_str(&line);
                text.push('\n');
            }
            for (name, text) in texts {
                let path = self.folder.join(format!("{name}.log"));
                let known = self.written.entry(name).or_default();
                Written::append(known, &path, fields, &text)
                    .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
            }
        }
        Ok(())
    }
}

impl Written {
    /// Appends records to a file, behind a line with the names of their fields if those before have others.
    fn append(known: &mut Option<Self>, path: &Path, fields: &[FlowField], text: &str) -> io::Result<()> {
        let mut file: File = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let metadata = file.metadata()?;
        // A file that was renamed or cut off meanwhile is another one.
        let is_known = |known: &&Self| known.inode == metadata.ino() && known.length <= metadata.len();
        let before = match known.as_ref().filter(is_known) {
            Some(known) => known.fields.clone(),
            None => fields_of(&mut file)?,
        };
        if before != fields {
            writeln!(file, "{}", header(fields))?;
        }
        file.write_all(text.as_bytes())?;
        let length = file.metadata()?.len();
        *known = Some(Self { inode: metadata.ino(), length, fields: fields.to_vec() });
        Ok(())
    }
}

/// Returns the fields of the last records of a file: those of version 2, unless a line has named others.
fn fields_of(file: &mut File) -> io::Result<Vec<FlowField>> {
    let mut fields = VERSION_2.to_vec();
    for line in BufReader::new(file).lines() {
        if let Some(named) = fields_of_header(&line?) {
            fields = named;
        }
    }
    Ok(fields)
}
