//! The replay of captures: at line rate or by their timestamps, once or several times.

use std::io::Read;

use basis::Instant;
use diagnostics::{Diagnostic, Diagnostics, Severity};
use node::{Offered, Port};
use wire::capture::{Captured, Fault, Reader, Timestamp};
use wire::{FiveTuple, Packet};

use crate::plan::{Pace, Replay};
use crate::rate::{LineRate, SMALLEST, WithoutGaps};

/// The most faults of a capture that are reported one by one: a damaged file may have one for each packet.
const MOST_FAULTS: u64 = 100;

/// The results of the first reading of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    pub(crate) packets: u64,
    /// The time of the first packet that has one.
    first: Timestamp,
    /// The time from the first packet to the latest, in picoseconds.
    span: u64,
}

/// Reads a capture to its end and reports everything that is wrong with it.
pub(crate) fn survey(replay: &Replay, found: &mut Diagnostics) -> Survey {
    let mut survey = Survey::default();
    let input = match replay.input.open() {
        Ok(input) => input,
        Err(error) => {
            found.push(replay.input.unreadable(&error));
            return survey;
        }
    };
    let mut reader = match Reader::new(input) {
        Ok(reader) => reader,
        Err(fault) => {
            found.push(told(replay, fault, Severity::Error));
            return survey;
        }
    };
    let severity = if replay.accepts_faults { Severity::Warning } else { Severity::Error };
    let (mut first, mut latest, mut back) = (None, 0, 0u64);
    let mut faults = 0u64;
    for item in reader.by_ref() {
        match item {
            Ok(Captured { time, .. }) => {
                survey.packets += 1;
                if let Some(time) = time {
                    let since = time.picoseconds_since(*first.get_or_insert(time));
                    back += u64::from(since < latest);
                    latest = latest.max(since);
                }
            }
            Err(fault) => {
                faults += 1;
                if faults <= MOST_FAULTS {
                    found.push(told(replay, fault, severity));
                }
            }
        }
    }
    if faults > MOST_FAULTS {
        let message = format!("{}: {} more faults like these", replay.input, faults - MOST_FAULTS);
        found.push(Diagnostic { severity, ..Diagnostic::without_place(message) });
    }
    let warn = |message: String, hint: &str| Diagnostic {
        severity: Severity::Warning,
        ..Diagnostic::without_place(format!("{}: {message}", replay.input)).hint(hint)
    };
    let left_out = reader.tally().of_unknown_links;
    if left_out > 0 {
        let message = format!("{left_out} packets are left out because their link type is not supported");
        found.push(warn(message, "the message about their interface names the link type"));
    }
    if survey.packets == 0 {
        found.push(warn("the capture contains no packets".to_owned(), "capture longer, or with another filter"));
    }
    if let Pace::Timestamps { numerator, denominator } = replay.pace {
        if back > 0 {
            let message = format!("{back} packets have earlier timestamps than packets before them");
            found.push(warn(message, "each of them arrives at the time of the latest packet before it"));
        }
        // All rounds must end before time does, which is after 213 days. Every round but the last is followed by the
        // mean gap, as in `CaptureStream::arrival`.
        let round = latest + latest / i128::from(survey.packets.max(2) - 1);
        let rounds = round.saturating_mul(i128::from(replay.repeat) - 1).saturating_add(latest);
        if rounds.saturating_mul(numerator.into()) / i128::from(denominator) > i128::from(u64::MAX) {
            let message = format!("{}: its timestamps span more time than a run can have (213 days)", replay.input);
            found.push(Diagnostic::without_place(message).hint("replay it at line rate, or with a smaller scale"));
        }
    }
    survey.first = first.unwrap_or_default();
    survey.span = u64::try_from(latest).unwrap_or(u64::MAX);
    survey
}

fn told(replay: &Replay, fault: Fault, severity: Severity) -> Diagnostic {
    let told = Diagnostic::without_place(format!("{}: {fault}", replay.input));
    let hint = fault.hint.unwrap_or_default();
    let hint = if severity == Severity::Error && !hint.is_empty() && fault.offset > 0 {
        format!("{hint}; `faults=accept` uses what can be read")
    } else {
        hint
    };
    let told = if hint.is_empty() { told } else { told.hint(hint) };
    Diagnostic { severity, ..told }
}

/// The packets of a capture as a stream.
pub(crate) struct CaptureStream {
    replay: Replay,
    survey: Survey,
    ports: u16,
    reader: Option<Reader<Box<dyn Read + Send>>>,
    /// The number of rounds that have begun.
    rounds: u32,
    /// The number of packets of this round.
    packets: u64,
    /// The arrival times at line rate.
    line: WithoutGaps,
    /// By timestamps: the time of the last packet since the first of its round, in picoseconds.
    latest: u64,
    pub(crate) trouble: Option<String>,
}

impl CaptureStream {
    pub(crate) fn new(replay: Replay, survey: Survey, rate: LineRate) -> Self {
        Self {
            replay,
            survey,
            ports: rate.ports,
            reader: None,
            rounds: 0,
            packets: 0,
            line: WithoutGaps::new(rate),
            latest: 0,
            trouble: None,
        }
    }

    /// Returns the next packet of the file, which is read once per round.
    fn captured(&mut self) -> Option<Captured> {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next() {
                    Some(Ok(captured)) => {
                        self.packets += 1;
                        return Some(captured);
                    }
                    // The survey has reported the fault.
                    Some(Err(_)) => continue,
                    None => self.reader = None,
                }
                if self.packets != self.survey.packets {
                    self.trouble = Some(self.replay.input.has_changed());
                }
            }
            if self.rounds == self.replay.repeat || self.trouble.is_some() || self.survey.packets == 0 {
                return None;
            }
            self.rounds += 1;
            self.packets = 0;
            self.latest = 0;
            match self.replay.input.open() {
                Err(error) => self.trouble = Some(self.replay.input.cannot_read(&error)),
                Ok(input) => match Reader::new(input) {
                    Err(fault) => self.trouble = Some(format!("{}: {fault}", self.replay.input)),
                    Ok(reader) => self.reader = Some(reader),
                },
            }
        }
    }

    /// Returns when a packet arrives, given its `time` in the capture.
    fn arrival(&mut self, time: Option<Timestamp>, packet: &Packet) -> Instant {
        let (numerator, denominator) = match self.replay.pace {
            Pace::LineRate => return self.line.arrival(packet.sidecar.original_length),
            Pace::LineRateOf64Bytes => return self.line.arrival(SMALLEST),
            Pace::Timestamps { numerator, denominator } => (numerator, denominator),
        };
        if let Some(time) = time {
            let since = time.picoseconds_since(self.survey.first);
            self.latest = self.latest.max(u64::try_from(since).unwrap_or(0));
        }
        // A round follows the previous one after the mean gap between packets.
        let gaps = u128::from(self.survey.packets.max(2) - 1);
        let round = u128::from(self.survey.span) + u128::from(self.survey.span) / gaps;
        let unscaled = round * u128::from(self.rounds - 1) + u128::from(self.latest);
        let scaled = unscaled.saturating_mul(numerator.into()) / u128::from(denominator);
        Instant::from_picoseconds(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

impl Iterator for CaptureStream {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        let Captured { time, packet, .. } = self.captured()?;
        let at = self.arrival(time, &packet);
        Some(Offered { at, port: port_of(&packet, self.ports), packet })
    }
}

/// Returns the port on which a packet of a capture arrives, which is chosen by its flow; packets other than IP arrive
/// on port 0.
fn port_of(packet: &Packet, ports: u16) -> Port {
    Port(FiveTuple::of(packet).map_or(0, |flow| (flow.hash() % u64::from(ports)) as u16))
}
