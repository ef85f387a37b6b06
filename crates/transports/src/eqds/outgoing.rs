//! A message on its way out: what may be sent, what is asked for, and what becomes of it.

use basis::{Duration, Instant};
use demand::Message;
use serde::{Deserialize, Serialize};

use super::Parameters;
use super::credit::whole_of_32;
use super::format::HEAD;
use crate::paths::Fate;
use crate::receiver_driven::{self, Course};
use crate::suspects::Suspects;
use crate::window::Flight;

/// Which of the three queues for the line.
const REQUESTS: usize = 0;
const RETRANSMISSIONS: usize = 1;
const NEW: usize = 2;

/// What to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sending {
    /// An RTS.
    Request,
    /// A data packet.
    Data { sequence: u32, is_retransmission: bool, is_speculative: bool },
}

/// A message on its way out.
///
/// Credit is counted in bytes, and a packet may go while there is any, so that what is left of a quantum is never lost;
/// the packet after that waits until the debt is paid.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outgoing {
    pub course: Course,
    full_packet: u32,
    last_packet: u32,
    /// Bytes that the receiver has granted and that were not used; below zero by less than a packet.
    credit: i64,
    /// Bytes that may still be sent without the receiver's credit; none once anything was heard.
    speculative: i64,
    /// Quanta that the receiver has granted, as far as is known.
    received: u64,
    /// How many quanta the receiver knows that it is to grant, unless what told it was lost.
    asked: u64,
    /// True if a timeout has come and there is no credit: what was asked was lost, or its answer.
    must_ask: bool,
    /// When the last RTS was sent, and by which path.
    requested: Option<(Instant, u16)>,
    /// True if nothing has been heard since then.
    awaits_answer: bool,
    /// Timeouts of data since a packet was first known to have arrived: what is heard meanwhile may be about credit
    /// alone.
    fruitless: u8,
}

impl receiver_driven::Outgoing for Outgoing {
    type Parameters = Parameters;

    fn course(&self) -> &Course {
        &self.course
    }

    fn awaits(&self) -> &'static str {
        match (self.course.has_unsent(), self.may_send()) {
            (true, true) => "the line",
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

    /// When something must have been heard; `None` if the next packet waits for nothing but the line.
    fn deadline(&self, parameters: &Parameters) -> Option<Instant> {
        match self.course.window.oldest_flight() {
            Some(oldest) => Some(oldest.at + self.packet_timeout(parameters)),
            // An RTS is answered at once.
            None if !self.may_send() && self.awaits_answer => {
                Some(self.course.last_activity + self.packet_timeout(parameters))
            }
            // Everything that was sent has been answered, and credit has been lost: nobody else would go on. Where many send
            // to one, credit comes long after a round trip.
            None if !self.may_send() => Some(self.course.last_activity + self.waiting_timeout(parameters)),
            None => None,
        }
    }

    /// Its deadline has come: what is lost is to be sent again, and the receiver is asked for credit for it.
    fn time_out(&mut self, now: Instant, parameters: &Parameters, suspects: &mut Suspects) {
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
        debug_assert!(self.course.has_unsent(), "a message that waits for nothing has timed out");
        self.course.timeouts = self.course.timeouts.saturating_add(1);
        self.course.last_activity = now;
        self.speculative = 0;
        // Packets that were sent one after the other time out one after the other; one RTS is enough for all of them.
        let first = parameters.packet_timeout(&self.course.patience, 0);
        self.must_ask = self.requested.is_none_or(|(at, _)| at + first <= now);
    }

    /// True if it is given up with the next timeout: nothing was heard for so long, or no packet gets through.
    fn is_hopeless(&self, parameters: &Parameters) -> bool {
        self.course.timeouts.max(self.fruitless) >= parameters.attempts
    }

    /// Where data do not get through though credit does, it doubles, too.
    fn packet_timeout(&self, parameters: &Parameters) -> Duration {
        parameters.packet_timeout(&self.course.patience, self.course.timeouts.max(self.fruitless))
    }

    fn first_timeout(parameters: &Parameters) -> Duration {
        parameters.timeout(0)
    }
}

impl Outgoing {
    pub fn new(now: Instant, message: Message, parameters: &Parameters) -> Self {
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

    /// Length of a packet in bytes, from the first of Ethernet's.
    pub fn bytes_of(&self, sequence: u32) -> u32 {
        if sequence == self.course.packets - 1 { self.last_packet } else { self.full_packet }
    }

    /// So many packets, of which the last of the message may be one, in bytes.
    fn bytes_of_many(&self, packets: u32, with_last: bool) -> i64 {
        let shorter = if with_last { self.full_packet - self.last_packet } else { 0 };
        i64::from(packets) * i64::from(self.full_packet) - i64::from(shorter)
    }

    /// Bytes that wait to be sent, for the first time or again.
    fn backlog(&self) -> i64 {
        let new = self.course.packets - self.course.window.next_new();
        self.bytes_of_many(new, new > 0) + self.bytes_of_many(self.course.window.waiting(), false)
    }

    /// Bytes for which there is neither credit nor the right to send without; the most that is asked for is a window.
    fn lack(&self, parameters: &Parameters) -> u64 {
        let most = parameters.window_bytes() as i64;
        (self.backlog().min(most) - self.credit - self.speculative).max(0) as u64
    }

    /// How many quanta it wants to have been granted, and if it will want more than that.
    pub fn demand(&self, parameters: &Parameters) -> (u64, bool) {
        let has_more = self.backlog() > parameters.window_bytes() as i64;
        (self.received + parameters.quanta(self.lack(parameters)), has_more)
    }

    /// Packets that wait to be sent again.
    pub fn to_send_again(&self) -> u32 {
        self.course.window.waiting()
    }

    fn may_send(&self) -> bool {
        self.credit > 0 || self.speculative > 0
    }

    /// True if an RTS is needed: something waits, no credit is left, and none will come for what was asked.
    fn is_to_ask(&self) -> bool {
        self.course.has_unsent() && !self.may_send() && (self.must_ask || self.asked <= self.received)
    }

    /// What to send next: retransmissions first; `None` if there is nothing, or no credit for it.
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

    /// A data packet that [`Outgoing::next`] has given is sent now. Says whether an ACK is asked for, because no other
    /// packet follows.
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

    /// How long credit may take to come when everything was answered.
    fn waiting_timeout(&self, parameters: &Parameters) -> Duration {
        parameters.waiting_timeout(&self.course.patience, self.course.timeouts)
    }

    /// A data packet, or an RTS by a path, tells the receiver that so many quanta are wanted.
    pub fn asked(&mut self, now: Instant, target: u64, request: Option<u16>) {
        if let Some(path) = request {
            self.requested = Some((now, path));
            self.awaits_answer = true;
        }
        self.asked = target;
        self.must_ask = false;
        self.course.last_activity = now;
    }

    /// The receiver has said something: from now on it says who sends when.
    pub fn heard(&mut self, now: Instant) {
        self.course.timeouts = 0;
        self.awaits_answer = false;
        self.course.last_activity = now;
        self.speculative = 0;
    }

    /// The receiver has granted so many quanta by now; the low bits of the number.
    pub fn granted(&mut self, low: u32, parameters: &Parameters) {
        // Numbers are cumulative: one that overtakes others grants what they would have granted.
        let Some(granted) = whole_of_32(self.received, low).filter(|&granted| granted > self.received) else { return };
        let bytes = (granted - self.received) * u64::from(parameters.quantum);
        self.received = granted;
        self.must_ask = false;
        self.credit += bytes as i64;
        self.limit_credit();
    }

    /// More credit than for what is not known to have arrived is of no use, and would send its last packets unpaced.
    fn limit_credit(&mut self) {
        self.credit = self.credit.min(self.bytes_of_many(self.course.window.unacknowledged(), false));
    }

    /// The receiver has said which packets are there: all before one, and of the 64 from another on those whose bit is
    /// set. It answers a packet that took a path, and that was there before if `is_copy`.
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
        // An ACK is for several packets: a round trip of the oldest has the time in it for which it waited for the others. If
        // the oldest of all is missing, the newest that is here has to do.
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

    /// The receiver has seen a packet without its payload, and will grant as much again.
    pub fn refuse(&mut self, now: Instant, sequence: u32, path: u16, parameters: &Parameters) {
        self.course.patience.answered(now, sequence, &self.course.window);
        self.course.paths.learn(path, Fate::Trimmed);
        if self.course.window.resend(sequence) {
            self.asked = self.asked.max(self.received) + parameters.quanta(u64::from(self.bytes_of(sequence)));
        }
    }

    /// A switch has sent a packet back, of which the receiver knows nothing.
    pub fn returned(&mut self, sequence: u32, path: u16) {
        self.course.paths.learn(path, Fate::Returned);
        self.course.window.resend(sequence);
    }
}
