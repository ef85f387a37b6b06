//! All messages that a host sends: whose turn it is, and whose timer is next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use basis::Instant;
use node::{Reason, Waiting};
use serde::{Deserialize, Serialize};
use traffic::demand::Message;

use crate::numbers::Numbers;
use crate::slots::{Handle, Slots};

/// A message on its way out.
pub trait Outgoing {
    /// What is sent.
    fn message(&self) -> &Message;

    /// In which of the queues for the line it takes turns now; `None` if it has nothing to send.
    fn turn(&self) -> Option<usize>;
}

/// There are so many queues for the line, of which a transport may leave some empty; the first goes before the next.
pub const TURNS: usize = 3;

/// All messages that a host sends.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outbound<M> {
    messages: Slots<Entry<M>>,
    numbers: Numbers,
    /// Messages that may send; one after the other, each once a round. Who is in here may have nothing to send any
    /// more.
    #[serde(with = "arrays")]
    turns: [VecDeque<Handle>; TURNS],
    /// When to look at the timer of a message. An entry that is not for the time in [`Entry::scheduled`] has been
    /// replaced. Looked at only when it comes, so that answers need not move it.
    timers: BinaryHeap<Reverse<(Instant, Handle)>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry<M> {
    outgoing: M,
    /// When its timer will be looked at.
    scheduled: Instant,
    /// In which queues it is.
    #[serde(with = "arrays")]
    queued: [bool; TURNS],
}

impl<M> Default for Outbound<M> {
    fn default() -> Self {
        Self {
            messages: Slots::default(),
            numbers: Numbers::default(),
            turns: [const { VecDeque::new() }; TURNS],
            timers: BinaryHeap::new(),
        }
    }
}

impl<M: Outgoing> Outbound<M> {
    /// A message begins, whose timer is to be looked at `at` that time.
    ///
    /// Panics if a message of a later number has begun.
    pub fn begin(&mut self, outgoing: M, at: Instant) {
        let number = outgoing.message().number;
        let handle = self.messages.insert(Entry { outgoing, scheduled: at, queued: [false; TURNS] });
        self.numbers.insert(number, handle);
        self.schedule(handle, at);
        self.take_turns(handle);
    }

    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut M> {
        self.messages.get_mut(handle).map(|entry| &mut entry.outgoing)
    }

    /// The message of a number, about which a packet from `source` says something; `None` if that is finished.
    ///
    /// # Errors
    /// If it is not for who speaks of it.
    pub fn find(&mut self, number: u32, source: u32) -> Result<Option<(Handle, &mut M)>, Reason> {
        let Some(handle) = self.numbers.get(number) else { return Ok(None) };
        let Some(entry) = self.messages.get_mut(handle) else { return Ok(None) };
        if entry.outgoing.message().destination != source {
            return Err(Reason::Unexpected);
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

    /// When a timer is to be looked at next.
    pub fn deadline(&self) -> Option<Instant> {
        self.timers.peek().map(|&Reverse((at, _))| at)
    }

    /// The timer of a message is to be looked at `at` that time, and not when it was to be before.
    pub fn schedule(&mut self, handle: Handle, at: Instant) {
        if let Some(entry) = self.messages.get_mut(handle) {
            entry.scheduled = at;
            self.timers.push(Reverse((at, handle)));
        }
    }

    /// A message whose timer is to be looked at, and then to be scheduled again.
    pub fn next_due(&mut self, now: Instant) -> Option<Handle> {
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
    pub fn finish(&mut self, handle: Handle) {
        if let Some(entry) = self.messages.remove(handle) {
            self.numbers.remove(entry.outgoing.message().number);
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
        messages.sort_unstable_by_key(|outgoing| outgoing.message().number);
        let waiting = messages.into_iter().map(|outgoing| {
            let Message { number, destination, bytes, .. } = outgoing.message();
            let destination = std::net::Ipv4Addr::from_bits(*destination);
            let what = format!("message {number} of {bytes} bytes to {destination}");
            Waiting { what, why: explain(outgoing) }
        });
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
