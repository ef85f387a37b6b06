//! The storage of waiting events in small chunks, so that a list is read from contiguous memory.
//!
//! Lists with each event at an arbitrary address took some three times as long with 200,000 pending events, mostly
//! waiting for memory.

use std::iter::{Copied, Rev};
use std::slice::Iter;

use super::queued_event::QueuedEvent;

/// The number of events in a chunk. Together with the link to the next chunk, events of 16 bytes fill two cache lines.
const CHUNK: usize = 7;
/// The number of low bits of a [`List`] that hold the count of its first chunk.
const COUNT_BITS: u32 = 3;

/// A list of events: the index of its first chunk and the number of events in that chunk, in one word. Newer chunks
/// are nearer to the front, and all but the first are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List(u32);

impl List {
    /// The empty list.
    pub(super) const EMPTY: Self = Self(0);

    #[inline]
    fn new(chunk: u32, count: usize) -> Self {
        Self((chunk << COUNT_BITS) | count as u32)
    }

    #[inline]
    fn full(chunk: u32) -> Self {
        Self::new(chunk, CHUNK)
    }

    #[inline]
    fn count(self) -> usize {
        (self.0 & ((1 << COUNT_BITS) - 1)) as usize
    }

    #[inline]
    fn chunk(self) -> u32 {
        self.0 >> COUNT_BITS
    }
}

/// A chunk of a list, or a free one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<T> {
    /// The events, oldest first.
    entries: [QueuedEvent<T>; CHUNK],
    /// The rest of the list.
    next: List,
}

/// The chunks of many lists.
#[derive(Clone, Debug)]
pub(super) struct Slab<T> {
    chunks: Vec<Chunk<T>>,
    /// The list of free chunks.
    free: List,
}

/// The events of a chunk that was taken.
pub(super) struct Taken<T> {
    entries: [QueuedEvent<T>; CHUNK],
    count: usize,
}

impl<T> Taken<T> {
    /// Returns the events, oldest first.
    pub(super) fn as_slice(&self) -> &[QueuedEvent<T>] {
        &self.entries[..self.count]
    }
}

impl<T: Copy> Slab<T> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), free: List::EMPTY }
    }

    /// Adds an event to a list.
    #[inline]
    pub(super) fn push(&mut self, list: &mut List, entry: QueuedEvent<T>) {
        let count = list.count();
        // The count of an empty list is 0 and that of a full chunk is 7: both need a new chunk.
        if count.is_multiple_of(CHUNK) {
            *list = self.begin_chunk(entry, *list);
        } else {
            self.chunks[list.chunk() as usize].entries[count] = entry;
            list.0 += 1;
        }
    }

    #[inline]
    fn begin_chunk(&mut self, entry: QueuedEvent<T>, next: List) -> List {
        if self.free == List::EMPTY {
            let chunk = self.chunks.len() as u32;
            // 2^29 chunks of 120 bytes exceed any memory.
            assert!(chunk < 1 << (32 - COUNT_BITS), "at most 3.7 billion events can be pending");
            self.chunks.push(Chunk { entries: [entry; CHUNK], next });
            return List::new(chunk, 1);
        }
        let place = self.free.chunk();
        let chunk = &mut self.chunks[place as usize];
        self.free = chunk.next;
        chunk.next = next;
        chunk.entries[0] = entry;
        List::new(place, 1)
    }

    /// Returns true if a list holds at most `most` events.
    pub(super) fn is_at_most(&self, mut list: List, most: usize) -> bool {
        let mut count = 0;
        while list != List::EMPTY {
            count += list.count();
            if count > most {
                return false;
            }
            list = self.chunks[list.chunk() as usize].next;
        }
        true
    }

    /// Takes all events of a non-empty list, some at a time, the newest first, and returns how many there were.
    #[inline]
    pub(super) fn take_last_first(
        &mut self,
        list: List,
        mut take: impl FnMut(Rev<Copied<Iter<'_, QueuedEvent<T>>>>),
    ) -> u64 {
        let (mut at, mut count) = (list, 0);
        loop {
            let chunk = &mut self.chunks[at.chunk() as usize];
            take(chunk.entries[..at.count()].iter().copied().rev());
            count += at.count() as u64;
            if chunk.next == List::EMPTY {
                chunk.next = self.free;
                break;
            }
            at = chunk.next;
        }
        self.free = List::full(list.chunk());
        count
    }

    /// Reverses the chunks of a list so that the oldest comes first. Only [`Slab::take_chunk`] can read the result.
    pub(super) fn turn_round(&mut self, mut list: List) -> List {
        let mut turned = List::EMPTY;
        while list != List::EMPTY {
            let chunk = &mut self.chunks[list.chunk() as usize];
            let next = std::mem::replace(&mut chunk.next, turned);
            turned = list;
            list = next;
        }
        turned
    }

    /// Takes the first chunk of a list. Returns its events and the rest of the list.
    pub(super) fn take_chunk(&mut self, list: List) -> Option<(Taken<T>, List)> {
        if list == List::EMPTY {
            return None;
        }
        let chunk = &mut self.chunks[list.chunk() as usize];
        let next = std::mem::replace(&mut chunk.next, self.free);
        self.free = List::full(list.chunk());
        Some((Taken { entries: chunk.entries, count: list.count() }, next))
    }
}
