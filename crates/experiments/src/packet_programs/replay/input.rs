//! The packets of captures, each on its port, in order of time.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use basis::{Duration, Instant};
use diagnostics::Diagnostic;
use node::{Offered, Port};
use wire::capture::{Captured, Reader, Timestamp};

use crate::failure::Failure;

/// A capture whose packets come in on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureInput {
    /// The port.
    pub port: u16,
    /// The capture.
    pub path: PathBuf,
}

/// When packets come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// By the timestamps of the captures, from that of the earliest first packet on.
    #[default]
    Timestamps,
    /// So many packets a second on each port, without a gap before the first.
    Rate(u64),
}

/// Every packet of some captures, in order of time; of packets that come at one time, those of the first capture first.
pub(super) struct Packets {
    sources: Vec<Source>,
}

struct Source {
    input: CaptureInput,
    reader: Reader<BufReader<File>>,
    next: Option<Offered>,
    pace: Pace,
    /// What the run calls zero.
    start: Timestamp,
    latest: Instant,
    count: u64,
}

impl Packets {
    /// Opens captures.
    ///
    /// # Errors
    /// What is no capture.
    pub(super) fn open(inputs: &[CaptureInput], pace: Pace) -> Result<Self, Failure> {
        let mut sources = Vec::new();
        let mut firsts = Vec::new();
        for input in inputs {
            let file = File::open(&input.path)
                .map_err(|error| Failure::plain(format!("cannot read {}: {error}", input.path.display())))?;
            // Programs parse any part of a packet.
            let reader = Reader::with_head_limit(BufReader::new(file), usize::MAX)
                .map_err(|fault| broken(input, &fault))?;
            let mut source = Source {
                input: input.clone(),
                reader,
                next: None,
                pace,
                start: Timestamp::default(),
                latest: Instant::ZERO,
                count: 0,
            };
            firsts.push(source.capture()?);
            sources.push(source);
        }
        let times = firsts.iter().flatten().filter_map(|captured| captured.time);
        let start = times.min().unwrap_or_default();
        for (source, first) in sources.iter_mut().zip(firsts) {
            source.start = start;
            source.next = first.map(|first| source.offer(first));
        }
        Ok(Self { sources })
    }

    /// The next packet.
    ///
    /// # Errors
    /// A capture that is broken from here on.
    pub(super) fn next(&mut self) -> Result<Option<Offered>, Failure> {
        let times = self.sources.iter().enumerate();
        let next = times.filter_map(|(at, source)| Some((source.next.as_ref()?.at, at))).min();
        let Some((_, at)) = next else { return Ok(None) };
        let source = &mut self.sources[at];
        let packet = source.next.take();
        source.next = source.capture()?.map(|captured| source.offer(captured));
        Ok(packet)
    }
}

impl Source {
    fn capture(&mut self) -> Result<Option<Captured>, Failure> {
        match self.reader.next() {
            None => Ok(None),
            Some(Ok(captured)) => Ok(Some(captured)),
            Some(Err(fault)) => Err(broken(&self.input, &fault)),
        }
    }

    fn offer(&mut self, captured: Captured) -> Offered {
        let at = match (self.pace, captured.time) {
            (Pace::Rate(rate), _) => {
                let picoseconds = u128::from(self.count) * 1_000_000_000_000 / u128::from(rate.max(1));
                Instant::from_picoseconds(u64::try_from(picoseconds).unwrap_or(u64::MAX))
            }
            (Pace::Timestamps, Some(time)) => {
                let since = time.picoseconds_since(self.start).max(0);
                Instant::from_picoseconds(u64::try_from(since).unwrap_or(u64::MAX))
            }
            // Nobody knows when; it followed the one before.
            (Pace::Timestamps, None) => self.latest + Duration::from_picoseconds(0),
        };
        self.count += 1;
        // A packet whose time lies before that of the packet in front of it comes with that one.
        self.latest = self.latest.max(at);
        Offered { at: self.latest, port: Port(self.input.port), packet: captured.packet }
    }
}

fn broken(input: &CaptureInput, fault: &wire::capture::Fault) -> Failure {
    let error = Diagnostic::without_place(format!("{}: {fault}", input.path.display()));
    match &fault.hint {
        Some(hint) if !hint.is_empty() => error.hint(hint.clone()).into(),
        _ => error.into(),
    }
}
