//! The receiving half of a connection: what has arrived, and when and how it is acknowledged.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::tcp::Options;

use super::TcpParameters;
use super::counters::Counters;
use super::echo::Echo;
use super::stream::{FIRST, Stream};
use crate::ranges::Ranges;

/// The number of out-of-order ranges whose order of arrival is remembered for SACK blocks (RFC 2018, section 4).
const REPORTED: usize = 4;

/// The receiving half of a connection.
#[derive(Debug, Serialize, Deserialize)]
pub struct Receiving {
    pub stream: Stream,
    /// RCV.NXT: the first missing position.
    pub next: u64,
    early: Ranges,
    /// One position in each of the ranges that were extended last, the most recent first.
    reported: [u64; REPORTED],
    /// The position of the FIN, once it is known.
    finish: Option<u64>,
    pub echo: Echo,
    /// The number of segments since the last acknowledgement.
    waiting: u8,
    /// The latest time for acknowledging them.
    pub deadline: Option<Instant>,
    /// The number of bytes that have arrived in order and that the application has not taken. It stays 0 for messages,
    /// which are always taken at once.
    pub unread: u64,
    /// The window that was last advertised, in bytes.
    advertised: u32,
}

/// The time at which an arriving segment is to be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Now,
    Later,
}

impl Receiving {
    /// Creates the receiving half after a SYN with sequence number `first`.
    pub fn new(first: u32, echo: Echo) -> Self {
        Self {
            stream: Stream { first },
            next: 1,
            early: Ranges::default(),
            reported: [0; REPORTED],
            finish: None,
            echo,
            waiting: 0,
            deadline: None,
            unread: 0,
            advertised: 0,
        }
    }

    /// Returns RCV.WND: the number of bytes that may arrive from the first missing position on.
    fn window(&self, parameters: &TcpParameters) -> u32 {
        parameters.receive_buffer.saturating_sub(u32::try_from(self.unread).unwrap_or(u32::MAX))
    }

    /// Returns the end of the window, exclusive.
    pub fn window_end(&self, parameters: &TcpParameters) -> u64 {
        self.next + u64::from(self.window(parameters))
    }

    /// Returns the window, and records that it is advertised now.
    pub fn advertise(&mut self, parameters: &TcpParameters) -> u32 {
        self.advertised = self.window(parameters);
        self.advertised
    }

    /// Records that the application has taken `bytes` bytes. Returns true if the peer, which may think that the window
    /// is closed, must be sent an update; that is only the case once there is room for a segment (RFC 9293, section
    /// 3.8.6.2.2).
    pub fn taken(&mut self, bytes: u64, parameters: &TcpParameters) -> bool {
        self.unread -= bytes;
        let enough = (parameters.receive_buffer / 2).min(u32::from(parameters.maximum_segment()));
        self.advertised < enough && self.window(parameters) >= enough && !self.is_finished()
    }

    /// Returns true if some of the `length` positions from `start` on are in the window (RFC 9293, section 3.4). An
    /// empty segment is also acceptable at the start of the window, even if the window is closed.
    pub fn is_acceptable(&self, start: u64, length: u64, parameters: &TcpParameters) -> bool {
        if length == 0 && start == self.next {
            return true;
        }
        start < self.window_end(parameters) && (start + length > self.next || length == 0 && start >= self.next)
    }

    /// Records arriving payload, which a FIN may follow, and returns when to acknowledge it.
    pub fn arrived(
        &mut self,
        now: Instant,
        start: u64,
        payload: u64,
        has_fin: bool,
        parameters: &TcpParameters,
        counters: &mut Counters,
    ) -> Answer {
        let window_end = self.window_end(parameters);
        let end = (start + payload).min(window_end);
        if has_fin && start + payload < window_end {
            self.finish = Some(start + payload);
        }
        let before = self.next;
        let had_gap = !self.early.is_empty();
        if start > self.next {
            if start < end {
                counters.out_of_order_received += 1;
                self.early.insert(start, end, 0);
                self.report(start);
            }
        } else if end > self.next {
            self.next = end;
            if had_gap {
                if let Some((_, end)) = self.early.containing(end) {
                    self.next = end;
                }
                self.early.cut_below(self.next, 0);
            }
        } else if payload > 0 {
            counters.duplicates_received += 1;
        }
        if self.finish == Some(self.next) {
            self.next += 1;
        }
        // Segments that are out of order, fill a gap or are duplicates are acknowledged at once (RFC 5681, section
        // 4.2).
        if self.next == before || had_gap || has_fin {
            return Answer::Now;
        }
        self.waiting += 1;
        if self.waiting >= parameters.segments_per_ack {
            return Answer::Now;
        }
        self.deadline.get_or_insert(now + parameters.delayed_ack);
        Answer::Later
    }

    fn report(&mut self, place: u64) {
        let (start, end) = self.early.containing(place).unwrap_or((place, place));
        let is_other = |other: &u64| !(start..end).contains(other);
        let mut reported = [0; REPORTED];
        let places = std::iter::once(place).chain(self.reported.into_iter().filter(is_other));
        reported.iter_mut().zip(places).for_each(|(to, from)| *to = from);
        self.reported = reported;
    }

    /// Returns true if there are segments whose acknowledgement is delayed.
    pub fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Records that an acknowledgement is sent.
    pub fn acknowledged(&mut self) {
        self.waiting = 0;
        self.deadline = None;
    }

    /// Adds SACK blocks to options, beginning with the range that was extended last, as RFC 2018 requires.
    pub fn add_blocks(&self, options: &mut Options) {
        if self.early.is_empty() {
            return;
        }
        let mut blocks = [(0, 0); REPORTED];
        let mut count = 0;
        for place in self.reported {
            let Some(range) = self.early.containing(place) else { continue };
            if blocks[..count].contains(&range) {
                continue;
            }
            if !options.add_sack_block(self.stream.number(range.0), self.stream.number(range.1)) {
                return;
            }
            blocks[count] = range;
            count += 1;
        }
    }

    /// Returns true if everything has arrived, including the FIN.
    pub fn is_finished(&self) -> bool {
        self.finish.is_some_and(|finish| self.next > finish)
    }

    /// Returns true if no payload has arrived.
    pub fn has_nothing(&self) -> bool {
        self.next == FIRST && self.early.is_empty()
    }

    /// Returns the number of bytes of payload that have arrived in order.
    pub fn bytes(&self) -> u64 {
        self.next - 1 - u64::from(self.is_finished())
    }
}
