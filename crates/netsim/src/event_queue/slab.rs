//! Where waiting events lie: in chunks of a few, so that a list is read from neighbouring places.
//!
//! Lists whose events each lie anywhere took some three times as long with 200,000 pending events, most of it
//! waiting for memory.

use super::entry::Entry;

/// Events in a chunk: with the link to the next one, two cache lines for events of 16 bytes.
const CHUNK: usize = 7;
/// A [`List`] holds the count of its first chunk in so many low bits.
const COUNT_BITS: u32 = 3;

/// A list of events: its first chunk, and how many events that holds, in one word. Chunks that came later are nearer to
/// the front, and all but the first are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List(u32);

impl List {
    /// The list of no events.
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
    /// Oldest first.
    entries: [Entry<T>; CHUNK],
    /// What follows.
    next: List,
}

/// The chunks of many lists.
#[derive(Clone, Debug)]
pub(super) struct Slab<T> {
    chunks: Vec<Chunk<T>>,
    /// Free chunks.
    free: List,
}

/// What a chunk held when it was taken.
pub(super) struct Taken<T> {
    entries: [Entry<T>; CHUNK],
    count: usize,
}

impl<T> Taken<T> {
    /// Its events, oldest first.
    pub(super) fn as_slice(&self) -> &[Entry<T>] {
        &self.entries[..self.count]
    }
}

impl<T: Copy> Slab<T> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), free: List::EMPTY }
    }

    /// Adds an event to a list.
    #[inline]
    pub(super) fn push(&mut self, list: &mut List, entry: Entry<T>) {
        let count = list.count();
        // The count of a list of no events is 0, that of a full chunk 7: both need a new chunk.
        if count.is_multiple_of(CHUNK) {
            *list = self.begin_chunk(entry, *list);
        } else {
            self.chunks[list.chunk() as usize].entries[count] = entry;
            list.0 += 1;
        }
    }

    #[inline]
    fn begin_chunk(&mut self, entry: Entry<T>, next: List) -> List {
        if self.free == List::EMPTY {
            let chunk = self.chunks.len() as u32;
            // 2^29 chunks of 120 bytes: memory ends before.
            assert!(chunk < 1 << (32 - COUNT_BITS), "3.7 billion pending events");
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

    /// True if a list holds at most so many events.
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

    /// Takes all events of a list that is not empty, the last first, and says how many they are.
    #[inline]
    pub(super) fn take_last_first(&mut self, list: List, mut take: impl FnMut(Entry<T>)) -> u64 {
        let (mut at, mut count) = (list, 0);
        loop {
            let chunk = &mut self.chunks[at.chunk() as usize];
            for &entry in chunk.entries[..at.count()].iter().rev() {
                take(entry);
            }
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

    /// Lets a list begin with its oldest chunk, for [`Slab::take_chunk`] alone.
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

    /// Takes the first chunk of a list; gives its events and the rest.
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
