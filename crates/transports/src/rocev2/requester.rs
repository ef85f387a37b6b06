//! The sending half of a queue pair: what goes next, and what becomes of it.

use basis::Instant;
use demand::Message;
use serde::{Deserialize, Serialize};

use super::counters::Counters;
use super::format::{Answer, Request, Said};
use super::parameters::{Parameters, Recovery};
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
    /// The first place that is not acknowledged.
    unacknowledged: u64,
    /// The place to send next, but for what selective repeat sends again; below `highest` after going back.
    next: u64,
    /// The first place that was never sent.
    highest: u64,
    selective: Selective,
    /// How often it has gone back since something was acknowledged.
    retries: u8,
    /// Since when the oldest packet has waited.
    waits_since: Option<Instant>,
    /// Packets since the last that asked for an acknowledgement.
    silent: u8,
    rate: ReactionPoint,
    pacer: Pacer,
    /// Errors end a queue pair; another takes its place.
    pub has_failed: bool,
    /// True if it is among those that wait for the line.
    pub is_queued: bool,
    /// When its timer or pacer is looked at.
    pub scheduled: Option<Instant>,
}

impl Requester {
    pub fn new(peer: u32, number: u32, parameters: &Parameters) -> Self {
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
            rate: ReactionPoint::new(parameters.line.rate()),
            pacer: Pacer::default(),
            has_failed: false,
            is_queued: false,
            scheduled: None,
        }
    }

    pub fn push(&mut self, message: Message, parameters: &Parameters) {
        self.work.push(message, parameters);
    }

    /// The place that goes next; `None` if nothing may go but for the pacer.
    fn choose(&self, parameters: &Parameters) -> Option<u64> {
        if parameters.recovery == Recovery::SelectiveRepeat
            && let Some(lost) = self.selective.lost(self.unacknowledged)
        {
            return Some(lost);
        }
        let may_go = self.next < self.work.end() && self.next - self.unacknowledged < u64::from(parameters.window);
        may_go.then_some(self.next)
    }

    /// When it may send, if it has something to send.
    pub fn next_send(&self, now: Instant, parameters: &Parameters) -> Option<Instant> {
        self.choose(parameters)?;
        Some(self.pacer.next().max(now))
    }

    /// Makes the packet that goes next.
    pub fn send(&mut self, now: Instant, parameters: &Parameters, counters: &mut Counters) -> Option<Said> {
        let place = self.choose(parameters)?;
        let part = self.work.part(place, parameters)?;
        counters.data_packets_sent += 1;
        counters.retransmissions += u64::from(place < self.highest);
        if place == self.next {
            self.next += 1;
            self.highest = self.highest.max(self.next);
        } else {
            self.selective.sent(place);
        }
        self.silent += 1;
        let asks = part.is_end || self.silent >= parameters.packets_per_ack || self.choose(parameters).is_none();
        if asks {
            self.silent = 0;
        }
        self.waits_since.get_or_insert(now);
        Some(Said::Request(Request {
            opcode: part.opcode,
            queue_pair: self.number,
            sequence: sequence::number(place),
            asks,
            place: part.place,
            immediate: part.immediate,
            payload: part.payload,
        }))
    }

    /// A packet of so many bytes goes out.
    pub fn sent(&mut self, now: Instant, bytes: usize, parameters: &Parameters) {
        let Some(dcqcn) = &parameters.dcqcn else { return };
        let line = parameters.line.rate();
        self.rate.advance(now, line, dcqcn);
        if self.rate.is_limited(line) {
            let bytes = bytes as u64 + u64::from(parameters.line.framing());
            self.pacer.sent(now, self.rate.rate().time_of(bytes));
            self.rate.sent(bytes, line, dcqcn);
        }
    }

    /// A congestion notification has come.
    pub fn notified(&mut self, now: Instant, parameters: &Parameters) {
        if let Some(dcqcn) = &parameters.dcqcn {
            self.rate.notified(now, parameters.line.rate(), dcqcn);
        }
    }

    /// An acknowledgement or a sequence error has come.
    pub fn answered(
        &mut self,
        now: Instant,
        answer: &Answer,
        parameters: &Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) {
        // An acknowledgement names the last packet that is here, an error the first that is not.
        let named = sequence::place(answer.sequence, self.unacknowledged);
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
                let arrived = answer.arrived.and_then(|arrived| sequence::place(arrived, self.unacknowledged));
                if let Some(arrived) = arrived.filter(|place| (until + 1..self.highest).contains(place)) {
                    self.selective.arrived(arrived, self.unacknowledged, self.highest);
                }
            }
        }
    }

    /// Everything before a place is acknowledged.
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

    /// The oldest packet has waited too long.
    pub fn wake(&mut self, now: Instant, parameters: &Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
        if self.timer(parameters).is_some_and(|timer| timer <= now) {
            counters.timeouts += 1;
            self.go_back(parameters, counters, notices);
        }
    }

    /// Packets are lost. Sends them again, or fails if that was tried too often.
    fn go_back(&mut self, parameters: &Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
        if self.retries >= parameters.retries {
            self.fail(counters, notices);
            return;
        }
        self.retries += 1;
        // Begins when the first of them is sent again, which may have to wait for the line.
        self.waits_since = None;
        match parameters.recovery {
            Recovery::GoBackN => self.next = self.unacknowledged,
            Recovery::SelectiveRepeat => self.selective.time_out(self.unacknowledged, self.highest),
        }
    }

    /// The queue pair goes into its error state: what it has to send is flushed.
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

    /// When the oldest packet has waited too long.
    pub fn timer(&self, parameters: &Parameters) -> Option<Instant> {
        Some(self.waits_since? + parameters.timeout(self.highest - self.unacknowledged))
    }

    /// The messages that are not finished, with how many bytes of each are acknowledged.
    pub fn acknowledged(&self, parameters: &Parameters) -> impl Iterator<Item = (&Message, u64)> {
        self.work.messages().map(move |(message, first, end)| {
            let packets = self.unacknowledged.clamp(first, end) - first;
            (message, (packets * u64::from(parameters.payload)).min(message.bytes()))
        })
    }

    /// The messages that are not finished, and for what each waits, in words.
    pub fn waiting(&self, parameters: &Parameters) -> impl Iterator<Item = (&Message, String)> {
        self.work.messages().map(move |(message, first, end)| {
            let acknowledged = self.unacknowledged.clamp(first, end) - first;
            let under_way = self.highest.clamp(first, end) - first - acknowledged;
            let what = match self.choose(parameters) {
                _ if self.highest <= first && self.unacknowledged < first => "the messages before it".to_owned(),
                Some(_) => format!("its turn on the line at {}", self.rate.rate()),
                None => "acknowledgements".to_owned(),
            };
            let packets = end - first;
            let counts = format!("{acknowledged} of {packets} packets acknowledged, {under_way} under way");
            let retries = match self.retries {
                0 => String::new(),
                retries => format!(", {retries} retries since the last"),
            };
            (message, format!("waits for {what}: {counts}{retries}"))
        })
    }
}
