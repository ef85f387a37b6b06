//! The packets of a run: those of captures, each of which arrives on a port, in order of time, or of a plan of traffic.

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

/// A second in picoseconds.
const A_SECOND: u64 = 1_000_000_000_000;
/// A day in seconds.
const A_DAY: u64 = 86_400;
/// The maximum duration of a run, in picoseconds. An instant has 64 bits, and so has a time in the captures that are
/// written, which count from up to a day and a second before the first packet (`wire::capture::PcapngWriter`).
const LONGEST: u64 = u64::MAX - (A_DAY + 1) * A_SECOND;

/// A capture whose packets arrive on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureInput {
    /// The ingress port.
    pub port: u16,
    /// The path of the capture; `-` is standard input.
    pub path: PathBuf,
}

/// The arrival times of the packets of captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// By the timestamps of the captures. Time 0 is the earliest timestamp of the first packets of all captures.
    #[default]
    Timestamps,
    /// This many packets per second on each port; the first arrives at time 0.
    Rate(u64),
}

/// The packets that are offered to a machine.
#[derive(Clone, Debug)]
pub enum Offer {
    /// The packets of captures, each of which arrives on a port.
    Captures {
        /// The captures.
        captures: Vec<CaptureInput>,
        /// The arrival times of their packets.
        pace: Pace,
    },
    /// The packets of a plan of traffic, such as a generator, with the inputs that were read for it.
    Traffic(Box<(Traffic, Prepared)>),
}

impl Offer {
    /// Returns the packets of a plan of traffic for a program and a machine with this line rate.
    ///
    /// # Errors
    /// If the plan or one of its files is wrong.
    pub fn planned(traffic: Traffic, program: &LoadedProgram, rate: LineRate) -> Result<Self, Failure> {
        let prepared = traffic.prepare(&program.binding, rate.pipelines, rate.period);
        let prepared = prepared.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
        Ok(Self::Traffic(Box::new((traffic, prepared))))
    }

    /// Returns the packets of a plan of traffic, which are known beforehand, or `None` for captures.
    pub fn prepared(&self) -> Option<&Prepared> {
        match self {
            Self::Captures { .. } => None,
            Self::Traffic(planned) => Some(&planned.1),
        }
    }

    /// Reads all packets, but at most `most`.
    ///
    /// # Errors
    /// If a packet cannot be read.
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

    /// Returns the paths of the files from which packets are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let (captures, traffic) = match self {
            Self::Captures { captures, .. } => (captures.as_slice(), None),
            Self::Traffic(planned) => (&[][..], Some(&planned.0)),
        };
        let of_plan = traffic.into_iter().flat_map(|traffic| traffic.inputs()).filter_map(|input| input.path());
        captures.iter().map(|capture| &*capture.path).chain(of_plan)
    }

    /// Returns the name of the packets in reports: the paths of the captures, or the plan of traffic.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Captures { captures, .. } => {
                let names = captures.iter().map(|capture| capture.path.display().to_string());
                names.collect::<Vec<_>>().join(", ")
            }
            Self::Traffic(planned) => planned.0.to_string(),
        }
    }

    /// Returns the ingress ports of captures. A plan of traffic names none, because it uses the ports that exist.
    pub(crate) fn ports(&self) -> impl Iterator<Item = u16> {
        let captures = match self {
            Self::Captures { captures, .. } => captures.as_slice(),
            Self::Traffic(_) => &[],
        };
        captures.iter().map(|capture| capture.port)
    }
}

/// A stream of all packets, in order of time.
pub(crate) enum Packets {
    Captures(CapturedPackets),
    Traffic(Box<Stream>),
}

impl Packets {
    /// Opens the packets of an offer.
    ///
    /// # Errors
    /// If a file cannot be opened or is not a capture.
    pub(crate) fn open(offer: &Offer) -> Result<Self, Failure> {
        Ok(match offer {
            Offer::Captures { captures, pace } => Self::Captures(CapturedPackets::open(captures, *pace)?),
            Offer::Traffic(planned) => Self::Traffic(Box::new(planned.1.packets())),
        })
    }

    /// Returns the start of the run by the clock of the captures, or the beginning of 1970 if there is no clock.
    pub(super) fn start(&self) -> Timestamp {
        match self {
            Self::Captures(captures) => captures.start,
            Self::Traffic(_) => Timestamp::default(),
        }
    }

    /// Returns the hashes of captures that can be read only once, as far as they have been read, and `None` for each
    /// that is a file.
    pub(super) fn hashes(&self) -> Vec<Option<Fingerprint>> {
        match self {
            Self::Captures(captures) => captures.hashes(),
            Self::Traffic(_) => Vec::new(),
        }
    }

    /// Returns the next packet.
    ///
    /// # Errors
    /// If a capture is damaged at this point, the packet arrives too late, or a file has changed while it was read.
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

/// A stream of all packets of some captures, in order of time. Packets with the same time are in the order of captures.
pub(crate) struct CapturedPackets {
    sources: Vec<Source>,
    /// The start of the run by the clock of the captures, which is the earliest time of their first packets. It is the
    /// beginning of 1970 if they have no times or the pace ignores them.
    start: Timestamp,
}

struct Source {
    input: CaptureInput,
    reader: Reader<Hashed>,
    /// The hash of a capture that can be read only once, as far as it has been read.
    hash: Option<Arc<Mutex<Fingerprint>>>,
    next: Option<Offered>,
    pace: Pace,
    /// The timestamp that is time 0 of the run; `None` until a packet has a timestamp.
    start: Option<Timestamp>,
    latest: Instant,
    count: u64,
}

impl CapturedPackets {
    /// Opens captures.
    ///
    /// # Errors
    /// If a file cannot be opened or is not a capture, or if standard input is named more than once.
    fn open(inputs: &[CaptureInput], pace: Pace) -> Result<Self, Failure> {
        let standard = Path::new(traffic::STANDARD_INPUT);
        if inputs.iter().filter(|input| input.path == standard).count() > 1 {
            let error = Diagnostic::without_place("standard input can provide the packets of one port only");
            return Err(error.hint("name `-` once").into());
        }
        let mut sources = Vec::new();
        let mut firsts = Vec::new();
        for input in inputs {
            let file = traffic::open(&input.path)
                .map_err(|error| Failure::plain(format!("cannot read {}: {error}", input.path.display())))?;
            let hash = traffic::is_stream(&input.path).then(|| Arc::new(Mutex::new(Fingerprint::new())));
            let file = Hashed { file, hash: hash.clone() };
            // The whole packet is read, because programs can parse any part of it.
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

    /// Returns the next packet.
    ///
    /// # Errors
    /// If a capture is damaged at this point, or the packet arrives too late.
    fn next(&mut self) -> Result<Option<Offered>, Failure> {
        // Reading ahead happens only now, so that errors after the last requested packet do not matter.
        self.sources.iter_mut().try_for_each(Source::look_ahead)?;
        let times = self.sources.iter().enumerate();
        let next = times.filter_map(|(at, source)| Some((source.next.as_ref()?.at, at))).min();
        let Some((_, at)) = next else { return Ok(None) };
        Ok(self.sources[at].next.take())
    }
}

/// The bytes of a capture, which are hashed while they are read if they can be read only once.
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

    /// Turns a captured packet into one with an arrival time.
    ///
    /// # Errors
    /// If the packet arrives later than the maximum duration of a run.
    fn offer(&mut self, captured: Captured) -> Result<Offered, Failure> {
        let at = match (self.pace, captured.time) {
            (Pace::Rate(rate), _) => u128::from(self.count) * u128::from(A_SECOND) / u128::from(rate.max(1)),
            (Pace::Timestamps, Some(time)) => {
                let since = time.picoseconds_since(*self.start.get_or_insert(time));
                u128::try_from(since).unwrap_or(0)
            }
            // A packet without a timestamp arrives together with the one before it.
            (Pace::Timestamps, None) => self.latest.picoseconds().into(),
        };
        self.count += 1;
        if at > u128::from(LONGEST) {
            return Err(self.too_late(at));
        }
        let at = Instant::from_picoseconds(at as u64);
        // A packet whose timestamp is before that of its predecessor arrives together with it.
        self.latest = self.latest.max(at);
        Ok(Offered { at: self.latest, port: Port(self.input.port), packet: captured.packet })
    }

    fn too_late(&self, at: u128) -> Failure {
        let days = |picoseconds: u128| picoseconds / u128::from(A_DAY * A_SECOND);
        let (capture, count) = (self.input.path.display(), self.count);
        let message = format!(
            "packet {count} of {capture} arrives {} days after the first one, but a run lasts {} days at most",
            days(at),
            days(LONGEST.into())
        );
        let hint = match self.pace {
            Pace::Timestamps => "`--rate 1000000` ignores timestamps and offers a million packets per second",
            Pace::Rate(_) => "a higher `--rate` offers more packets per second",
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
