//! Chosen ports as pcapng files, each with what goes in and out there, in the order of time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use netsim::{LineId, Simulation};
use serde::{Deserialize, Serialize};
use wire::capture::{PcapngWriter, Timestamp};
use wire::{LinkLayer, Packet};

use super::places::Places;
use diagnostics::Failure;
use files::PARTIAL;
use files::sealed::{Sum, Summed};
use plans::Pattern;

/// Writes captures as packets pass, into files whose names end in [`PARTIAL`].
#[derive(Default)]
pub(super) struct Captures {
    ports: Vec<PortCapture>,
    /// For each line that is watched, by its number.
    lines: BTreeMap<u32, Watched>,
    trouble: Option<io::Error>,
}

#[derive(Clone, Copy, Default)]
struct Watched {
    /// The capture of the port where the line begins.
    leaving: Option<usize>,
    /// The capture of the port where it ends, and what the line is like.
    coming: Option<usize>,
}

struct PortCapture {
    path: PathBuf,
    out: PcapngWriter<Summed<BufWriter<File>>>,
    /// Packets on their way to the port: what leaves it meanwhile stands before them.
    arriving: BinaryHeap<Reverse<Arriving>>,
    count: u64,
}

/// By time, then in the order in which they were sent.
#[derive(Serialize, Deserialize)]
struct Arriving {
    at: Instant,
    number: u64,
    packet: Packet,
}

impl Captures {
    /// Begins the files of the ports that the patterns name, in a folder that is made if need be, and has the lines
    /// there shown. If a run `goes_on`, the files are there, and how far they are good its state will say.
    pub fn create(
        folder: &Path,
        places: &Places,
        patterns: &[Pattern],
        simulation: &mut Simulation,
        goes_on: bool,
    ) -> Result<Self, Failure> {
        let mut captures = Self::default();
        for place in places.matching(patterns) {
            let number = captures.ports.len();
            let name = places.name(place).replace(':', "-port-");
            let path = folder.join(format!("{name}.pcapng"));
            let begin = || {
                if goes_on {
                    let file = summed(File::options().write(true).open(partial(&path))?, Sum::new());
                    return Ok(PcapngWriter::going_on(file, LinkLayer::Ethernet, None));
                }
                fs::create_dir_all(folder)?;
                PcapngWriter::new(summed(File::create(partial(&path))?, Sum::new()), LinkLayer::Ethernet)
            };
            let out = begin().map_err(|error| unwritable(&path, &error))?;
            captures.ports.push(PortCapture { path, out, arriving: BinaryHeap::new(), count: 0 });
            let leaving = place.line(simulation);
            let other = super::Place { station: place.other, port: place.other_port, ..*place };
            let coming = other.line(simulation);
            captures.lines.entry(leaving.0).or_default().leaving = Some(number);
            captures.lines.entry(coming.0).or_default().coming = Some(number);
            simulation.tap(leaving);
            simulation.tap(coming);
        }
        Ok(captures)
    }

    /// The first bit of a packet was put on a line.
    pub fn carried(&mut self, at: Instant, line: LineId, packet: &Packet) {
        let watched = self.lines.get(&line.0).copied().unwrap_or_default();
        if let Some(port) = watched.leaving {
            let written = self.ports[port].leaves(at, packet);
            self.note(written);
        }
        // What has come until then stands before what comes after it.
        if let Some(port) = watched.coming {
            let written = self.ports[port].flush(at);
            self.note(written);
        }
    }

    /// A packet that was put on a line is to be there at an instant.
    pub fn coming(&mut self, at: Instant, line: LineId, packet: &Packet) {
        let Some(port) = self.lines.get(&line.0).and_then(|watched| watched.coming) else { return };
        let port = &mut self.ports[port];
        port.count += 1;
        port.arriving.push(Reverse(Arriving { at, number: port.count, packet: packet.clone() }));
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.trouble.get_or_insert(error);
        }
    }

    /// Sees that everything written so far is in the files.
    ///
    /// # Errors
    /// What the files say.
    pub fn flush_to_disk(&mut self) -> Result<(), Unfit> {
        self.ports.iter_mut().try_for_each(|port| port.out.out_mut().flush()).map_err(|error| Unfit(error.to_string()))
    }

    /// Ends the files: what was to arrive by `end` is in them, and what was still on its way is not. Says which there
    /// are; whoever ends the run gives them their names, together with all other results.
    pub fn finish(mut self, end: Instant) -> Result<Vec<PathBuf>, Failure> {
        let mut paths = Vec::new();
        for mut port in self.ports.drain(..) {
            let path = port.path.clone();
            let ended = match self.trouble.take() {
                Some(trouble) => Err(trouble),
                None => port.flush(end).and_then(|()| port.out.finish()).map(drop),
            };
            ended.map_err(|error| unwritable(&path, &error))?;
            paths.push(partial(&path));
        }
        Ok(paths)
    }
}

impl PortCapture {
    fn leaves(&mut self, at: Instant, packet: &Packet) -> io::Result<()> {
        self.flush(at)?;
        self.out.write(timestamp(at), packet)
    }

    /// Writes what has arrived until then.
    fn flush(&mut self, until: Instant) -> io::Result<()> {
        while self.arriving.peek().is_some_and(|Reverse(next)| next.at <= until) {
            let Some(Reverse(next)) = self.arriving.pop() else { break };
            self.out.write(timestamp(next.at), &next.packet)?;
        }
        Ok(())
    }
}

impl PartialEq for Arriving {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Arriving {}

impl PartialOrd for Arriving {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Arriving {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

fn timestamp(at: Instant) -> Timestamp {
    Timestamp::new(0, at.picoseconds())
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PARTIAL);
    PathBuf::from(name)
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write {}: {error}", path.display()))
}

fn summed(file: File, sum: Sum) -> Summed<BufWriter<File>> {
    Summed::new(BufWriter::new(file), sum)
}

/// The files are part of the state: how long they were, and the checksum of what was in them. Bytes behind that are of a
/// run that was cut off.
impl Snapshot for Captures {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.ports.iter().try_for_each(|port| {
            let length = fs::metadata(partial(&port.path)).map_err(|error| port.unfit(&error))?.len();
            into.put(&(length, port.out.out().sum(), port.out.clock(), port.count, &port.arriving))
        })
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        for port in &mut self.ports {
            let (length, sum): (u64, u64);
            let clock: Option<Timestamp>;
            (length, sum, clock, port.count, port.arriving) = from.take()?;
            let out = port.reopen(length, sum).map_err(|error| port.unfit(&error))?;
            port.out = PcapngWriter::going_on(out, LinkLayer::Ethernet, clock);
        }
        Ok(())
    }
}

impl PortCapture {
    /// The file as it was when it was so long and had this checksum.
    fn reopen(&self, length: u64, sum: u64) -> io::Result<Summed<BufWriter<File>>> {
        let mut file = File::options().read(true).write(true).open(partial(&self.path))?;
        if file.metadata()?.len() < length {
            return Err(io::Error::other("it is shorter than it was"));
        }
        let found = sum_of((&file).take(length))?;
        if found.value() != sum {
            return Err(io::Error::other("it is damaged: its checksum is not that of what was written"));
        }
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(summed(file, found))
    }

    fn unfit(&self, error: &io::Error) -> Unfit {
        Unfit(format!("{}: {error}", partial(&self.path).display()))
    }
}

fn sum_of(bytes: impl Read) -> io::Result<Sum> {
    let mut bytes = BufReader::with_capacity(1 << 16, bytes);
    let mut sum = Sum::new();
    loop {
        let some = bytes.fill_buf()?;
        if some.is_empty() {
            return Ok(sum);
        }
        sum.add(some);
        let count = some.len();
        bytes.consume(count);
    }
}
