//! All messages that a host sends.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use basis::{Instant, Random};
use node::{Reason, Waiting};
use serde::{Deserialize, Serialize};
use traffic::demand::Message;
use wire::{Packet, ndp};

use super::Parameters;
use super::counters::Counters;
use super::format::{Header, Received};
use super::numbers::Numbers;
use super::outgoing::{Outgoing, Sending};
use crate::Notice;
use crate::slots::{Handle, Slots};

/// Which of the two queues for the line.
const RETRANSMISSIONS: usize = 0;
const NEW: usize = 1;

/// All messages that a host sends: whose turn it is, and whose timer is next.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sender {
    messages: Slots<Outgoing>,
    numbers: Numbers,
    /// Messages that may send a retransmission, and those that may send a new packet; one after the other, each once
    /// a round. Who is in here may have nothing to send any more.
    turns: [VecDeque<Handle>; 2],
    /// When to look at the timer of a message. An entry that is not for the time in [`Outgoing::scheduled`] has been
    /// replaced. Looked at only when it comes, so that answers need not move it.
    timers: BinaryHeap<Reverse<(Instant, Handle)>>,
    random: Random,
}

impl Sender {
    pub fn new(random: Random) -> Self {
        Self {
            messages: Slots::default(),
            numbers: Numbers::default(),
            turns: Default::default(),
            timers: BinaryHeap::new(),
            random,
        }
    }

    pub fn submit(&mut self, now: Instant, message: Message, parameters: &Parameters) {
        let handle = self.messages.insert(Outgoing::new(now, message, parameters));
        self.numbers.insert(message.number, handle);
        self.schedule(handle, now + parameters.timeout(0));
        self.take_turns(handle);
    }

    /// True if there may be a packet to send.
    pub fn is_ready(&self) -> bool {
        !self.turns[RETRANSMISSIONS].is_empty() || !self.turns[NEW].is_empty()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.timers.peek().map(|&Reverse((at, _))| at)
    }

    /// The next packet, if a message has one and credit for it: retransmissions before what is new.
    pub fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &Parameters,
        counters: &mut Counters,
    ) -> Option<Packet> {
        for turn in [RETRANSMISSIONS, NEW] {
            while let Some(handle) = self.turns[turn].pop_front() {
                let Some(outgoing) = self.messages.get_mut(handle) else { continue };
                outgoing.queued[turn] = false;
                if let Some(sending) = outgoing.next() {
                    let choice = parameters.path_choice;
                    let random = &mut self.random;
                    let path = outgoing.paths.choose(choice, parameters.paths, sending.is_retransmission, random);
                    outgoing.sent(now, sending, path);
                    counters.data_packets_sent += 1;
                    counters.retransmissions += u64::from(sending.is_retransmission);
                    let header = data_header(outgoing, sending, path, self.numbers.oldest(), parameters);
                    let destination = outgoing.message.destination;
                    self.take_turns(handle);
                    return Some(header.packet(now, address, destination, path));
                }
            }
        }
        None
    }

    /// An ACK, NACK or PULL has arrived.
    ///
    /// # Errors
    /// If it answers nothing that was sent to its source.
    pub fn answered(
        &mut self,
        now: Instant,
        received: &Received,
        parameters: &Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let header = &received.header;
        let Some((handle, outgoing)) = find(&self.numbers, &mut self.messages, received)? else {
            counters.late_answers_received += 1;
            return Ok(());
        };
        let had_timeouts = outgoing.timeouts > 0;
        outgoing.heard(now, header.pull, header.has(ndp::flag::MORE));
        match header.kind {
            ndp::kind::ACK => outgoing.acknowledge(header.sequence, header.path),
            ndp::kind::NACK => outgoing.refuse(header.sequence, header.path),
            _ => {}
        }
        if header.kind == ndp::kind::ACK && header.has(ndp::flag::LAST) {
            outgoing.acknowledge_all();
        }
        if outgoing.is_complete() {
            counters.messages_completed += 1;
            notices.push(Notice::Completed(outgoing.message));
            self.finish(handle);
            return Ok(());
        }
        if had_timeouts {
            // The timeout was doubled and is short again, also for what is sent from now on.
            let deadline = outgoing.deadline(parameters).unwrap_or(now + parameters.timeout(0));
            self.schedule(handle, deadline.max(now));
        }
        self.take_turns(handle);
        Ok(())
    }

    /// A packet of ours has been sent back.
    ///
    /// # Errors
    /// If nothing like it was sent to where it comes from.
    pub fn returned(&mut self, received: &Received, counters: &mut Counters) -> Result<(), Reason> {
        counters.returned_received += 1;
        if received.header.kind != ndp::kind::DATA {
            // What an ACK or a PULL has said is said again by the next, for their numbers are cumulative.
            return Ok(());
        }
        let Some((handle, outgoing)) = find(&self.numbers, &mut self.messages, received)? else {
            counters.late_answers_received += 1;
            return Ok(());
        };
        let header = &received.header;
        outgoing.returned(header.sequence, header.path, header.has(ndp::flag::MORE));
        self.take_turns(handle);
        Ok(())
    }

    /// Looks at every timer that has come.
    pub fn wake(&mut self, now: Instant, parameters: &Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
        while let Some(&Reverse((at, handle))) = self.timers.peek() {
            if at > now {
                return;
            }
            self.timers.pop();
            let Some(outgoing) = self.messages.get_mut(handle).filter(|outgoing| outgoing.scheduled == at) else {
                continue;
            };
            // Without a deadline of its own it waits for the line; looking again later costs little.
            let deadline = outgoing.deadline(parameters).unwrap_or(now + parameters.timeout(0));
            if deadline > now {
                self.schedule(handle, deadline);
                continue;
            }
            counters.timeouts += 1;
            if outgoing.timeouts >= parameters.attempts {
                counters.messages_abandoned += 1;
                notices.push(Notice::Abandoned(outgoing.message));
                self.finish(handle);
                continue;
            }
            outgoing.time_out(now, parameters);
            let next = now + parameters.timeout(outgoing.timeouts);
            self.schedule(handle, next);
            self.take_turns(handle);
        }
    }

    /// Queues a message for the line if it has something to send.
    fn take_turns(&mut self, handle: Handle) {
        let Some(outgoing) = self.messages.get_mut(handle) else { return };
        let turn = if outgoing.can_retransmit() {
            RETRANSMISSIONS
        } else if outgoing.can_send_new() {
            NEW
        } else {
            return;
        };
        if !outgoing.queued[turn] {
            outgoing.queued[turn] = true;
            self.turns[turn].push_back(handle);
        }
    }

    fn schedule(&mut self, handle: Handle, at: Instant) {
        if let Some(outgoing) = self.messages.get_mut(handle) {
            outgoing.scheduled = at;
            self.timers.push(Reverse((at, handle)));
        }
    }

    fn finish(&mut self, handle: Handle) {
        if let Some(outgoing) = self.messages.remove(handle) {
            self.numbers.remove(outgoing.message.number);
        }
        // So that a host with nothing more to do wants not to be woken.
        while let Some(&Reverse((_, handle))) = self.timers.peek() {
            if self.messages.get(handle).is_some() {
                return;
            }
            self.timers.pop();
        }
    }

    pub fn waiting(&self, parameters: &Parameters) -> Vec<Waiting> {
        let mut messages: Vec<_> = self.messages.iter().collect();
        messages.sort_unstable_by_key(|outgoing| outgoing.message.number);
        let waiting = messages.into_iter().map(|outgoing| {
            let Message { number, destination, bytes, .. } = outgoing.message;
            let destination = std::net::Ipv4Addr::from_bits(destination);
            Waiting {
                what: format!("message {number} of {bytes} bytes to {destination}"),
                why: outgoing.explain(parameters),
            }
        });
        waiting.collect()
    }
}

/// The message that a packet is about; `None` if that is finished.
fn find<'a>(
    numbers: &Numbers,
    messages: &'a mut Slots<Outgoing>,
    received: &Received,
) -> Result<Option<(Handle, &'a mut Outgoing)>, Reason> {
    let Some(handle) = numbers.get(received.header.message) else { return Ok(None) };
    let Some(outgoing) = messages.get_mut(handle) else { return Ok(None) };
    if outgoing.message.destination != received.source {
        return Err(Reason::Unexpected);
    }
    Ok(Some((handle, outgoing)))
}

fn data_header(outgoing: &Outgoing, sending: Sending, path: u16, oldest: u32, parameters: &Parameters) -> Header {
    let is_last = sending.sequence == outgoing.packets - 1;
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    Header {
        kind: ndp::kind::DATA,
        flags: flag(sending.is_pushed, ndp::flag::SYN)
            | flag(is_last, ndp::flag::LAST)
            | flag(sending.is_retransmission, ndp::flag::RETRANSMISSION)
            | flag(sending.asks_for_pull, ndp::flag::MORE)
            | outgoing.message.priority.min(15) << 4,
        message: outgoing.message.number,
        sequence: sending.sequence,
        pull: oldest,
        path,
        service: outgoing.message.service,
        payload_length: if is_last { outgoing.last_payload } else { parameters.payload_bytes() },
        packets: outgoing.packets,
    }
}
