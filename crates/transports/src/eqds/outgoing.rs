//! An outgoing message: what may be sent, what is requested, and the state of what was sent.

use basis::{Duration, Instant};
use demand::Message;
use serde::{Deserialize, Serialize};

use super::EqdsParameters;
use super::credit::whole_of_32;
use super::format::HEAD;
use crate::paths::Fate;
use crate::receiver_driven::{self, Course};
use crate::suspects::Suspects;
use crate::window::Flight;

/// The three queues for the link.
const REQUESTS: usize = 0;
const RETRANSMISSIONS: usize = 1;
const NEW: usize = 2;

/// A packet to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sending {
    /// An RTS.
    Request,
    /// A data packet.
    Data { sequence: u32, is_retransmission: bool, is_speculative: bool },
}

/// An outgoing message.
///
/// Credit is counted in bytes, and a packet may be sent while there is any, so that the rest of a quantum is never
/// lost; the packet after that waits until the debt is paid.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outgoing {
    pub course: Course,
    full_packet: u32,
    last_packet: u32,
    /// The number of granted bytes that have not been used; negative by less than a packet after overdrawing.
    credit: i64,
    /// The number of bytes that may still be sent without credit; 0 once anything was received.
    speculative: i64,
    /// The number of quanta known to be granted.
    received: u64,
    /// The total number of quanta that was requested from the receiver; the requests may have been lost.
    asked: u64,
    /// True if a timeout has occurred without credit, because the request or its answer was lost.
    must_ask: bool,
    /// The time and path of the last RTS.
    requested: Option<(Instant, u16)>,
    /// True if nothing was received since then.
    awaits_answer: bool,
    /// The number of data timeouts since a packet was last newly acknowledged; other answers in the meantime may
    /// concern only credit.
    fruitless: u8,
}

impl receiver_driven::Outgoing for Outgoing {
    type Parameters = EqdsParameters;

    fn course(&self) -> &Course {
        &self.course
    }

    fn awaits(&self) -> &'static str {
        match (self.course.has_unsent(), self.may_send()) {
            (true, true) => "the link",
            (true, false) => "CREDIT",
            (false, _) => "ACKs",
        }
    }

    fn turn(&self) -> Option<usize> {
        if self.may_send() {
            if self.course.window.waiting() > 0 {
                return Some(RETRANSMISSIONS);
            }
            if self.course.window.has_new() {
                return Some(NEW);
            }
        }
        self.is_to_ask().then_some(REQUESTS)
    }

    /// Returns the time by which an answer must have arrived; `None` if the next packet only waits for the link.
    fn deadline(&self, parameters: &EqdsParameters) -> Option<Instant> {
        match self.course.window.oldest_flight() {
            Some(oldest) => Some(oldest.at + self.packet_timeout(parameters)),
            // An RTS is answered at once.
            None if !self.may_send() && self.awaits_answer => {
                Some(self.course.last_activity + self.packet_timeout(parameters))
            }
            // Everything that was sent has been answered. If credit was lost, nobody else would resume the message. In
            // an incast, credit arrives long after a round trip.
            None if !self.may_send() => Some(self.course.last_activity + self.waiting_timeout(parameters)),
            None => None,
        }
    }

    /// Handles a timeout: lost packets are to be retransmitted, and the receiver is asked for credit for them.
    fn time_out(&mut self, now: Instant, parameters: &EqdsParameters, suspects: &mut Suspects) {
        let timeout = self.packet_timeout(parameters);
        let destination = self.course.message.destination();
        let mut suspect = |path: u16| {
            if parameters.paths > 1 {
                suspects.lost(now, destination, path, timeout);
            }
        };
        let is_lost = |oldest: &Flight| oldest.at + timeout <= now;
        self.fruitless =
            self.fruitless.saturating_add(u8::from(self.course.window.oldest_flight().as_ref().is_some_and(is_lost)));
        while let Some(oldest) = self.course.window.oldest_flight().filter(is_lost) {
            self.course.paths.learn(oldest.path, Fate::Lost);
            suspect(oldest.path);
            self.course.window.resend(oldest.sequence);
        }
        if let Some((at, path)) = self.requested.filter(|_| self.awaits_answer)
            && at + timeout <= now
        {
            suspect(path);
        }
        debug_assert!(self.course.has_unsent(), "a message with nothing to send has timed out");
        self.course.timeouts = self.course.timeouts.saturating_add(1);
        self.course.last_activity = now;
        self.speculative = 0;
        // Packets that were sent in sequence time out in sequence; one RTS is enough for all of them.
        let first = parameters.packet_timeout(&self.course.patience, 0);
        self.must_ask = self.requested.is_none_or(|(at, _)| at + first <= now);
    }

    /// Returns true if the next timeout abandons the message, because nothing was received for too long or no packet
    /// gets through.
    fn is_hopeless(&self, parameters: &EqdsParameters) -> bool {
        self.course.timeouts.max(self.fruitless) >= parameters.attempts
    }

    /// The timeout also doubles if credit gets through but data do not.
    fn packet_timeout(&self, parameters: &EqdsParameters) -> Duration {
        parameters.packet_timeout(&self.course.patience, self.course.timeouts.max(self.fruitless))
    }

    fn first_timeout(parameters: &EqdsParameters) -> Duration {
        parameters.timeout(0)
    }
}

impl Outgoing {
    pub fn new(now: Instant, message: Message, parameters: &EqdsParameters) -> Self {
        let course = Course::new(now, message, parameters.payload_bytes());
        Self {
            full_packet: parameters.packet_bytes,
            last_packet: HEAD as u32 + u32::from(course.last_payload),
            course,
            credit: 0,
            speculative: i64::from(parameters.first_window) * i64::from(parameters.packet_bytes),
            received: 0,
            asked: 0,
            must_ask: false,
            requested: None,
            awaits_answer: false,
            fruitless: 0,
        }
    }

    /// Returns the length of a packet in bytes, from the Ethernet header on.
    pub fn bytes_of(&self, sequence: u32) -> u32 {
        if sequence == self.course.packets - 1 { self.last_packet } else { self.full_packet }
    }

    /// Returns the length of `packets` packets in bytes, which include the last one of the message if `with_last` is
    /// true.
    fn bytes_of_many(&self, packets: u32, with_last: bool) -> i64 {
        let shorter = if with_last { self.full_packet - self.last_packet } else { 0 };
        i64::from(packets) * i64::from(self.full_packet) - i64::from(shorter)
    }

    /// Returns the number of bytes that wait to be sent or retransmitted.
    fn backlog(&self) -> i64 {
        let new = self.course.packets - self.course.window.next_new();
        self.bytes_of_many(new, new > 0) + self.bytes_of_many(self.course.window.waiting(), false)
    }

    /// Returns the number of bytes that wait and may not be sent yet, with or without credit; at most a window is
    /// counted.
    fn lack(&self, parameters: &EqdsParameters) -> u64 {
        let most = parameters.window_bytes() as i64;
        (self.backlog().min(most) - self.credit - self.speculative).max(0) as u64
    }

    /// Returns the total number of quanta that the message wants to be granted, and whether it will want more than
    /// that.
    pub fn demand(&self, parameters: &EqdsParameters) -> (u64, bool) {
        let has_more = self.backlog() > parameters.window_bytes() as i64;
        (self.received + parameters.quanta(self.lack(parameters)), has_more)
    }

    /// Returns the number of packets that wait to be retransmitted.
    pub fn to_send_again(&self) -> u32 {
        self.course.window.waiting()
    }

    fn may_send(&self) -> bool {
        self.credit > 0 || self.speculative > 0
    }

    /// Returns true if an RTS is needed: something waits, no credit is left, and none is expected for earlier requests.
    fn is_to_ask(&self) -> bool {
        self.course.has_unsent() && !self.may_send() && (self.must_ask || self.asked <= self.received)
    }

    /// Returns the next packet to send, retransmissions before new packets; `None` if there is none, or no credit for
    /// it.
    pub fn next(&mut self) -> Option<Sending> {
        if self.is_to_ask() {
            return Some(Sending::Request);
        }
        if !self.may_send() {
            return None;
        }
        let is_speculative = self.credit <= 0;
        if let Some(sequence) = self.course.window.take_retransmission() {
            return Some(Sending::Data { sequence, is_retransmission: true, is_speculative });
        }
        let sequence = self.course.window.next_new();
        let has_new = self.course.window.has_new();
        has_new.then_some(Sending::Data { sequence, is_retransmission: false, is_speculative })
    }

    /// Records that the data packet from [`Outgoing::next`] is sent. Returns true if it must request an ACK, because no
    /// other packet follows.
    pub fn sent(&mut self, now: Instant, sequence: u32, is_speculative: bool, path: u16) -> bool {
        let bytes = i64::from(self.bytes_of(sequence));
        if is_speculative {
            self.speculative -= bytes;
        } else {
            self.credit -= bytes;
        }
        self.course.last_activity = now;
        self.course.window.sent(now, sequence, path);
        !self.may_send() || !self.course.has_unsent()
    }

    /// Returns the time for which credit may fail to arrive after everything was answered.
    fn waiting_timeout(&self, parameters: &EqdsParameters) -> Duration {
        parameters.waiting_timeout(&self.course.patience, self.course.timeouts)
    }

    /// Records that a data packet, or an RTS on the path `request`, requests `target` quanta in total.
    pub fn asked(&mut self, now: Instant, target: u64, request: Option<u16>) {
        if let Some(path) = request {
            self.requested = Some((now, path));
            self.awaits_answer = true;
        }
        self.asked = target;
        self.must_ask = false;
        self.course.last_activity = now;
    }

    /// Handles the part that all answers have. From now on, the receiver controls the sending.
    pub fn heard(&mut self, now: Instant) {
        self.course.timeouts = 0;
        self.awaits_answer = false;
        self.course.last_activity = now;
        self.speculative = 0;
    }

    /// Handles a CREDIT, given the low bits of the total number of quanta granted so far.
    pub fn granted(&mut self, low: u32, parameters: &EqdsParameters) {
        // The number is cumulative: a CREDIT that overtakes others grants their quanta too.
        let Some(granted) = whole_of_32(self.received, low).filter(|&granted| granted > self.received) else { return };
        let bytes = (granted - self.received) * u64::from(parameters.quantum);
        self.received = granted;
        self.must_ask = false;
        self.credit += bytes as i64;
        self.limit_credit();
    }

    /// Limits the credit to the unacknowledged packets: more would be useless, and would let the last of them be sent
    /// unpaced.
    fn limit_credit(&mut self) {
        self.credit = self.credit.min(self.bytes_of_many(self.course.window.unacknowledged(), false));
    }

    /// Handles an ACK, which reports the packets that have arrived: all before `cumulative`, and of the 64 packets from
    /// `cumulative + reference` on those whose bit is set. It answers a packet that took `path`, and that had arrived
    /// before if `is_copy` is true.
    pub fn acknowledge(
        &mut self,
        now: Instant,
        (cumulative, reference, bitmap): (u32, u16, u64),
        path: u16,
        is_copy: bool,
    ) {
        let before = self.course.window.unacknowledged();
        self.course.paths.learn(path, Fate::Arrived);
        let first = cumulative.saturating_add(u32::from(reference));
        let is_acknowledged = |sequence: u32| {
            let bit = sequence.checked_sub(first).filter(|&bit| bit < u64::BITS);
            sequence < cumulative || bit.is_some_and(|bit| bitmap >> bit & 1 == 1)
        };
        // An ACK covers several packets. The round trip of the oldest includes the time for which the receiver waited
        // for the others. If the oldest of all is missing, the newest that has arrived is measured instead.
        let oldest =
            self.course.window.oldest_flight().map(|oldest| oldest.sequence).filter(|&oldest| is_acknowledged(oldest));
        let newest = if bitmap == 0 { cumulative.checked_sub(1) } else { first.checked_add(bitmap.ilog2()) };
        if let Some(sequence) = oldest.or(newest) {
            self.course.patience.answered(now, sequence, &self.course.window);
        }
        self.course.window.acknowledge_before(cumulative.min(self.course.packets));
        let mut bits = bitmap;
        while bits != 0 {
            self.course.window.acknowledge(first.saturating_add(bits.trailing_zeros()));
            bits &= bits - 1;
        }
        if self.course.window.unacknowledged() < before {
            self.fruitless = 0;
        } else if is_copy {
            self.course.patience.was_in_vain();
        }
        self.limit_credit();
    }

    /// Handles a NACK: the receiver has got a packet without its payload, and will grant as much again.
    pub fn refuse(&mut self, now: Instant, sequence: u32, path: u16, parameters: &EqdsParameters) {
        self.course.patience.answered(now, sequence, &self.course.window);
        self.course.paths.learn(path, Fate::Trimmed);
        if self.course.window.resend(sequence) {
            self.asked = self.asked.max(self.received) + parameters.quanta(u64::from(self.bytes_of(sequence)));
        }
    }

    /// Handles a packet that a switch has returned, of which the receiver knows nothing.
    pub fn returned(&mut self, sequence: u32, path: u16) {
        self.course.paths.learn(path, Fate::Returned);
        self.course.window.resend(sequence);
    }
}
