//! All messages that a host sends: whose turn it is, and whose timer is next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use basis::{Duration, Instant};
use demand::Message;
use node::{Reason, Waiting};
use serde::{Deserialize, Serialize};

use super::Course;
use crate::numbers::Numbers;
use crate::reasons;
use crate::slots::{Handle, Slots};
use crate::suspects::Suspects;
use crate::transport::description;

/// A message on its way out.
pub trait Outgoing {
    /// How its transport is to behave.
    type Parameters;

    /// What it has in common with every message on its way out.
    fn course(&self) -> &Course;

    /// For what it waits, in a word.
    fn awaits(&self) -> &'static str;

    /// In which of the queues for the line it takes turns now; `None` if it has nothing to send.
    fn turn(&self) -> Option<usize>;

    /// How long a packet may be without an answer now, and so how long after a timeout the next one comes if nothing is
    /// heard.
    fn packet_timeout(&self, parameters: &Self::Parameters) -> Duration;

    /// When its timer is looked at again if it has no deadline.
    fn first_timeout(parameters: &Self::Parameters) -> Duration;

    /// When something must have been heard; `None` if it waits for nothing but the line.
    fn deadline(&self, parameters: &Self::Parameters) -> Option<Instant>;

    /// True if it is given up with the next timeout.
    fn is_hopeless(&self, parameters: &Self::Parameters) -> bool;

    /// Its deadline has come. Paths on which something was lost become suspected.
    fn time_out(&mut self, now: Instant, parameters: &Self::Parameters, suspects: &mut Suspects);

    /// When its timer is to be looked at. Without a deadline of its own it waits for the line; looking again later costs
    /// little.
    fn next_look(&self, now: Instant, parameters: &Self::Parameters) -> Instant {
        self.deadline(parameters).unwrap_or(now + Self::first_timeout(parameters))
    }
}

/// A message whose deadline has come.
pub enum TimedOut {
    /// It is tried again.
    Retried,
    /// It was given up.
    Abandoned(Message),
}

/// All messages that a host sends. There are so many queues for the line; the first goes before the next.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outbound<M, const TURNS: usize> {
    messages: Slots<Entry<M, TURNS>>,
    numbers: Numbers,
    /// Messages that may send; one after the other, each once a round. Who is in here may have nothing to send any
    /// more.
    #[serde(with = "arrays")]
    turns: [VecDeque<Handle>; TURNS],
    /// When to look at the timer of a message. An entry that is not for the time in [`Entry::scheduled`] has been
    /// replaced. Looked at only when it comes, so that answers need not move it.
    timers: BinaryHeap<Reverse<(Instant, Handle)>>,
    /// Which paths are suspected to be dead: all messages to a host share what is known.
    suspects: Suspects,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry<M, const TURNS: usize> {
    outgoing: M,
    /// When its timer will be looked at.
    scheduled: Instant,
    /// In which queues it is.
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
    /// A message begins, whose timer is to be looked at `at` that time.
    ///
    /// Panics if a message of a later number has begun.
    pub fn begin(&mut self, outgoing: M, at: Instant) {
        let number = outgoing.course().message.number;
        let handle = self.messages.insert(Entry { outgoing, scheduled: at, queued: [false; TURNS] });
        self.numbers.insert(number, handle);
        self.schedule(handle, at);
        self.take_turns(handle);
    }

    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut M> {
        self.messages.get_mut(handle).map(|entry| &mut entry.outgoing)
    }

    /// A message, and which paths are suspected to be dead.
    #[inline]
    pub fn with_suspects(&mut self, handle: Handle) -> Option<(&mut M, &mut Suspects)> {
        let Self { messages, suspects, .. } = self;
        messages.get_mut(handle).map(|entry| (&mut entry.outgoing, suspects))
    }

    /// A host has answered a packet that took a path: it is alive, whether the message is finished or not.
    #[inline]
    pub fn path_is_alive(&mut self, destination: u32, path: u16) {
        self.suspects.alive(destination, path);
    }

    /// The message of a number, about which a packet from `source` says something; `None` if that is finished.
    ///
    /// # Errors
    /// If it is not for who speaks of it.
    pub fn find(&mut self, number: u32, source: u32) -> Result<Option<(Handle, &mut M)>, Reason> {
        let Some(handle) = self.numbers.get(number) else { return Ok(None) };
        let Some(entry) = self.messages.get_mut(handle) else { return Ok(None) };
        if entry.outgoing.course().message.destination() != source {
            return Err(reasons::UNEXPECTED);
        }
        Ok(Some((handle, &mut entry.outgoing)))
    }

    /// The number of the oldest that is not finished; if all are, one that none before the next is below.
    pub fn oldest(&self) -> u32 {
        self.numbers.oldest()
    }

    /// True if there may be a message that has something to send.
    #[inline]
    pub fn has_turns(&self) -> bool {
        self.turns.iter().any(|queue| !queue.is_empty())
    }

    /// Whose turn it is, if anybody's. It may have nothing to send any more.
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

    /// Queues a message for the line if it has something to send.
    pub fn take_turns(&mut self, handle: Handle) {
        let Some(entry) = self.messages.get_mut(handle) else { return };
        if let Some(turn) = entry.outgoing.turn()
            && !entry.queued[turn]
        {
            entry.queued[turn] = true;
            self.turns[turn].push_back(handle);
        }
    }

    /// Something of a message was sent: it goes on taking turns, and its timer is looked at earlier if need be.
    pub fn sent(&mut self, handle: Handle, parameters: &M::Parameters) {
        self.advance(handle, parameters);
        self.take_turns(handle);
    }

    /// When a timer is to be looked at next.
    pub fn deadline(&self) -> Option<Instant> {
        self.timers.peek().map(|&Reverse((at, _))| at)
    }

    /// The timer of a message is to be looked at `at` that time, and not when it was to be before.
    fn schedule(&mut self, handle: Handle, at: Instant) {
        if let Some(entry) = self.messages.get_mut(handle) {
            entry.scheduled = at;
            self.timers.push(Reverse((at, handle)));
        }
    }

    /// Looks at the timer of a message earlier than planned if its deadline is earlier. A later one is found out when the
    /// timer is looked at.
    #[inline]
    fn advance(&mut self, handle: Handle, parameters: &M::Parameters) {
        let Some(entry) = self.messages.get_mut(handle) else { return };
        // While nothing is heard, timeouts come one after the other, each later than the one before.
        if entry.outgoing.course().timeouts == 0
            && let Some(at) = entry.outgoing.deadline(parameters)
            && at < entry.scheduled
        {
            self.schedule(handle, at);
        }
    }

    /// Something was heard about a message, which had timed out before or not: it goes on, or is given back because it is
    /// complete.
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
            // The timeout was doubled and is short again, also for what is sent from now on.
            let at = outgoing.next_look(now, parameters);
            self.schedule(handle, at.max(now));
        } else {
            // The measured round trip may have made the timeout shorter.
            self.advance(handle, parameters);
        }
        self.take_turns(handle);
        None
    }

    /// Looks at timers that have come, up to the first message whose deadline has; `None` if there is no more.
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

    /// A message whose timer is to be looked at, and then to be scheduled again.
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

    /// A message is completed or abandoned.
    fn finish(&mut self, handle: Handle) {
        if let Some(entry) = self.messages.remove(handle) {
            self.numbers.remove(entry.outgoing.course().message.number);
        }
        // So that a host with nothing more to do wants not to be woken.
        while let Some(&Reverse((_, handle))) = self.timers.peek()
            && self.messages.get(handle).is_none()
        {
            self.timers.pop();
        }
    }

    /// All messages in the order of their numbers, and for what each waits.
    pub fn waiting(&self, explain: impl Fn(&M) -> String) -> Vec<Waiting> {
        let mut messages: Vec<_> = self.messages.iter().map(|entry| &entry.outgoing).collect();
        messages.sort_unstable_by_key(|outgoing| outgoing.course().message.number);
        let waiting = messages
            .into_iter()
            .map(|outgoing| Waiting { what: description(&outgoing.course().message), why: explain(outgoing) });
        waiting.collect()
    }
}

/// Arrays of any length: serde knows those of a known one only.
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
