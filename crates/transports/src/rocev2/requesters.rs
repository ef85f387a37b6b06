//! All queue pairs on which a host sends: to whom which leads, whose turn it is, and whose timer is next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use basis::Instant;
use demand::Message;
use node::{Progress, Reason, Waiting};
use serde::{Deserialize, Serialize};
use wire::infiniband::NUMBERS;

use super::counters::Counters;
use super::format::{Answer, Said};
use super::parameters::Parameters;
use super::requester::Requester;
use crate::Notice;
use crate::integer_hasher::IntegerHasher;
use crate::reasons;
use crate::transport::description;

/// All queue pairs on which a host sends, by their numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Requesters {
    requesters: Vec<Requester>,
    /// The queue pair for a peer (high bits) and a service, unless it has failed.
    numbers: HashMap<u64, u32, BuildHasherDefault<IntegerHasher>>,
    /// Queue pairs that may send; one after the other, each a packet a round.
    turns: VecDeque<u32>,
    /// When to look at a queue pair. An entry that is not for the time in [`Requester::scheduled`] has been replaced.
    /// Looked at only when it comes, so that acknowledgements need not move it.
    timers: BinaryHeap<Reverse<(Instant, u32)>>,
    /// Messages for which there is no number of a queue pair any more, which is told when we are woken next.
    refused: Vec<(Instant, Message)>,
}

impl Requesters {
    pub fn submit(&mut self, now: Instant, message: Message, parameters: &Parameters) {
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

    /// After anything was done to a queue pair: queues it for the line if it may send, and sets its timer.
    fn settle(&mut self, now: Instant, number: u32, parameters: &Parameters) {
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
                // So that a host with nothing more to do wants not to be woken.
                while let Some(&Reverse((at, number))) = self.timers.peek()
                    && self.requesters[number as usize].scheduled != Some(at)
                {
                    self.timers.pop();
                }
            }
        }
    }

    /// The next packet, and to whom it goes. Whoever makes it says afterwards how long it is.
    pub fn next(&mut self, now: Instant, parameters: &Parameters, counters: &mut Counters) -> Option<(u32, u32, Said)> {
        while let Some(number) = self.turns.pop_front() {
            let requester = &mut self.requesters[number as usize];
            requester.is_queued = false;
            if let Some(said) = requester.send(now, parameters, counters) {
                return Some((number, requester.peer, said));
            }
        }
        None
    }

    /// A packet that was [`Requesters::next`] of a queue pair goes out with so many bytes.
    pub fn sent(&mut self, now: Instant, number: u32, bytes: usize, parameters: &Parameters) {
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

    /// An acknowledgement or a sequence error has come.
    ///
    /// # Errors
    /// If nothing like it was sent to its source.
    pub fn answered(
        &mut self,
        now: Instant,
        source: u32,
        answer: &Answer,
        parameters: &Parameters,
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

    /// A congestion notification has come.
    ///
    /// # Errors
    /// If nothing was sent on the queue pair to its source.
    pub fn notified(&mut self, now: Instant, source: u32, number: u32, parameters: &Parameters) -> Result<(), Reason> {
        self.of(source, number)?.notified(now, parameters);
        Ok(())
    }

    fn of(&mut self, source: u32, number: u32) -> Result<&mut Requester, Reason> {
        let requester = self.requesters.get_mut(number as usize).filter(|requester| requester.peer == source);
        requester.ok_or(reasons::UNEXPECTED)
    }

    /// Looks at every timer that has come.
    pub fn wake(&mut self, now: Instant, parameters: &Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
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

    /// Tells how much is acknowledged of each message of the host with this address that is not finished.
    pub fn progress(&self, address: u32, parameters: &Parameters, tell: &mut dyn FnMut(Progress)) {
        for (message, bytes) in self.requesters.iter().flat_map(|requester| requester.acknowledged(parameters)) {
            tell(Progress { source: address, message: message.number, bytes });
        }
    }

    /// Messages that are not finished, and for what each waits.
    pub fn waiting(&self, parameters: &Parameters) -> Vec<Waiting> {
        let mut messages: Vec<_> = self.requesters.iter().flat_map(|requester| requester.waiting(parameters)).collect();
        messages.sort_unstable_by_key(|(message, _)| message.number);
        messages.into_iter().map(|(message, why)| Waiting { what: description(message), why }).collect()
    }
}
