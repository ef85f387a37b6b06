//! The messages that a host sends, with the queues of those that may send and the heap of timers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use basis::{Duration, Instant};
use demand::Message;
use node::{Reason, UnfinishedWork};
use serde::{Deserialize, Serialize};

use super::Course;
use crate::numbers::Numbers;
use crate::reasons;
use crate::slots::{Handle, Slots};
use crate::suspects::Suspects;
use crate::transport::description;

/// An outgoing message.
pub trait Outgoing {
    /// The parameters of the transport.
    type Parameters;

    /// Returns the part that all outgoing messages have.
    fn course(&self) -> &Course;

    /// Returns the name of what the message waits for.
    fn awaits(&self) -> &'static str;

    /// Returns the queue for the link in which the message belongs now; `None` if it has nothing to send.
    fn turn(&self) -> Option<usize>;

    /// Returns the time for which a packet may remain unanswered now, which is also the time from one timeout to the
    /// next if nothing is received.
    fn packet_timeout(&self, parameters: &Self::Parameters) -> Duration;

    /// Returns the time after which the timer is checked again if the message has no deadline.
    fn first_timeout(parameters: &Self::Parameters) -> Duration;

    /// Returns the time by which an answer must have arrived; `None` if the message only waits for the link.
    fn deadline(&self, parameters: &Self::Parameters) -> Option<Instant>;

    /// Returns true if the next timeout abandons the message.
    fn is_hopeless(&self, parameters: &Self::Parameters) -> bool;

    /// Handles a timeout. Paths on which packets were lost become suspected.
    fn time_out(&mut self, now: Instant, parameters: &Self::Parameters, suspects: &mut Suspects);

    /// Returns the time at which to check the timer. A message without a deadline waits for the link; checking its
    /// timer again later costs little.
    fn next_look(&self, now: Instant, parameters: &Self::Parameters) -> Instant {
        self.deadline(parameters).unwrap_or(now + Self::first_timeout(parameters))
    }
}

/// The outcome of a timeout.
pub enum TimedOut {
    /// The message is tried again.
    Retried,
    /// The message was abandoned.
    Abandoned(Message),
}

/// The messages that a host sends. Of the `TURNS` queues for the link, earlier ones have priority over later ones.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outbound<M, const TURNS: usize> {
    messages: Slots<OutboundMessage<M, TURNS>>,
    numbers: Numbers,
    /// The messages that may send, in round-robin order. Some may have nothing to send any more.
    #[serde(with = "arrays")]
    turns: [VecDeque<Handle>; TURNS],
    /// The times at which to check the timers of messages. An entry is outdated if its time differs from
    /// [`OutboundMessage::scheduled`]. Entries are checked only when they are due, so that answers need not move them.
    timers: BinaryHeap<Reverse<(Instant, Handle)>>,
    /// The paths that are suspected to be dead, shared by all messages to a host.
    suspects: Suspects,
}

#[derive(Debug, Serialize, Deserialize)]
struct OutboundMessage<M, const TURNS: usize> {
    outgoing: M,
    /// The time at which its timer will be checked.
    scheduled: Instant,
    /// For each queue, whether the message is in it.
    #[serde(with = "arrays")]
    queued: [bool; TURNS],
}

impl<M, const TURNS: usize> Default for Outbound<M, TURNS> {
    fn default() -> Self {
        Self {
            messages: Slots::default(),
            numbers: Numbers::default(),
            turns: [const { VecDeque::new() }; TURNS],
            timers: BinaryHeap::new(),
            suspects: Suspects::default(),
        }
    }
}

impl<M: Outgoing, const TURNS: usize> Outbound<M, TURNS> {
    /// Adds a message whose timer is first checked at the time `at`.
    ///
    /// # Panics
    /// If a message with this or a higher number was added before.
    pub fn begin(&mut self, outgoing: M, at: Instant) {
        let number = outgoing.course().message.number;
        let handle = self.messages.insert(OutboundMessage { outgoing, scheduled: at, queued: [false; TURNS] });
        self.numbers.insert(number, handle);
        self.schedule(handle, at);
        self.take_turns(handle);
    }

    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut M> {
        self.messages.get_mut(handle).map(|entry| &mut entry.outgoing)
    }

    /// Returns a message and the suspected paths.
    #[inline]
    pub fn with_suspects(&mut self, handle: Handle) -> Option<(&mut M, &mut Suspects)> {
        let Self { messages, suspects, .. } = self;
        messages.get_mut(handle).map(|entry| (&mut entry.outgoing, suspects))
    }

    /// Records that a host has answered a packet that took a path, which shows that the path is alive, whether the
    /// message is finished or not.
    #[inline]
    pub fn path_is_alive(&mut self, destination: u32, path: u16) {
        self.suspects.alive(destination, path);
    }

    /// Returns the message with the given number, which a packet from `source` concerns; `None` if it is finished.
    ///
    /// # Errors
    /// If `source` is not the destination of the message.
    pub fn find(&mut self, number: u32, source: u32) -> Result<Option<(Handle, &mut M)>, Reason> {
        let Some(handle) = self.numbers.get(number) else { return Ok(None) };
        let Some(entry) = self.messages.get_mut(handle) else { return Ok(None) };
        if entry.outgoing.course().message.destination() != source {
            return Err(reasons::UNEXPECTED);
        }
        Ok(Some((handle, &mut entry.outgoing)))
    }

    /// Returns the number of the oldest unfinished message; if all are finished, a lower bound for the numbers to come.
    pub fn oldest(&self) -> u32 {
        self.numbers.oldest()
    }

    /// Returns true if there may be a message that has something to send.
    #[inline]
    pub fn has_turns(&self) -> bool {
        self.turns.iter().any(|queue| !queue.is_empty())
    }

    /// Removes and returns the next message in the queues. It may have nothing to send any more.
    pub fn next_turn(&mut self) -> Option<Handle> {
        for (turn, queue) in self.turns.iter_mut().enumerate() {
            while let Some(handle) = queue.pop_front() {
                if let Some(entry) = self.messages.get_mut(handle) {
                    entry.queued[turn] = false;
                    return Some(handle);
                }
            }
        }
        None
    }

    /// Queues a message for the link if it has something to send.
    pub fn take_turns(&mut self, handle: Handle) {
        let Some(entry) = self.messages.get_mut(handle) else { return };
        if let Some(turn) = entry.outgoing.turn()
            && !entry.queued[turn]
        {
            entry.queued[turn] = true;
            self.turns[turn].push_back(handle);
        }
    }

    /// Must be called after a message has sent a packet: queues it again, and moves its timer forward if necessary.
    pub fn sent(&mut self, handle: Handle, parameters: &M::Parameters) {
        self.advance(handle, parameters);
        self.take_turns(handle);
    }

    /// Returns the time at which the next timer is to be checked.
    pub fn deadline(&self) -> Option<Instant> {
        self.timers.peek().map(|&Reverse((at, _))| at)
    }

    /// Sets the time at which the timer of a message is checked, replacing any earlier setting.
    fn schedule(&mut self, handle: Handle, at: Instant) {
        if let Some(entry) = self.messages.get_mut(handle) {
            entry.scheduled = at;
            self.timers.push(Reverse((at, handle)));
        }
    }

    /// Moves the timer of a message forward if its deadline is earlier than planned. A later deadline is noticed when
    /// the timer is checked.
    #[inline]
    fn advance(&mut self, handle: Handle, parameters: &M::Parameters) {
        let Some(entry) = self.messages.get_mut(handle) else { return };
        // After a timeout, the next one is already scheduled, later than the previous one.
        if entry.outgoing.course().timeouts == 0
            && let Some(at) = entry.outgoing.deadline(parameters)
            && at < entry.scheduled
        {
            self.schedule(handle, at);
        }
    }

    /// Must be called after an answer about a message; `had_timeouts` says whether the message had timed out before.
    /// Returns the message if it is complete, and lets it go on otherwise.
    pub fn heard(
        &mut self,
        now: Instant,
        handle: Handle,
        had_timeouts: bool,
        parameters: &M::Parameters,
    ) -> Option<Message> {
        let outgoing = self.get_mut(handle)?;
        if outgoing.course().is_complete() {
            let message = outgoing.course().message.clone();
            self.finish(handle);
            return Some(message);
        }
        if had_timeouts {
            // The timeout had been doubled and is now short again.
            let at = outgoing.next_look(now, parameters);
            self.schedule(handle, at.max(now));
        } else {
            // The measured round trip may have made the timeout shorter.
            self.advance(handle, parameters);
        }
        self.take_turns(handle);
        None
    }

    /// Checks the timers that are due, up to the first message whose deadline has passed; `None` if there are no more.
    pub fn next_timeout(&mut self, now: Instant, parameters: &M::Parameters) -> Option<TimedOut> {
        while let Some(handle) = self.next_due(now) {
            let Some((outgoing, suspects)) = self.with_suspects(handle) else { continue };
            let at = outgoing.next_look(now, parameters);
            if at > now {
                self.schedule(handle, at);
                continue;
            }
            if outgoing.is_hopeless(parameters) {
                let message = outgoing.course().message.clone();
                self.finish(handle);
                return Some(TimedOut::Abandoned(message));
            }
            outgoing.time_out(now, parameters, suspects);
            let next = now + outgoing.packet_timeout(parameters);
            self.schedule(handle, next);
            self.take_turns(handle);
            return Some(TimedOut::Retried);
        }
        None
    }

    /// Returns a message whose timer is to be checked now and must then be scheduled again.
    fn next_due(&mut self, now: Instant) -> Option<Handle> {
        while let Some(&Reverse((at, handle))) = self.timers.peek()
            && at <= now
        {
            self.timers.pop();
            if self.messages.get(handle).is_some_and(|entry| entry.scheduled == at) {
                return Some(handle);
            }
        }
        None
    }

    /// Removes a message that is complete or abandoned.
    fn finish(&mut self, handle: Handle) {
        if let Some(entry) = self.messages.remove(handle) {
            self.numbers.remove(entry.outgoing.course().message.number);
        }
        // Entries of removed messages are dropped, so that a host that has nothing left to do is not woken.
        while let Some(&Reverse((_, handle))) = self.timers.peek()
            && self.messages.get(handle).is_none()
        {
            self.timers.pop();
        }
    }

    /// Returns all messages, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &M> {
        self.messages.iter().map(|entry| &entry.outgoing)
    }

    /// Returns all messages in the order of their numbers, each with what it waits for.
    pub fn waiting(&self, explain: impl Fn(&M) -> String) -> Vec<UnfinishedWork> {
        let mut messages: Vec<_> = self.messages.iter().map(|entry| &entry.outgoing).collect();
        messages.sort_unstable_by_key(|outgoing| outgoing.course().message.number);
        let waiting = messages
            .into_iter()
            .map(|outgoing| UnfinishedWork { what: description(&outgoing.course().message), why: explain(outgoing) });
        waiting.collect()
    }
}

/// Serialization of arrays of generic length, which serde does not support.
mod arrays {
    use serde::de::{DeserializeOwned, Error};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer, const N: usize>(
        array: &[T; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        array.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>, const N: usize>(
        deserializer: D,
    ) -> Result<[T; N], D::Error> {
        let items = Vec::<T>::deserialize(deserializer)?;
        items.try_into().map_err(|items: Vec<T>| D::Error::invalid_length(items.len(), &"another number of them"))
    }
}
