//! Flow logs in files, by default in the field order of AWS VPC flow logs version 2.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
///
/// Records that cannot be written, because the disk is full for one, are lost and counted; those that come later are written again once they can
/// be. A file has whole lines.
#[derive(Clone)]
pub(crate) struct FlowLogs {
    folder: PathBuf,
    /// What was written into the files of vNICs last, by their names.
    written: BTreeMap<String, Option<Written>>,
    /// The number of records that were lost, which others read.
    lost: Arc<AtomicU64>,
    /// The number of records that had been lost when all could be written last, if some could not since.
    lost_before: Option<u64>,
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
    pub fn new(folder: PathBuf, lost: Arc<AtomicU64>) -> io::Result<Self> {
        fs::create_dir_all(&folder)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot make `{}`: {error}", folder.display())))?;
        Ok(Self { folder, written: BTreeMap::new(), lost, lost_before: None })
    }

    /// Writes records as they come, on a thread of its own, until the switch ends.
    pub fn follow(&self, handle: SwitchHandle) -> io::Result<JoinHandle<()>> {
        let mut logs = self.clone();
        let follow = move || {
            while let Ok(batches) = handle.work().with(|running| running.take_records()) {
                logs.write(&batches);
                std::thread::sleep(BETWEEN_LOOKS);
            }
        };
        std::thread::Builder::new().name("flow log".to_owned()).spawn(follow)
    }

    /// Appends records to the files of their vNICs. It is said once when records begin to be lost, and when they can be written again.
    pub fn write(&mut self, batches: &[Batch]) {
        if batches.iter().all(|batch| batch.records.is_empty()) {
            return;
        }
        let before = self.lost.load(Ordering::Relaxed);
        match (self.append(batches), self.lost_before) {
            (Err(error), None) => {
                files::console::tell(&format!("records of the flow log are lost until they can be written: {error}\n"));
                self.lost_before = Some(before);
            }
            (Ok(()), Some(then)) => {
                let lost = before - then;
                files::console::tell(&format!("the flow log goes on; records that were lost: {lost}\n"));
                self.lost_before = None;
            }
            (Err(_), Some(_)) | (Ok(()), None) => {}
        }
    }

    /// Appends records to the files of their vNICs, and counts those that are lost. Returns the first error.
    fn append(&mut self, batches: &[Batch]) -> io::Result<()> {
        let mut result = Ok(());
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
                let mut rest = text.as_str();
                if let Err(error) = Written::append(known, &path, fields, &mut rest) {
                    self.lost.fetch_add(rest.lines().count() as u64, Ordering::Relaxed);
                    result = result.and(Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))));
                }
            }
        }
        result
    }
}

impl Written {
    /// Appends records to a file, behind a line with the names of their fields if those before have others, and takes those that are
    /// written from the text.
    fn append(known: &mut Option<Self>, path: &Path, fields: &[FlowField], text: &mut &str) -> io::Result<()> {
        let mut file: File = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let metadata = file.metadata()?;
        // A file that was renamed or cut off meanwhile is another one.
        let is_known = |known: &&Self| known.inode == metadata.ino() && known.length <= metadata.len();
        let (before, mut length) = match known.as_ref().filter(is_known) {
            Some(known) => (known.fields.clone(), metadata.len()),
            None => whole_lines_of(&mut file)?,
        };
        if length < metadata.len() {
            // Whoever wrote the last line was killed meanwhile.
            file.set_len(length)?;
        }
        if before != fields {
            let mut named = &*format!("{}\n", header(fields));
            write_lines(&mut file, &mut length, &mut named)?;
        }
        let written = write_lines(&mut file, &mut length, text);
        *known = Some(Self { inode: metadata.ino(), length, fields: fields.to_vec() });
        written
    }
}

/// Appends lines to a file of a length, and takes those that are written from the text. The file is cut off behind the last whole line if
/// there is no room for all.
fn write_lines(file: &mut File, length: &mut u64, text: &mut &str) -> io::Result<()> {
    let written = file.write_all(text.as_bytes());
    let whole = match &written {
        Ok(()) => text.len(),
        Err(_) => {
            let room = file.metadata()?.len().saturating_sub(*length);
            let part = text.as_bytes().get(..room as usize).unwrap_or(text.as_bytes());
            let whole = part.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            file.set_len(*length + whole as u64)?;
            whole
        }
    };
    *length += whole as u64;
    *text = &text[whole..];
    written
}

/// Returns the fields of the last records of a file, those of version 2 unless a line has named others, and the length of its whole lines.
fn whole_lines_of(file: &mut File) -> io::Result<(Vec<FlowField>, u64)> {
    let (mut fields, mut length) = (VERSION_2.to_vec(), 0);
    let (mut reader, mut line) = (BufReader::new(file), Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        if let Some(named) = fields_of_header(String::from_utf8_lossy(&line).trim_end()) {
            fields = named;
        }
        length += line.len() as u64;
        line.clear();
    }
    Ok((fields, length))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use basis::Duration;
    use files::PlanText;
    use vswitch::configuration::read;

    use super::*;

    /// The variable with the folder for a process of this program whose files have a limited length.
    const LIMITED: &str = "POLYPLANE_TEST_LIMITED";

    /// Records of a vNIC, each a line of the same length, from a number on.
    fn batch(first: u64, count: u64) -> Batch {
        let text = "name = \"host\"\n[[vpc]]\nname = \"red\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\n\
                    gateway = \"10.0.1.254\"\n[[vnic]]\nname = \"one\"\ninterface = \"tap1\"\nvpc = \"red\"\n\
                    mac = \"02:00:00:00:00:01\"\naddresses = [\"10.0.1.1\"]\n[flow_log]\n";
        let plan =
            PlanText { name: "host".into(), path: "host.toml".into(), text: text.into(), folder: PathBuf::new() };
        let reading = read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let at = |second: u64| Instant::ZERO + Duration::from_microseconds(1_000_000 * second);
        let record = |second| FlowRecord::NoData { vnic: 0, first: at(second), last: at(second + 1) };
        Batch {
            policy: Arc::new(Policy::of(reading.configuration, 0)),
            gone: BTreeMap::new(),
            records: (first..first + count).map(record).collect(),
            start: 1_000_000,
            host: "host".to_owned(),
        }
    }

    /// Returns the time at which the window of each record in a file begins, in seconds; every line is a whole record.
    fn windows(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).expect("it can be read");
        assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
        let begins = |line: &str| {
            let fields: Vec<&str> = line.split(' ').collect();
            assert_eq!((fields.len(), fields[13]), (14, "NODATA"), "{line}");
            fields[10].parse::<u64>().expect("seconds") - 1_000_000
        };
        text.lines().map(begins).collect()
    }

    /// The next record was appended to what there was of the last one.
    #[test]
    fn a_line_that_a_killed_switch_has_not_finished_is_cut_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("one.log");
        let logs = || FlowLogs::new(folder.path().to_owned(), Arc::default()).expect("it is there");
        logs().write(&[batch(0, 3)]);
        let whole = fs::read(&file).expect("it was written");
        for cut in [1, 10, 2 * whole.len() / 3 - 1] {
            fs::write(&file, &whole[..whole.len() - cut]).expect("a file of ours");
            let left = (3 - cut * 3 / whole.len()) as u64 - 1;
            logs().write(&[batch(7, 1)]);
            assert_eq!(windows(&file), (0..left).chain([7]).collect::<Vec<_>>(), "{cut}");
        }
        // What is no text is no reason to lose records.
        fs::write(&file, b"\xFF\n").expect("a file of ours");
        logs().write(&[batch(7, 1)]);
        assert_eq!(fs::read(&file).expect("it was written").iter().filter(|byte| **byte == b'\n').count(), 2);
    }

    /// A disk that was full for one window ended the flow log for ever, in the middle of a line and without a count.
    #[test]
    fn what_a_full_disk_has_no_room_for_is_counted_and_the_log_goes_on() {
        let Some(folder) = std::env::var_os(LIMITED) else {
            // A limit of the length of files, in units of 512 or of 1,024 bytes, whose signal is ignored.
            let folder = tempfile::tempdir().expect("a folder");
            let name = "flow_logs::tests::what_a_full_disk_has_no_room_for_is_counted_and_the_log_goes_on";
            let status = Command::new("sh")
                .args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" --exact \"$1\""])
                .arg(std::env::current_exe().expect("this program"))
                .arg(name)
                .env(LIMITED, folder.path())
                .stdout(Stdio::null())
                .status();
            return assert!(status.expect("a shell").success());
        };
        let folder = PathBuf::from(folder);
        let file = folder.join("one.log");
        let lost = Arc::new(AtomicU64::new(0));
        let mut logs = FlowLogs::new(folder.clone(), Arc::clone(&lost)).expect("it is there");
        logs.write(&[batch(0, 100)]);
        let written = windows(&file);
        assert!(!written.is_empty() && written.len() < 100 && written.iter().copied().eq(0..written.len() as u64));
        assert_eq!(lost.load(Ordering::Relaxed), 100 - written.len() as u64);
        logs.write(&[batch(100, 1)]);
        assert_eq!((windows(&file), lost.load(Ordering::Relaxed)), (written.clone(), 101 - written.len() as u64));
        // There is room again.
        fs::rename(&file, folder.join("earlier")).expect("a folder of ours");
        logs.write(&[batch(101, 3)]);
        assert_eq!((windows(&file), lost.load(Ordering::Relaxed)), (vec![101, 102, 103], 101 - written.len() as u64));
    }
}
