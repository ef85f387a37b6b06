//! The receiving half of a connection: what is here, and when and how it is acknowledged.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::tcp::Options;

use super::Parameters;
use super::counters::Counters;
use super::echo::Echo;
use super::stream::{FIRST, Stream};
use crate::ranges::Ranges;

/// What arrived early and was reported last, in that order (RFC 2018, section 4).
const REPORTED: usize = 4;

/// The receiving half of a connection.
#[derive(Debug, Serialize, Deserialize)]
pub struct Receiving {
    pub stream: Stream,
    /// RCV.NXT: the first place that is missing.
    pub next: u64,
    early: Ranges,
    /// A place in each of the ranges that were extended last.
    reported: [u64; REPORTED],
    /// The place of the FIN, once it is known.
    finish: Option<u64>,
    pub echo: Echo,
    /// Segments since the last acknowledgement.
    waiting: u8,
    /// When they are acknowledged at the latest.
    pub deadline: Option<Instant>,
    /// Bytes that are here in order and that the application has not taken: of messages, which it always takes, none.
    pub unread: u64,
    /// The window that the other side was told last, in bytes.
    told: u32,
}

/// When to acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Now,
    Later,
}

impl Receiving {
    /// After a SYN with this number.
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
            told: 0,
        }
    }

    /// RCV.WND: what may come behind the first place that is missing, in bytes.
    fn window(&self, parameters: &Parameters) -> u32 {
        parameters.receive_buffer.saturating_sub(u32::try_from(self.unread).unwrap_or(u32::MAX))
    }

    /// The first place behind the window.
    pub fn window_end(&self, parameters: &Parameters) -> u64 {
        self.next + u64::from(self.window(parameters))
    }

    /// The window, which the other side is told now.
    pub fn tell(&mut self, parameters: &Parameters) -> u32 {
        self.told = self.window(parameters);
        self.told
    }

    /// The application has taken so many bytes. True if the other side must be told, who may think that there is no
    /// room: not before there is room for a segment (RFC 9293, section 3.8.6.2.2).
    pub fn taken(&mut self, bytes: u64, parameters: &Parameters) -> bool {
        self.unread -= bytes;
        let enough = (parameters.receive_buffer / 2).min(u32::from(parameters.maximum_segment()));
        self.told < enough && self.window(parameters) >= enough && !self.is_finished()
    }

    /// True if some of the places from `start` on, `length` of them, are in the window (RFC 9293, section 3.4), or if
    /// it takes none and stands where the window begins, though that may be closed.
    pub fn is_acceptable(&self, start: u64, length: u64, parameters: &Parameters) -> bool {
        if length == 0 && start == self.next {
            return true;
        }
        start < self.window_end(parameters) && (start + length > self.next || length == 0 && start >= self.next)
    }

    /// Payload has arrived, and a FIN behind it or not. Says when to acknowledge.
    pub fn arrived(
        &mut self,
        now: Instant,
        start: u64,
        payload: u64,
        has_fin: bool,
        parameters: &Parameters,
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
        // RFC 5681, section 4.2: what is early, fills a gap or was here before is acknowledged at once.
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

    /// True if there are segments whose acknowledgement waits.
    pub fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// An acknowledgement goes out.
    pub fn acknowledged(&mut self) {
        self.waiting = 0;
        self.deadline = None;
    }

    /// Puts SACK blocks into options: the range that was extended last first, so that it is known at once.
    pub fn add_blocks(&self, options: &mut Options) {
        if self.early.is_empty() {
            return;
        }
        let mut told = [(0, 0); REPORTED];
        let mut count = 0;
        for place in self.reported {
            let Some(range) = self.early.containing(place) else { continue };
            if told[..count].contains(&range) {
                continue;
            }
            if !options.add_sack_block(self.stream.number(range.0), self.stream.number(range.1)) {
                return;
            }
            told[count] = range;
            count += 1;
        }
    }

    /// True if everything is here, the FIN included.
    pub fn is_finished(&self) -> bool {
        self.finish.is_some_and(|finish| self.next > finish)
    }

    /// True if no payload is here.
    pub fn has_nothing(&self) -> bool {
        self.next == FIRST && self.early.is_empty()
    }

    /// Bytes of payload that are here in order.
    pub fn bytes(&self) -> u64 {
        self.next - 1 - u64::from(self.is_finished())
    }
}
