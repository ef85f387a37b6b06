//! The packets that are offered: of captures, each on its port, in order of time, or of a plan of traffic.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use basis::Instant;
use diagnostics::Diagnostic;
use node::{Offered, Port};
use traffic::{LineRate, Prepared, Stream, Traffic};
use wire::capture::{Captured, Reader, Timestamp};

use crate::program::LoadedProgram;
use diagnostics::Failure;
use files::Fingerprint;

/// In picoseconds.
const A_SECOND: u64 = 1_000_000_000_000;
/// In seconds.
const A_DAY: u64 = 86_400;
/// How long a run may last, in picoseconds. An instant has 64 bits, and so has a time in the captures that are written,
/// which count from up to a day and a second before the first packet (`wire::capture::PcapngWriter`).
const LONGEST: u64 = u64::MAX - (A_DAY + 1) * A_SECOND;

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

/// Where packets come from.
#[derive(Clone, Debug)]
pub enum Offer {
    /// Captures, each of which comes in on a port.
    Captures {
        /// The captures.
        captures: Vec<CaptureInput>,
        /// When their packets come.
        pace: Pace,
    },
    /// A plan of traffic, such as a generator, with what was read for it.
    Traffic(Box<(Traffic, Prepared)>),
}

impl Offer {
    /// The packets of a plan of traffic, for a program and a machine to which packets come at a line rate.
    ///
    /// # Errors
    /// Everything that is wrong with the plan and its files.
    pub fn planned(traffic: Traffic, program: &LoadedProgram, rate: LineRate) -> Result<Self, Failure> {
        let prepared = traffic.prepare(&program.binding, rate.pipelines, rate.period);
        let prepared = prepared.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
        Ok(Self::Traffic(Box::new((traffic, prepared))))
    }

    /// What was read for a plan of traffic: packets that are known beforehand. Those of captures are not.
    pub fn prepared(&self) -> Option<&Prepared> {
        match self {
            Self::Captures { .. } => None,
            Self::Traffic(planned) => Some(&planned.1),
        }
    }

    /// Every packet, but no more than so many.
    ///
    /// # Errors
    /// What is no capture, or broken.
    pub(crate) fn read(&self, most: Option<u64>) -> Result<Vec<Offered>, Failure> {
        let mut packets = Packets::open(self)?;
        let mut read = Vec::new();
        while most.is_none_or(|most| (read.len() as u64) < most)
            && let Some(packet) = packets.next()?
        {
            read.push(packet);
        }
        Ok(read)
    }

    /// The files that packets are read from.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let (captures, traffic) = match self {
            Self::Captures { captures, .. } => (captures.as_slice(), None),
            Self::Traffic(planned) => (&[][..], Some(&planned.0)),
        };
        let of_plan = traffic.into_iter().flat_map(|traffic| traffic.inputs()).filter_map(|input| input.path());
        captures.iter().map(|capture| &*capture.path).chain(of_plan)
    }

    /// What the packets are called.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Captures { captures, .. } => {
                let names = captures.iter().map(|capture| capture.path.display().to_string());
                names.collect::<Vec<_>>().join(", ")
            }
            Self::Traffic(planned) => planned.0.to_string(),
        }
    }

    /// The ports that are named. A plan of traffic takes those that there are.
    pub(crate) fn ports(&self) -> impl Iterator<Item = u16> {
        let captures = match self {
            Self::Captures { captures, .. } => captures.as_slice(),
            Self::Traffic(_) => &[],
        };
        captures.iter().map(|capture| capture.port)
    }
}

/// Every packet, in order of time.
pub(crate) enum Packets {
    Captures(CapturedPackets),
    Traffic(Box<Stream>),
}

impl Packets {
    /// Opens what packets come from.
    ///
    /// # Errors
    /// What is no capture.
    pub(crate) fn open(offer: &Offer) -> Result<Self, Failure> {
        Ok(match offer {
            Offer::Captures { captures, pace } => Self::Captures(CapturedPackets::open(captures, *pace)?),
            Offer::Traffic(planned) => Self::Traffic(Box::new(planned.1.packets())),
        })
    }

    /// When the run begins by the clock of the captures; in 1970, where there is none.
    pub(super) fn start(&self) -> Timestamp {
        match self {
            Self::Captures(captures) => captures.start,
            Self::Traffic(_) => Timestamp::default(),
        }
    }

    /// The hashes of captures that can be read only once, as far as they were read; `None` for files.
    pub(super) fn hashes(&self) -> Vec<Option<Fingerprint>> {
        match self {
            Self::Captures(captures) => captures.hashes(),
            Self::Traffic(_) => Vec::new(),
        }
    }

    /// The next packet.
    ///
    /// # Errors
    /// A capture that is broken from here on; a packet that comes too late; a file that changed while it was read.
    pub(crate) fn next(&mut self) -> Result<Option<Offered>, Failure> {
        match self {
            Self::Captures(captures) => captures.next(),
            Self::Traffic(stream) => match (stream.next(), stream.trouble()) {
                (None, Some(trouble)) => Err(Failure::plain(trouble)),
                (next, _) => Ok(next),
            },
        }
    }
}

/// Every packet of some captures, in order of time; of packets that come at one time, those of the first capture first.
pub(crate) struct CapturedPackets {
    sources: Vec<Source>,
    /// When the run begins by the clock of the captures: with their earliest first packet. In 1970, if that has no time or
    /// nobody looks at it.
    start: Timestamp,
}

struct Source {
    input: CaptureInput,
    reader: Reader<Hashed>,
    /// The hash of what can be read only once, as far as it was read.
    hash: Option<Arc<Mutex<Fingerprint>>>,
    next: Option<Offered>,
    pace: Pace,
    /// What the run calls zero; until a packet has a time, nobody knows.
    start: Option<Timestamp>,
    latest: Instant,
    count: u64,
}

impl CapturedPackets {
    /// Opens captures.
    ///
    /// # Errors
    /// What is no capture.
    fn open(inputs: &[CaptureInput], pace: Pace) -> Result<Self, Failure> {
        let standard = Path::new(traffic::STANDARD_INPUT);
        if inputs.iter().filter(|input| input.path == standard).count() > 1 {
            let error = Diagnostic::without_place("standard input can be the packets of one port only");
            return Err(error.hint("name `-` once").into());
        }
        let mut sources = Vec::new();
        let mut firsts = Vec::new();
        for input in inputs {
            let file = traffic::open(&input.path)
                .map_err(|error| Failure::plain(format!("cannot read {}: {error}", input.path.display())))?;
            let hash = traffic::is_stream(&input.path).then(|| Arc::new(Mutex::new(Fingerprint::new())));
            let file = Hashed { file, hash: hash.clone() };
            // Programs parse any part of a packet.
            let reader = Reader::with_head_limit(file, usize::MAX).map_err(|fault| broken(input, &fault))?;
            let mut source = Source {
                input: input.clone(),
                reader,
                hash,
                next: None,
                pace,
                start: None,
                latest: Instant::ZERO,
                count: 0,
            };
            firsts.push(source.capture()?);
            sources.push(source);
        }
        let times = firsts.iter().flatten().filter_map(|captured| captured.time);
        let start = times.min();
        for (source, first) in sources.iter_mut().zip(firsts) {
            source.start = start;
            source.next = first.map(|first| source.offer(first)).transpose()?;
        }
        Ok(Self { sources, start: start.filter(|_| pace == Pace::Timestamps).unwrap_or_default() })
    }

    /// See [`Packets::hashes`].
    fn hashes(&self) -> Vec<Option<Fingerprint>> {
        let hash = |hash: &Arc<Mutex<Fingerprint>>| *hash.lock().unwrap_or_else(PoisonError::into_inner);
        self.sources.iter().map(|source| source.hash.as_ref().map(hash)).collect()
    }

    /// The next packet.
    ///
    /// # Errors
    /// A capture that is broken from here on; a packet that comes too late.
    fn next(&mut self) -> Result<Option<Offered>, Failure> {
        // Only now: what comes after the last packet that anybody wants may be wrong.
        self.sources.iter_mut().try_for_each(Source::look_ahead)?;
        let times = self.sources.iter().enumerate();
        let next = times.filter_map(|(at, source)| Some((source.next.as_ref()?.at, at))).min();
        let Some((_, at)) = next else { return Ok(None) };
        Ok(self.sources[at].next.take())
    }
}

/// Bytes of a capture, which are hashed as they are read if they can be read only once.
struct Hashed {
    file: Box<dyn Read + Send>,
    hash: Option<Arc<Mutex<Fingerprint>>>,
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        if let Some(hash) = &self.hash {
            hash.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
        }
        Ok(count)
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

    fn look_ahead(&mut self) -> Result<(), Failure> {
        if self.next.is_none() {
            self.next = self.capture()?.map(|captured| self.offer(captured)).transpose()?;
        }
        Ok(())
    }

    /// # Errors
    /// A packet that comes later than runs last.
    fn offer(&mut self, captured: Captured) -> Result<Offered, Failure> {
        let at = match (self.pace, captured.time) {
            (Pace::Rate(rate), _) => u128::from(self.count) * u128::from(A_SECOND) / u128::from(rate.max(1)),
            (Pace::Timestamps, Some(time)) => {
                let since = time.picoseconds_since(*self.start.get_or_insert(time));
                u128::try_from(since).unwrap_or(0)
            }
            // Nobody knows when; it followed the one before.
            (Pace::Timestamps, None) => self.latest.picoseconds().into(),
        };
        self.count += 1;
        if at > u128::from(LONGEST) {
            return Err(self.too_late(at));
        }
        let at = Instant::from_picoseconds(at as u64);
        // A packet whose time lies before that of the packet in front of it comes with that one.
        self.latest = self.latest.max(at);
        Ok(Offered { at: self.latest, port: Port(self.input.port), packet: captured.packet })
    }

    fn too_late(&self, at: u128) -> Failure {
        let days = |picoseconds: u128| picoseconds / u128::from(A_DAY * A_SECOND);
        let (capture, count) = (self.input.path.display(), self.count);
        let message = format!(
            "packet {count} of {capture} comes {} days after the first one, and a run lasts {} days at the most",
            days(at),
            days(LONGEST.into())
        );
        let hint = match self.pace {
            Pace::Timestamps => "`--rate 1000000` lets a million come in a second, whatever their timestamps",
            Pace::Rate(_) => "a larger `--rate` lets more come in a second",
        };
        Diagnostic::without_place(message).hint(hint).into()
    }
}

fn broken(input: &CaptureInput, fault: &wire::capture::Fault) -> Failure {
    let error = Diagnostic::without_place(format!("{}: {fault}", input.path.display()));
    match &fault.hint {
        Some(hint) if !hint.is_empty() => error.hint(hint.clone()).into(),
        _ => error.into(),
    }
}
