//! The queue pairs on which a host sends, with the queue of those that may send and the heap of timers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use basis::Instant;
use demand::Message;
use node::{MessageProgress, Reason, SenderState, UnfinishedWork};
use serde::{Deserialize, Serialize};
use wire::SharedBytes;
use wire::infiniband::NUMBERS;

use super::counters::Counters;
use super::format::{Answer, Said};
use super::parameters::RoceV2Parameters;
use super::requester::Requester;
use crate::Notice;
use crate::integer_hasher::IntegerHasher;
use crate::reasons;
use crate::transport::description;

/// The queue pairs on which a host sends, by number.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Requesters {
    requesters: Vec<Requester>,
    /// The number of the latest queue pair for each peer (high bits) and service.
    numbers: HashMap<u64, u32, BuildHasherDefault<IntegerHasher>>,
    /// The queue pairs that may send, in round-robin order of one packet each.
    turns: VecDeque<u32>,
    /// The times at which to examine queue pairs. An entry is outdated if its time differs from
    /// [`Requester::scheduled`]. Entries are examined only when they are due, so that acknowledgements need not move
    /// them.
    timers: BinaryHeap<Reverse<(Instant, u32)>>,
    /// Messages for which all queue pair numbers are used up; the host is told when it next wakes the transport.
    refused: Vec<(Instant, Message)>,
}

/// The next packet to send.
#[derive(Debug)]
pub struct Next {
    pub queue_pair: u32,
    pub peer: u32,
    pub said: Said,
    /// The payload, if it is more than a length.
    pub content: Option<SharedBytes>,
}

impl Requesters {
    pub fn submit(&mut self, now: Instant, message: Message, parameters: &RoceV2Parameters) {
        let key = u64::from(message.destination()) << 16 | u64::from(message.service);
        let known = self.numbers.get(&key).copied();
        let number = match known.filter(|&number| !self.requesters[number as usize].has_failed) {
            Some(number) => number,
            None => {
                let number = self.requesters.len() as u32;
                if number == NUMBERS {
                    self.refused.push((now, message));
                    return;
                }
                self.requesters.push(Requester::new(message.destination(), number, parameters));
                self.numbers.insert(key, number);
                number
            }
        };
        self.requesters[number as usize].push(message, parameters);
        self.settle(now, number, parameters);
    }

    /// Must be called after every change of a queue pair: queues it for the link if it may send, and sets its timer.
    fn settle(&mut self, now: Instant, number: u32, parameters: &RoceV2Parameters) {
        let requester = &mut self.requesters[number as usize];
        let mut deadline = requester.timer(parameters);
        if !requester.is_queued
            && let Some(at) = requester.next_send(now, parameters)
        {
            if at <= now {
                requester.is_queued = true;
                self.turns.push_back(number);
            } else {
                deadline = deadline.into_iter().chain([at]).min();
            }
        }
        match deadline {
            Some(deadline) if requester.scheduled.is_none_or(|scheduled| scheduled > deadline) => {
                requester.scheduled = Some(deadline);
                self.timers.push(Reverse((deadline, number)));
            }
            Some(_) => {}
            None => {
                requester.scheduled = None;
                // Outdated entries are dropped, so that a host that has nothing left to do is not woken.
                while let Some(&Reverse((at, number))) = self.timers.peek()
                    && self.requesters[number as usize].scheduled != Some(at)
                {
                    self.timers.pop();
                }
            }
        }
    }

    /// Returns the next packet. The caller must report its length with [`Requesters::sent`].
    pub fn next(&mut self, now: Instant, parameters: &RoceV2Parameters, counters: &mut Counters) -> Option<Next> {
        while let Some(number) = self.turns.pop_front() {
            let requester = &mut self.requesters[number as usize];
            requester.is_queued = false;
            if let Some((said, content)) = requester.send(now, parameters, counters) {
                return Some(Next { queue_pair: number, peer: requester.peer, said, content });
            }
        }
        None
    }

    /// Records that the packet from [`Requesters::next`] is sent, with its length in bytes.
    pub fn sent(&mut self, now: Instant, number: u32, bytes: usize, parameters: &RoceV2Parameters) {
        self.requesters[number as usize].sent(now, bytes, parameters);
        self.settle(now, number, parameters);
    }

    pub fn has_turns(&self) -> bool {
        !self.turns.is_empty()
    }

    pub fn deadline(&self) -> Option<Instant> {
        let timer = self.timers.peek().map(|&Reverse((at, _))| at);
        self.refused.first().map(|&(at, _)| at).into_iter().chain(timer).min()
    }

    /// Handles an acknowledgement or a sequence error.
    ///
    /// # Errors
    /// If nothing that it could answer was sent to its source.
    pub fn answered(
        &mut self,
        now: Instant,
        source: u32,
        answer: &Answer,
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        if answer.is_error {
            counters.naks_received += 1;
        } else {
            counters.acks_received += 1;
        }
        self.of(source, answer.queue_pair)?.answered(now, answer, parameters, counters, notices);
        self.settle(now, answer.queue_pair, parameters);
        Ok(())
    }

    /// Handles a congestion notification.
    ///
    /// # Errors
    /// If nothing was sent on the queue pair to its source.
    pub fn notified(
        &mut self,
        now: Instant,
        source: u32,
        number: u32,
        parameters: &RoceV2Parameters,
    ) -> Result<(), Reason> {
        self.of(source, number)?.notified(now, parameters);
        Ok(())
    }

    fn of(&mut self, source: u32, number: u32) -> Result<&mut Requester, Reason> {
        let requester = self.requesters.get_mut(number as usize).filter(|requester| requester.peer == source);
        requester.ok_or(reasons::UNEXPECTED)
    }

    /// Handles all timers that have expired.
    pub fn wake(
        &mut self,
        now: Instant,
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) {
        for (_, message) in self.refused.drain(..) {
            counters.messages_abandoned += 1;
            notices.push(Notice::Abandoned(message));
        }
        while let Some(&Reverse((at, number))) = self.timers.peek()
            && at <= now
        {
            self.timers.pop();
            let requester = &mut self.requesters[number as usize];
            if requester.scheduled != Some(at) {
                continue;
            }
            requester.scheduled = None;
            requester.wake(now, parameters, counters, notices);
            self.settle(now, number, parameters);
        }
    }

    /// Reports, for each unfinished message of the host with the given address, the number of acknowledged bytes.
    pub fn progress(&self, address: u32, parameters: &RoceV2Parameters, tell: &mut dyn FnMut(MessageProgress)) {
        for (message, bytes) in self.requesters.iter().flat_map(|requester| requester.acknowledged(parameters)) {
            tell(MessageProgress { source: address, message: message.number, bytes });
        }
    }

    /// Reports what is known at `now` of each unfinished message.
    pub fn senders(&self, now: Instant, parameters: &RoceV2Parameters, tell: &mut dyn FnMut(SenderState)) {
        for requester in &self.requesters {
            let rate = requester.rate(now, parameters);
            for (message, acknowledged) in requester.acknowledged(parameters) {
                tell(SenderState { message: message.number, acknowledged, rate, ..SenderState::default() });
            }
        }
    }

    /// Returns the unfinished messages, each with what it waits for.
    pub fn waiting(&self, parameters: &RoceV2Parameters) -> Vec<UnfinishedWork> {
        let mut messages: Vec<_> = self.requesters.iter().flat_map(|requester| requester.waiting(parameters)).collect();
        messages.sort_unstable_by_key(|(message, _)| message.number);
        messages.into_iter().map(|(message, why)| UnfinishedWork { what: description(message), why }).collect()
    }
}
