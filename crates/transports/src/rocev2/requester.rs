//! The sending half of a queue pair: what is sent next, and the state of what was sent.

use basis::{Instant, Rate};
use demand::Message;
use serde::{Deserialize, Serialize};
use wire::SharedBytes;

use super::counters::Counters;
use super::format::{Answer, Request, Said};
use super::parameters::{Recovery, RoceV2Parameters};
use super::rate::{Pacer, ReactionPoint};
use super::selective::Selective;
use super::sequence;
use super::work::SendQueue;
use crate::Notice;

/// The sending half of a queue pair.
#[derive(Debug, Serialize, Deserialize)]
pub struct Requester {
    pub peer: u32,
    /// The number of the queue pair.
    number: u32,
    work: SendQueue,
    /// The position of the first unacknowledged packet.
    unacknowledged: u64,
    /// The position of the packet to send next, apart from retransmissions of selective repeat; below `highest` after
    /// going back.
    next: u64,
    /// The position of the first packet that was never sent.
    highest: u64,
    selective: Selective,
    /// The number of retries since something was last acknowledged.
    retries: u8,
    /// The time since which the oldest packet has been waiting for its acknowledgement.
    waits_since: Option<Instant>,
    /// The number of packets since the last one that requested an acknowledgement.
    silent: u8,
    rate: ReactionPoint,
    pacer: Pacer,
    /// True if an error has ended the queue pair; another one then takes its place.
    pub has_failed: bool,
    /// True if the queue pair is in the queue for the link.
    pub is_queued: bool,
    /// The time of the queue pair's current entry in the timer heap.
    pub scheduled: Option<Instant>,
}

impl Requester {
    pub fn new(peer: u32, number: u32, parameters: &RoceV2Parameters) -> Self {
        Self {
            peer,
            number,
            work: SendQueue::default(),
            unacknowledged: 0,
            next: 0,
            highest: 0,
            selective: Selective::default(),
            retries: 0,
            waits_since: None,
            silent: 0,
            rate: ReactionPoint::new(parameters.link.rate()),
            pacer: Pacer::default(),
            has_failed: false,
            is_queued: false,
            scheduled: None,
        }
    }

    pub fn push(&mut self, message: Message, parameters: &RoceV2Parameters) {
        self.work.push(message, parameters);
    }

    /// Returns the position of the packet to send next, regardless of the pacer; `None` if there is none.
    fn choose(&self, parameters: &RoceV2Parameters) -> Option<u64> {
        if parameters.recovery == Recovery::SelectiveRepeat
            && let Some(lost) = self.selective.lost(self.unacknowledged)
        {
            return Some(lost);
        }
        let may_go = self.next < self.work.end() && self.next - self.unacknowledged < u64::from(parameters.window);
        may_go.then_some(self.next)
    }

    /// Returns the time at which the queue pair may send, if it has anything to send.
    pub fn next_send(&self, now: Instant, parameters: &RoceV2Parameters) -> Option<Instant> {
        self.choose(parameters)?;
        Some(self.pacer.next().max(now))
    }

    /// Returns what the next packet says, with its payload if that is more than a length, and records that it is sent.
    pub fn send(
        &mut self,
        now: Instant,
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
    ) -> Option<(Said, Option<SharedBytes>)> {
        let position = self.choose(parameters)?;
        let part = self.work.part(position, parameters)?;
        counters.data_packets_sent += 1;
        counters.retransmissions += u64::from(position < self.highest);
        if position == self.next {
            self.next += 1;
            self.highest = self.highest.max(self.next);
        } else {
            self.selective.sent(position);
        }
        self.silent += 1;
        let asks = part.is_end || self.silent >= parameters.packets_per_ack || self.choose(parameters).is_none();
        if asks {
            self.silent = 0;
        }
        self.waits_since.get_or_insert(now);
        let request = Request {
            opcode: part.opcode,
            queue_pair: self.number,
            sequence: sequence::number(position),
            asks,
            target: part.target,
            immediate: part.immediate,
            payload: part.payload,
        };
        Some((Said::Request(request), part.content))
    }

    /// Records that a packet of `bytes` bytes is sent.
    pub fn sent(&mut self, now: Instant, bytes: usize, parameters: &RoceV2Parameters) {
        let Some(dcqcn) = &parameters.dcqcn else { return };
        let line_rate = parameters.link.rate();
        self.rate.advance(now, line_rate, dcqcn);
        if self.rate.is_limited(line_rate) {
            let bytes = bytes as u64 + u64::from(parameters.link.framing());
            self.pacer.sent(now, self.rate.rate().time_of(bytes));
            self.rate.sent(bytes, line_rate, dcqcn);
        }
    }

    /// Handles a congestion notification.
    pub fn notified(&mut self, now: Instant, parameters: &RoceV2Parameters) {
        if let Some(dcqcn) = &parameters.dcqcn {
            self.rate.notified(now, parameters.link.rate(), dcqcn);
        }
    }

    /// Returns the rate of DCQCN at `now`, which is not before anything that has happened; `None` without DCQCN.
    pub fn rate(&self, now: Instant, parameters: &RoceV2Parameters) -> Option<Rate> {
        let mut rate = self.rate;
        rate.advance(now, parameters.link.rate(), parameters.dcqcn.as_ref()?);
        Some(rate.rate())
    }

    /// Handles an acknowledgement or a sequence error.
    pub fn answered(
        &mut self,
        now: Instant,
        answer: &Answer,
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) {
        // An acknowledgement names the last packet that has arrived, a sequence error the first one that is missing.
        let named = sequence::position(answer.sequence, self.unacknowledged);
        let until = named.map(|named| named + u64::from(!answer.is_error));
        let Some(until) = until.filter(|until| (self.unacknowledged..=self.highest).contains(until)) else {
            counters.late_answers_received += 1;
            return;
        };
        if until > self.unacknowledged {
            self.advance(now, until, counters, notices);
        }
        if !answer.is_error || self.unacknowledged == self.highest {
            return;
        }
        match parameters.recovery {
            Recovery::GoBackN => self.go_back(parameters, counters, notices),
            Recovery::SelectiveRepeat => {
                let arrived = answer.arrived.and_then(|arrived| sequence::position(arrived, self.unacknowledged));
                if let Some(arrived) = arrived.filter(|position| (until + 1..self.highest).contains(position)) {
                    self.selective.arrived(arrived, self.unacknowledged, self.highest);
                }
            }
        }
    }

    /// Records that everything before a position is acknowledged.
    fn advance(&mut self, now: Instant, until: u64, counters: &mut Counters, notices: &mut Vec<Notice>) {
        self.unacknowledged = until;
        self.next = self.next.max(until);
        self.retries = 0;
        self.selective.acknowledged(until, self.highest);
        self.waits_since = (self.highest > until).then_some(now);
        while let Some(message) = self.work.pop_below(until) {
            counters.messages_completed += 1;
            notices.push(Notice::Completed(message));
        }
    }

    /// Handles the expiry of the timer.
    pub fn wake(
        &mut self,
        now: Instant,
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) {
        if self.timer(parameters).is_some_and(|timer| timer <= now) {
            counters.timeouts += 1;
            self.go_back(parameters, counters, notices);
        }
    }

    /// Retransmits lost packets, or fails if that was tried too often.
    fn go_back(&mut self, parameters: &RoceV2Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
        if self.retries >= parameters.retries {
            self.fail(counters, notices);
            return;
        }
        self.retries += 1;
        // The timer restarts when the first of them is retransmitted, which may have to wait for the link.
        self.waits_since = None;
        match parameters.recovery {
            Recovery::GoBackN => self.next = self.unacknowledged,
            Recovery::SelectiveRepeat => self.selective.time_out(self.unacknowledged, self.highest),
        }
    }

    /// Enters the error state of the queue pair, in which everything that it has to send is flushed.
    fn fail(&mut self, counters: &mut Counters, notices: &mut Vec<Notice>) {
        self.has_failed = true;
        self.waits_since = None;
        counters.queue_pairs_failed += 1;
        while let Some(message) = self.work.pop() {
            counters.messages_abandoned += 1;
            notices.push(Notice::Abandoned(message));
        }
        (self.unacknowledged, self.next) = (self.work.end(), self.work.end());
        self.highest = self.work.end();
        self.selective = Selective::default();
    }

    /// Returns the time at which the oldest packet will have waited too long.
    pub fn timer(&self, parameters: &RoceV2Parameters) -> Option<Instant> {
        Some(self.waits_since? + parameters.timeout(self.highest - self.unacknowledged))
    }

    /// Returns the unfinished messages, each with the number of its acknowledged bytes.
    pub fn acknowledged(&self, parameters: &RoceV2Parameters) -> impl Iterator<Item = (&Message, u64)> {
        self.work.messages().map(move |(message, first, end)| {
            let packets = self.unacknowledged.clamp(first, end) - first;
            (message, (packets * u64::from(parameters.payload)).min(message.bytes()))
        })
    }

    /// Returns the unfinished messages, each with a description of what it waits for.
    pub fn waiting(&self, parameters: &RoceV2Parameters) -> impl Iterator<Item = (&Message, String)> {
        self.work.messages().map(move |(message, first, end)| {
            let acknowledged = self.unacknowledged.clamp(first, end) - first;
            let under_way = self.highest.clamp(first, end) - first - acknowledged;
            let what = match self.choose(parameters) {
                _ if self.highest <= first && self.unacknowledged < first => "the messages before it".to_owned(),
                Some(_) => format!("its turn on the link at {}", self.rate.rate()),
                None => "acknowledgements".to_owned(),
            };
            let packets = end - first;
            let counts = format!("{acknowledged} of {packets} packets acknowledged, {under_way} in flight");
            let retries = match self.retries {
                0 => String::new(),
                retries => format!(", {retries} retries since the last acknowledgement"),
            };
            (message, format!("waits for {what}: {counts}{retries}"))
        })
    }
}
