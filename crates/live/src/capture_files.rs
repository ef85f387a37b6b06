//! Capture files as ports: frames of one file arrive in real time, and what is sent is written to another.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::iter::Peekable;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use node::{Burst, Discarded};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use wire::capture::{Captured, Fault, PcapngWriter, Reader, Timestamp};
use wire::{LinkLayer, Packet};

use crate::{Interface, Offload, reasons};

/// The most bytes of a frame that are read: all that the longest frames have.
const LONGEST: usize = 1 << 16;

/// Frames from a capture file, at the times after the first that the file has for them, and a capture file for frames
/// that are sent. The first arrives when the driver begins.
pub struct CaptureFiles {
    name: String,
    input: Option<Peekable<Reader<BufReader<File>>>>,
    output: Option<PcapngWriter<BufWriter<File>>>,
    /// A timer that expires when the next frame arrives.
    timer: OwnedFd,
    /// The time at which the first frame arrived, and its time in the file.
    start: Option<(Instant, Option<Timestamp>)>,
}

impl CaptureFiles {
    /// Opens a file to read, pcap or pcapng, and makes one to write, pcapng, from their paths, `IN,OUT`. Either may be
    /// empty: then nothing arrives, or what is sent is only counted.
    ///
    /// # Errors
    ///
    /// Returns that the text is not of that form or the input no capture, or the error of the system.
    pub fn open(paths: &str) -> io::Result<Self> {
        let (input, output) = self::paths(paths)?;
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let mut files = Self { name: format!("pcapng:{paths}"), input: None, output: None, timer, start: None };
        if let Some(input) = input {
            files.input = Some(read(input)?.peekable());
            files.set_timer(std::time::Duration::from_nanos(1))?;
        }
        if let Some(output) = output {
            let file = BufWriter::new(File::create(output)?);
            files.output = Some(PcapngWriter::new(file, LinkLayer::Ethernet)?);
        }
        Ok(files)
    }

    /// Checks that a file can be read as a capture. Of a pipe, whose reader would take from it, only that it is there.
    ///
    /// # Errors
    ///
    /// Returns that it is no capture, or the error of the system.
    pub(crate) fn check_input(path: &Path) -> io::Result<()> {
        if std::fs::metadata(path)?.is_file() { read(path).map(|_| ()) } else { Ok(()) }
    }

    fn set_timer(&self, after: std::time::Duration) -> io::Result<()> {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Timespec { tv_sec: after.as_secs() as _, tv_nsec: after.subsec_nanos() as _ };
        let times = Itimerspec { it_interval: never, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &times)?;
        Ok(())
    }
}

/// Returns the paths of `IN,OUT`; `None` for one that is left out.
///
/// # Errors
///
/// Returns that the text is not of that form.
pub(crate) fn paths(text: &str) -> io::Result<(Option<&Path>, Option<&Path>)> {
    let form = || {
        let text = format!("`{text}` is not of the form IN.pcapng,OUT.pcapng, of which either may be left out");
        io::Error::new(io::ErrorKind::InvalidInput, text)
    };
    let (input, output) = text.split_once(',').filter(|(_, output)| !output.contains(',')).ok_or_else(form)?;
    let path = |text| Some(Path::new(text)).filter(|path| !path.as_os_str().is_empty());
    Ok((path(input), path(output)))
}

fn read(path: &Path) -> io::Result<Reader<BufReader<File>>> {
    Reader::with_head_limit(BufReader::new(File::open(path)?), LONGEST).map_err(of_fault)
}

fn of_fault(fault: Fault) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("at byte {}: {}", fault.offset, fault.message))
}

/// Returns the time from one time in a file to another, in nanoseconds; zero if it is earlier or unknown.
fn between(first: Option<Timestamp>, later: Option<Timestamp>) -> u64 {
    let (Some(first), Some(later)) = (first, later) else { return 0 };
    u64::try_from(later.picoseconds_since(first).max(0) / 1000).unwrap_or(u64::MAX)
}

impl Interface for CaptureFiles {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        // Whether the timer had expired does not matter: what has come by now is returned.
        let _ = rustix::io::read(&self.timer, &mut [0; 8]);
        let Some(input) = &mut self.input else { return Ok(()) };
        let mut taken = 0;
        while taken < limit {
            match input.peek() {
                None => {
                    self.input = None;
                    return Ok(());
                }
                Some(Err(_)) => {
                    if let Some(Err(fault)) = input.next() {
                        return Err(of_fault(fault));
                    }
                }
                Some(Ok(Captured { time, packet, .. })) => {
                    let (start, first) = *self.start.get_or_insert_with(|| (Instant::now(), *time));
                    let wait = std::time::Duration::from_nanos(between(first, *time)).saturating_sub(start.elapsed());
                    if !wait.is_zero() {
                        return self.set_timer(wait);
                    }
                    let is_frame = packet.sidecar.link == LinkLayer::Ethernet;
                    if let Some(Ok(Captured { packet, .. })) = input.next() {
                        taken += 1;
                        match is_frame {
                            true => into.push(packet),
                            false => discarded.push(Discarded::new(packet, reasons::NOT_ETHERNET)),
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        if let Some(output) = &mut self.output {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let now = Timestamp::new(since.as_secs() as i64, u64::from(since.subsec_nanos()) * 1000);
            for packet in &*packets {
                output.write(now, packet)?;
            }
            // Whoever reads the file, perhaps a pipe, sees what was sent so far.
            output.out_mut().flush()?;
        }
        sent.extend(packets.drain(..));
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }
}
