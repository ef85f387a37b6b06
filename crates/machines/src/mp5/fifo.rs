//! The queue in front of a stateful stage: k bounded ring FIFOs that act as one (MP5 section 3.2).
//!
//! Each pipeline pushes into a FIFO of its own, so that packets of several pipelines can be queued in one cycle;
//! `pop` serves the head with the smallest timestamp. Within a ring timestamps grow, so that is the smallest of
//! all. The directory of the paper, from a packet to the place of its phantom, is kept with the packet
//! ([`super::packets`]): a place stays valid while other entries come and go.

/// What waits in a FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A placeholder whose data packet has yet to come.
    Phantom,
    /// A data packet.
    Data,
    /// A placeholder whose data packet will never come.
    Void,
}

/// When an entry was pushed: the cycle, then the order of arrival at the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timestamp {
    pub(super) cycle: u64,
    pub(super) order: u64,
}

/// A place in a FIFO.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) timestamp: Timestamp,
    /// Since when it could be served: when its data packet came, or when it became void.
    pub(super) ready: u64,
    /// The packet that it is, or stands for.
    pub(super) packet: u32,
    pub(super) kind: Kind,
}

/// One ring buffer. `Place`s count pushes and wrap; a place's cell is its lower bits.
#[derive(Clone, Debug)]
struct Ring {
    cells: Vec<Entry>,
    head: u32,
    length: u32,
}

/// Where an entry lies in a FIFO, for as long as it is there.
pub(super) type Place = u32;

const EMPTY: Entry =
    Entry { timestamp: Timestamp { cycle: 0, order: 0 }, ready: 0, packet: u32::MAX, kind: Kind::Void };

impl Ring {
    fn new(depth: Option<u32>) -> Self {
        let capacity = depth.unwrap_or(8).min(8).next_power_of_two();
        Self { cells: vec![EMPTY; capacity as usize], head: 0, length: 0 }
    }

    #[inline]
    fn cell(&self, place: Place) -> usize {
        place as usize & (self.cells.len() - 1)
    }

    #[inline]
    fn front(&self) -> &Entry {
        &self.cells[self.cell(self.head)]
    }

    fn push(&mut self, entry: Entry) -> Place {
        if self.length as usize == self.cells.len() {
            self.grow();
        }
        let place = self.head.wrapping_add(self.length);
        let cell = self.cell(place);
        self.cells[cell] = entry;
        self.length += 1;
        place
    }

    /// Doubles the memory behind the ring; its depth is a limit of its own. Places stay what they are.
    fn grow(&mut self) {
        let mut grown = vec![EMPTY; self.cells.len() * 2];
        let mask = grown.len() - 1;
        for offset in 0..self.length {
            let place = self.head.wrapping_add(offset);
            grown[place as usize & mask] = self.cells[self.cell(place)];
        }
        self.cells = grown;
    }
}

/// The k FIFOs of one stage of one pipeline.
#[derive(Clone, Debug)]
pub(super) struct StageQueue {
    rings: Vec<Ring>,
    /// The timestamp at the head of each FIFO, side by side: choosing a head looks at nothing else.
    heads: Vec<Timestamp>,
    depth: Option<u32>,
    /// Bit i is set while FIFO i holds something.
    occupied: u64,
    length: u32,
}

/// What a stage got from its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Popped {
    /// Nothing waits, or a phantom is at the head and blocks the rest (section 3.2, `pop`).
    Nothing,
    /// A data packet, to be processed.
    Data(u32),
    /// A void placeholder, which costs the stage its cycle (section 3.3).
    Void,
}

impl StageQueue {
    /// Empty FIFOs for `pipelines` sources, each of at most `depth` entries.
    pub(super) fn new(pipelines: usize, depth: Option<u32>) -> Self {
        let heads = vec![EMPTY.timestamp; pipelines];
        Self { rings: vec![Ring::new(depth); pipelines], heads, depth, occupied: 0, length: 0 }
    }

    /// How many entries wait in all FIFOs.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.length
    }

    /// Adds an entry at the tail of a FIFO (section 3.2, `push`); `None` if it is full.
    #[inline]
    pub(super) fn push(&mut self, fifo: usize, kind: Kind, packet: u32, timestamp: Timestamp) -> Option<Place> {
        let ring = &mut self.rings[fifo];
        if self.depth.is_some_and(|depth| ring.length >= depth) {
            return None;
        }
        if ring.length == 0 {
            self.heads[fifo] = timestamp;
            self.occupied |= 1 << fifo;
        }
        self.length += 1;
        Some(ring.push(Entry { timestamp, ready: timestamp.cycle, packet, kind }))
    }

    /// Puts a data packet where its phantom waits (section 3.2, `insert`).
    #[inline]
    pub(super) fn insert(&mut self, fifo: usize, place: Place, cycle: u64) {
        self.become_ready(fifo, place, Kind::Data, cycle);
    }

    /// Marks a phantom whose data packet will not come.
    #[inline]
    pub(super) fn void(&mut self, fifo: usize, place: Place, cycle: u64) {
        self.become_ready(fifo, place, Kind::Void, cycle);
    }

    fn become_ready(&mut self, fifo: usize, place: Place, kind: Kind, cycle: u64) {
        let ring = &mut self.rings[fifo];
        let cell = ring.cell(place);
        let entry = &mut ring.cells[cell];
        debug_assert_eq!(entry.kind, Kind::Phantom, "only a phantom can be replaced");
        entry.kind = kind;
        entry.ready = cycle;
    }

    /// The FIFO whose head has the smallest timestamp.
    #[inline]
    fn first(&self) -> Option<usize> {
        if self.occupied == 0 {
            return None;
        }
        let mut first = self.occupied.trailing_zeros() as usize;
        let mut rest = self.occupied & (self.occupied - 1);
        while rest != 0 {
            let fifo = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.heads[fifo] < self.heads[first] {
                first = fifo;
            }
        }
        Some(first)
    }

    /// The head with the smallest timestamp.
    #[inline]
    pub(super) fn head(&self) -> Option<&Entry> {
        self.first().map(|fifo| self.rings[fifo].front())
    }

    /// Serves the head with the smallest timestamp (section 3.2, `pop`).
    #[inline]
    pub(super) fn pop(&mut self) -> Popped {
        let Some(fifo) = self.first() else { return Popped::Nothing };
        let ring = &mut self.rings[fifo];
        let entry = ring.front();
        let popped = match entry.kind {
            Kind::Phantom => return Popped::Nothing,
            Kind::Data => Popped::Data(entry.packet),
            Kind::Void => Popped::Void,
        };
        ring.head = ring.head.wrapping_add(1);
        ring.length -= 1;
        if ring.length == 0 {
            self.occupied &= !(1 << fifo);
        } else {
            self.heads[fifo] = ring.front().timestamp;
        }
        self.length -= 1;
        popped
    }

    /// Everything that waits, in the order of the timestamps; for people to look at.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let all = self
            .rings
            .iter()
            .flat_map(|ring| (0..ring.length).map(|offset| ring.cells[ring.cell(ring.head.wrapping_add(offset))]));
        let mut entries: Vec<Entry> = all.collect();
        entries.sort_by_key(|entry| entry.timestamp);
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cycle: u64, order: u64) -> Timestamp {
        Timestamp { cycle, order }
    }

    #[test]
    fn a_phantom_at_the_head_blocks_what_came_later_in_any_fifo() {
        let mut queue = StageQueue::new(2, None);
        let place = queue.push(1, Kind::Phantom, 10, at(3, 7)).unwrap();
        queue.push(0, Kind::Data, 11, at(3, 8)).unwrap();
        assert_eq!(queue.pop(), Popped::Nothing);
        queue.insert(1, place, 5);
        assert_eq!(queue.pop(), Popped::Data(10));
        assert_eq!(queue.pop(), Popped::Data(11));
        assert_eq!(queue.pop(), Popped::Nothing);
    }

    #[test]
    fn of_one_cycle_the_packet_that_arrived_first_is_served_first() {
        let mut queue = StageQueue::new(3, None);
        queue.push(0, Kind::Data, 1, at(4, 2)).unwrap();
        queue.push(2, Kind::Data, 2, at(4, 1)).unwrap();
        queue.push(1, Kind::Data, 3, at(3, 9)).unwrap();
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [3, 2, 1].map(Popped::Data));
    }

    #[test]
    fn a_full_fifo_takes_nothing_while_its_neighbour_does() {
        let mut queue = StageQueue::new(2, Some(3));
        for order in 0..3 {
            assert!(queue.push(0, Kind::Phantom, 0, at(order, order)).is_some());
        }
        assert!(queue.push(0, Kind::Phantom, 0, at(3, 3)).is_none());
        assert!(queue.push(1, Kind::Phantom, 0, at(3, 3)).is_some());
        assert_eq!(queue.len(), 4);
    }

    #[test]
    fn a_void_is_popped_by_itself() {
        let mut queue = StageQueue::new(1, None);
        let place = queue.push(0, Kind::Phantom, 5, at(0, 0)).unwrap();
        queue.push(0, Kind::Data, 6, at(1, 1)).unwrap();
        queue.void(0, place, 2);
        assert_eq!(queue.pop(), Popped::Void);
        assert_eq!(queue.pop(), Popped::Data(6));
    }

    #[test]
    fn places_stay_valid_while_a_fifo_grows_and_turns_round() {
        let mut queue = StageQueue::new(1, None);
        for order in 0..5 {
            queue.push(0, Kind::Data, order as u32, at(order, order)).unwrap();
        }
        for packet in 0..5 {
            assert_eq!(queue.pop(), Popped::Data(packet));
        }
        let places: Vec<_> =
            (0..100).map(|order| queue.push(0, Kind::Phantom, order as u32, at(order, order)).unwrap()).collect();
        for &place in places.iter().rev() {
            queue.insert(0, place, 200);
        }
        for packet in 0..100 {
            assert_eq!(queue.pop(), Popped::Data(packet));
        }
    }
}
