//! Captures of chosen ports as pcapng files, each with the packets of both directions in order of time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use netsim::{LinkId, Simulation};
use serde::{Deserialize, Serialize};
use wire::capture::{PcapngWriter, Timestamp};
use wire::{LinkLayer, Packet};

use super::cabled_ports::CabledPorts;
use diagnostics::Failure;
use files::PARTIAL;
use files::sealed::{Sum, Summed};
use plans::Pattern;

/// Writes captures while packets pass, to files whose names end in [`PARTIAL`].
#[derive(Default)]
pub(super) struct Captures {
    ports: Vec<PortCapture>,
    /// The captured links by number.
    links: BTreeMap<u32, Watched>,
    trouble: Option<io::Error>,
}

#[derive(Clone, Copy, Default)]
struct Watched {
    /// The capture of the port where the link begins.
    leaving: Option<usize>,
    /// The capture of the port where the link ends.
    coming: Option<usize>,
}

struct PortCapture {
    path: PathBuf,
    out: PcapngWriter<Summed<BufWriter<File>>>,
    /// Packets on their way to the port. Packets that leave it before their arrival are written first.
    arriving: BinaryHeap<Reverse<Arriving>>,
    count: u64,
}

/// A packet on its way, ordered by time of arrival, then by the order of sending.
#[derive(Serialize, Deserialize)]
struct Arriving {
    at: Instant,
    number: u64,
    packet: Packet,
}

impl Captures {
    /// Creates the files of the ports that the patterns name, and the folder if needed, and taps the links there. If a
    /// run `goes_on`, the files exist, and its checkpoint says up to which length they are valid.
    pub fn create(
        folder: &Path,
        ports: &CabledPorts,
        patterns: &[Pattern],
        simulation: &mut Simulation,
        goes_on: bool,
    ) -> Result<Self, Failure> {
        let mut captures = Self::default();
        for port in ports.matching(patterns) {
            let number = captures.ports.len();
            let name = ports.name(port).replace(':', "-port-");
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
            let leaving = port.link(simulation);
            let other = super::CabledPort { station: port.other, port: port.other_port, ..*port };
            let coming = other.link(simulation);
            captures.links.entry(leaving.0).or_default().leaving = Some(number);
            captures.links.entry(coming.0).or_default().coming = Some(number);
            simulation.tap(leaving);
            simulation.tap(coming);
        }
        Ok(captures)
    }

    /// Records that the first bit of a packet was sent on a link.
    pub fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        let watched = self.links.get(&link.0).copied().unwrap_or_default();
        if let Some(port) = watched.leaving {
            let written = self.ports[port].leaves(at, packet);
            self.note(written);
        }
        // Packets that have arrived by now are written before later ones.
        if let Some(port) = watched.coming {
            let written = self.ports[port].flush(at);
            self.note(written);
        }
    }

    /// Records that a packet on a link will arrive at an instant.
    pub fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        let Some(port) = self.links.get(&link.0).and_then(|watched| watched.coming) else { return };
        let port = &mut self.ports[port];
        port.count += 1;
        port.arriving.push(Reverse(Arriving { at, number: port.count, packet: packet.clone() }));
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.trouble.get_or_insert(error);
        }
    }

    /// Flushes everything written so far to the files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn flush_to_disk(&mut self) -> Result<(), Unfit> {
        self.ports.iter_mut().try_for_each(|port| port.out.out_mut().flush()).map_err(|error| Unfit(error.to_string()))
    }

    /// Completes the files with the packets that arrived by `end`, without those still on their way, and returns the
    /// partial paths. The caller gives the files their final names together with all other results.
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

    /// Writes the packets that have arrived until then.
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

/// The lengths and checksums of the files are part of the state. Bytes beyond that length were written by an
/// interrupted run after its checkpoint.
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
    /// Truncates the file to the length and checks that it has the checksum of the state.
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
