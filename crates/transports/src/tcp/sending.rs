//! The sending half of a connection: what may be sent, and the state of what was sent.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::tcp::{Options, flag};

use super::TcpParameters;
use super::congestion::Congestion;
use super::scoreboard::Scoreboard;
use super::segment::Segment;
use super::stream::Stream;
use super::timeout::Timeout;

/// The state of loss recovery, which lasts until everything is acknowledged that was sent before the loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recovery {
    None,
    /// Loss was detected by duplicate or selective acknowledgements (RFC 6582, RFC 6675). The recovery lasts until this
    /// position, RecoveryPoint, is acknowledged.
    Fast(u64),
    /// Loss was detected by the retransmission timer. No fast recovery begins until this position is acknowledged (RFC
    /// 6675, section 5.1, RFC 6582, section 4).
    Timeout(u64),
}

/// A segment to send now, as a range of stream positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub start: u64,
    pub end: u64,
    pub kind: SegmentKind,
}

/// The kind of a segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SegmentKind {
    New,
    Again,
    /// The end of the missing data, sent at most once in a recovery (RFC 6675, section 4, NextSeg rule 4).
    Rescue,
}

/// The sending half of a connection. Positions are those of [`Stream`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Sending {
    pub stream: Stream,
    /// The length of the payload of the whole stream so far, in bytes.
    length: u64,
    /// True if the FIN may follow the last byte of payload.
    pub may_finish: bool,
    /// SND.UNA: the first position that is not acknowledged.
    pub unacknowledged: u64,
    /// SND.NXT: the first position that was never sent.
    pub next: u64,
    /// The payload of a full segment in bytes, once the connection is open.
    pub segment: u32,
    /// SND.WND in bytes, and the positions of the segment that set it: SND.WL1 and SND.WL2.
    pub window: u64,
    pub window_said: (u64, u64),
    pub has_sack: bool,
    pub(super) scoreboard: Scoreboard,
    pub recovery: Recovery,
    pub(super) duplicates: u32,
    /// Without selective acknowledgements: the number of bytes beyond those acknowledged that are assumed to have left
    /// the network (the inflation of the window of RFC 5681, section 3.2, and RFC 6582).
    pub(super) inflation: u64,
    /// The first missing segment is sent regardless of the window.
    pub(super) must_send: bool,
    pub(super) is_rescued: bool,
    /// True after the first partial acknowledgement of a recovery (RFC 6582, section 4: the impatient variant).
    pub(super) had_partial: bool,
    /// The value of `next` when the congestion window last limited the sender.
    pub(super) limited_at: u64,
    /// The peer has closed its window, and it is time to probe it (RFC 9293, section 3.8.6.1).
    pub(super) must_probe: bool,
    pub congestion: Congestion,
    pub timeout: Timeout,
    /// The retransmission timer.
    pub timer: Option<Instant>,
    /// The number of timeouts since something was last acknowledged.
    pub timeouts: u8,
    /// The end position of the segment whose round trip is being measured, and the time at which it was sent.
    pub(super) timed: Option<(u64, Instant)>,
    /// True if ECN was negotiated.
    pub is_capable: bool,
    /// The window was already reduced for congestion on data before this position.
    pub(super) reduced_until: u64,
    /// The next new segment carries CWR, because the window was reduced (RFC 3168, section 6.1.2).
    pub(super) owes_cwr: bool,
}

impl Sending {
    /// Creates the sending half of a stream of `length` bytes of payload, of which nothing has been sent.
    pub fn new(first: u32, length: u64, may_finish: bool, parameters: &TcpParameters) -> Self {
        Self {
            stream: Stream { first },
            length,
            may_finish,
            unacknowledged: 0,
            next: 0,
            segment: u32::from(parameters.maximum_segment()),
            window: 0,
            window_said: (0, 0),
            has_sack: false,
            scoreboard: Scoreboard::default(),
            recovery: Recovery::None,
            duplicates: 0,
            inflation: 0,
            must_send: false,
            is_rescued: false,
            had_partial: false,
            limited_at: 0,
            must_probe: false,
            congestion: Congestion::new(parameters.algorithm.0),
            timeout: Timeout::new(parameters),
            timer: None,
            timeouts: 0,
            timed: None,
            is_capable: false,
            reduced_until: 0,
            owes_cwr: false,
        }
    }

    /// Adds `bytes` bytes to send. This is only allowed while `may_finish` is false.
    pub fn lengthen(&mut self, bytes: u64) {
        self.length += bytes;
    }

    /// Returns the position of the FIN.
    pub fn finish(&self) -> u64 {
        1 + self.length
    }

    /// Returns true if the FIN was sent.
    pub fn has_finished(&self) -> bool {
        self.next > self.finish()
    }

    /// Returns true if everything was acknowledged, including the FIN.
    pub fn is_done(&self) -> bool {
        self.unacknowledged > self.finish()
    }

    /// Returns FlightSize in bytes.
    pub fn in_flight(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Returns the estimated number of bytes in the network.
    pub fn pipe(&self) -> u64 {
        if !self.has_sack && matches!(self.recovery, Recovery::Fast(_)) {
            // The lost segment, still counted in FlightSize, stands for its retransmission.
            return self.in_flight().saturating_sub(self.inflation);
        }
        self.scoreboard.pipe(self.unacknowledged, self.next, self.segment).saturating_sub(self.inflation)
    }

    /// Returns the end of a full segment that begins at `start`. A FIN is sent with the last byte.
    fn end_of(&self, start: u64) -> u64 {
        let end = start + u64::from(self.segment);
        let finish = self.finish();
        if end >= finish && self.may_finish { finish + 1 } else { end.min(finish) }
    }

    /// Returns the segment that may be sent now, if any: NextSeg of RFC 6675, section 4, within the congestion and
    /// receive windows.
    pub fn choose(&self) -> Option<Choice> {
        if self.next == 0 {
            return Some(Choice { start: 0, end: 1, kind: SegmentKind::New });
        }
        let limit = if self.unacknowledged == 0 { 1 } else { self.next };
        if self.must_send {
            return Some(self.again(self.unacknowledged, u64::MAX, limit));
        }
        let pipe = self.pipe();
        let fits = |choice: Choice| {
            // A segment always fits if the pipe is empty: windows hold at least a segment, and a FIN needs no room.
            (pipe == 0 || pipe + choice.end - choice.start <= self.congestion.window()).then_some(choice)
        };
        // Rule 1.
        if self.recovery != Recovery::None {
            let (start, end) = self.scoreboard.next_missing();
            if start < self.scoreboard.lost_below(self.unacknowledged, self.segment).min(limit) {
                return fits(self.again(start, end, limit));
            }
        }
        if self.unacknowledged == 0 {
            return None;
        }
        // Rule 2.
        if let Some(choice) = self.new_segment() {
            return fits(choice);
        }
        if !self.has_sack || !matches!(self.recovery, Recovery::Fast(_)) {
            return None;
        }
        // Rule 3: nothing new can be sent, so missing data is retransmitted before it is known to be lost.
        let (last_start, last_end) = self.scoreboard.last()?;
        let (start, end) = self.scoreboard.next_missing();
        if start < last_start {
            return fits(self.again(start, end, limit));
        }
        // Rule 4: the end of the missing data is sent, once in a recovery.
        if self.is_rescued {
            return None;
        }
        let end = if last_end < self.next { self.next } else { last_start };
        let floor = if last_end < self.next { last_end } else { self.unacknowledged };
        let start = end.saturating_sub(u64::from(self.segment)).max(floor);
        let start = self.scoreboard.missing(start).0;
        if start >= end { None } else { fits(Choice { start, end, kind: SegmentKind::Rescue }) }
    }

    fn again(&self, start: u64, gap_end: u64, limit: u64) -> Choice {
        let gap_end = if gap_end == u64::MAX { self.scoreboard.missing(start).1 } else { gap_end };
        let end = if start == 0 { 1 } else { self.end_of(start) };
        Choice { start, end: end.min(gap_end).min(limit), kind: SegmentKind::Again }
    }

    /// Returns the next segment that was never sent, if there is one and it fits the peer's window.
    fn new_segment(&self) -> Option<Choice> {
        let start = self.next;
        let mut end = self.end_of(start);
        if start >= end {
            return None;
        }
        let window_end = self.unacknowledged + self.window;
        if end > window_end && start < self.finish() {
            // While anything is in flight, no small segments are sent into a small window (RFC 9293, section
            // 3.8.6.2.1).
            end = match (self.in_flight(), window_end.saturating_sub(start)) {
                (0, room) if room > 0 => start + room,
                (0, _) if self.must_probe => start + 1,
                _ => return None,
            };
        }
        Some(Choice { start, end, kind: SegmentKind::New })
    }

    /// Returns true if only a closed window holds data back and nothing is in flight, so that without a probe nothing
    /// would ever be received.
    pub fn must_ask(&self) -> bool {
        self.unacknowledged > 0
            && self.in_flight() == 0
            && !self.must_probe
            && self.next < self.finish()
            && self.new_segment().is_none()
    }

    /// Records that a chosen segment is sent.
    pub fn sent(&mut self, now: Instant, choice: Choice, parameters: &TcpParameters) {
        match choice.kind {
            SegmentKind::New => {
                self.next = choice.end;
                self.must_probe = false;
                self.timed.get_or_insert((choice.end, now));
            }
            SegmentKind::Again | SegmentKind::Rescue => {
                if choice.kind == SegmentKind::Again {
                    self.scoreboard.sent_again(choice.start, choice.end);
                } else {
                    self.is_rescued = true;
                }
                self.must_send = false;
                // Karn's algorithm: it would be unclear which transmission was acknowledged.
                if self.timed.is_some_and(|(end, _)| end > choice.start) {
                    self.timed = None;
                }
            }
        }
        // RFC 6298, rule 5.1.
        if self.timer.is_none() {
            self.timer = Some(now + self.timeout.length(parameters));
        }
        if self.pipe() + u64::from(self.segment) > self.congestion.window() {
            self.limited_at = self.next;
        }
    }

    /// Handles the expiry of the retransmission timer (RFC 6298, rules 5.4 to 5.6; RFC 5681, section 3.1).
    pub fn time_out(&mut self) {
        self.timer = None;
        if self.must_ask() {
            self.must_probe = true;
            self.timeout.back_off();
            return;
        }
        let is_first = self.timeouts == 0;
        self.timeouts = self.timeouts.saturating_add(1);
        self.timeout.back_off();
        if self.unacknowledged > 0 {
            self.congestion.timed_out(self.in_flight(), is_first);
            self.owes_cwr = self.is_capable;
        }
        self.recovery = Recovery::Timeout(self.next);
        self.duplicates = 0;
        self.inflation = 0;
        self.must_send = false;
        self.timed = None;
        self.scoreboard.write_off(self.unacknowledged, self.next);
    }

    /// Retransmits our SYN-ACK, because the peer has repeated its SYN.
    pub fn repeat_opening(&mut self) {
        if self.next == 1 {
            self.recovery = Recovery::Timeout(1);
            self.timed = None;
            self.scoreboard.write_off(0, 1);
        }
    }

    /// Returns the part of a chosen segment that this half knows: sequence number, flags and payload length.
    pub fn header(&mut self, choice: Choice) -> Segment {
        let finish = self.finish();
        let first = choice.start.max(1);
        let payload = choice.end.min(finish).saturating_sub(first) as u32;
        let mut flags = 0;
        if choice.start == 0 {
            flags |= flag::SYN;
        }
        if choice.end > finish {
            flags |= flag::FIN;
        }
        if payload > 0 && choice.end >= finish {
            flags |= flag::PSH;
        }
        if choice.kind == SegmentKind::New && payload > 0 && self.owes_cwr {
            flags |= flag::CWR;
            self.owes_cwr = false;
        }
        let sequence = self.stream.number(choice.start);
        Segment { sequence, flags, payload, options: Options::default(), ..Segment::default() }
    }
}
