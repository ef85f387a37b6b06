//! The queue in front of a stateful stage of one pipeline (MP5 section 3.2).
//!
//! In the paper, the queue consists of k FIFOs, one for each pipeline that packets come from, and `pop` serves the head
//! with the smallest timestamp, which consists of the cycle of the push and the order of arrival at the switch.
//! Timestamps grow within a FIFO, so the k FIFOs together are one list in the order of timestamps. This module keeps
//! that list in a ring buffer, with a count per FIFO where FIFOs are bounded: entries that are pushed in the same cycle
//! are inserted in order, and `pop` looks at one position however many pipelines there are.
//!
//! The directory of the paper, which maps a packet to the position of its phantom, is kept with the packet
//! ([`super::packets`]): a position stays valid while other entries come and go.

use serde::{Deserialize, Serialize};

/// The kind of an entry in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum QueueEntryKind {
    /// A phantom whose data packet has yet to arrive.
    Phantom,
    /// A data packet.
    Data,
    /// A phantom whose data packet will never arrive.
    Void,
    /// An entry that was served out of turn and no longer exists.
    Gone,
}

/// An entry of a queue.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct QueueEntry {
    /// The position among the entries pushed in the same cycle.
    pub(super) order: u64,
    /// The cycle from which on it could be served: that in which its data packet arrived or it became void.
    pub(super) ready: u64,
    /// The packet that the entry is or stands for.
    pub(super) packet: u32,
    pub(super) kind: QueueEntryKind,
    /// The pipeline that the packet comes from, which determines its FIFO.
    source: u8,
}

/// The position of an entry, which does not change while the entry exists. Positions count pushes and wrap around.
pub(super) type QueuePosition = u32;

/// An entry to be pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub(super) cycle: u64,
    pub(super) order: u64,
    /// The pipeline that the packet comes from.
    pub(super) source: usize,
    pub(super) packet: u32,
    pub(super) kind: QueueEntryKind,
}

/// The queue of one stage of one pipeline.
#[derive(Clone, Debug)]
pub(super) struct StageQueue {
    /// A ring buffer; the cell of a position is given by its low-order bits.
    cells: Vec<QueueEntry>,
    head: QueuePosition,
    /// The number of positions in use from the head on, including those of entries that are gone.
    span: u32,
    /// The number of waiting entries.
    length: u32,
    /// The cycle from which on the first entry can be served; [`NEVER`] if it is a phantom or there is none.
    ready: u64,
    /// The number of entries in each FIFO; empty if the FIFOs are unbounded.
    fifos: Vec<u32>,
    depth: u32,
    /// The cycle of the last push, and the number of entries pushed in it; used only if entries are sorted.
    cycle: u64,
    pushed: u32,
    /// Whether entries of one cycle are sorted; otherwise they stay in the order of the pushes.
    is_sorted: bool,
}

/// A cycle that never comes.
const NEVER: u64 = u64::MAX;

const EMPTY: QueueEntry = QueueEntry { order: 0, ready: 0, packet: u32::MAX, kind: QueueEntryKind::Gone, source: 0 };

impl StageQueue {
    /// Creates empty FIFOs for `pipelines` sources, each with room for `depth` entries. `is_sorted` says whether
    /// entries of one cycle are sorted, as in the paper.
    pub(super) fn new(pipelines: usize, depth: Option<u32>, is_sorted: bool) -> Self {
        Self {
            cells: vec![EMPTY; 8],
            head: 0,
            span: 0,
            length: 0,
            ready: NEVER,
            fifos: if depth.is_some() { vec![0; pipelines] } else { Vec::new() },
            depth: depth.unwrap_or(u32::MAX),
            cycle: 0,
            pushed: 0,
            is_sorted,
        }
    }

    #[inline]
    fn cell(&self, position: QueuePosition) -> usize {
        position as usize & (self.cells.len() - 1)
    }

    /// Returns the number of waiting entries.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.length
    }

    /// Pushes an entry into its FIFO (section 3.2, `push`) and returns its position, or `None` if the FIFO is full.
    /// Entries of the same cycle with a greater order move back by one position, which is reported to `moved`.
    #[inline(always)]
    pub(super) fn push(&mut self, push: Push, moved: impl FnMut(u32, QueuePosition)) -> Option<QueuePosition> {
        if let Some(count) = self.fifos.get_mut(push.source) {
            if *count >= self.depth {
                return None;
            }
            *count += 1;
        }
        if !self.is_sorted {
            return Some(self.append(push));
        }
        if self.span as usize == self.cells.len() {
            self.grow();
        }
        if self.cycle != push.cycle {
            self.cycle = push.cycle;
            self.pushed = 0;
        }
        let mut position = self.head.wrapping_add(self.span);
        if self.pushed > 0 {
            position = self.make_room(position, push.order, moved);
        }
        self.pushed += 1;
        self.put(position, push);
        Some(position)
    }

    /// Pushes an entry behind all others into a queue of unbounded FIFOs, and returns its position.
    #[inline(always)]
    pub(super) fn append(&mut self, push: Push) -> QueuePosition {
        if self.span as usize == self.cells.len() {
            self.grow();
        }
        let position = self.head.wrapping_add(self.span);
        self.put(position, push);
        position
    }

    /// Writes an entry, for which there is room.
    #[inline(always)]
    fn put(&mut self, position: QueuePosition, push: Push) {
        let Push { cycle, order, source, packet, kind } = push;
        let cell = self.cell(position);
        self.cells[cell] = QueueEntry { order, ready: cycle, packet, kind, source: source as u8 };
        self.span += 1;
        self.length += 1;
        // A phantom behind others does not change what can be served.
        if kind != QueueEntryKind::Phantom || position == self.head {
            self.look_at_first();
        }
    }

    /// Moves entries of the same cycle with a greater order back by one position. `position` is the first one behind all
    /// entries. Returns the position in front of the entries that were moved.
    #[inline(never)]
    fn make_room(
        &mut self,
        mut position: QueuePosition,
        order: u64,
        mut moved: impl FnMut(u32, QueuePosition),
    ) -> QueuePosition {
        for _ in 0..self.pushed.min(self.span) {
            let (before, here) = (self.cell(position.wrapping_sub(1)), self.cell(position));
            if self.cells[before].order <= order || self.cells[before].kind == QueueEntryKind::Gone {
                break;
            }
            self.cells[here] = self.cells[before];
            moved(self.cells[here].packet, position);
            position = position.wrapping_sub(1);
        }
        position
    }

    /// Doubles the size of the ring buffer, which is independent of the depth of FIFOs. Places do not change.
    #[cold]
    fn grow(&mut self) {
        let mut grown = vec![EMPTY; self.cells.len() * 2];
        let mask = grown.len() - 1;
        for offset in 0..self.span {
            let position = self.head.wrapping_add(offset);
            grown[position as usize & mask] = self.cells[self.cell(position)];
        }
        self.cells = grown;
    }

    /// Replaces a phantom by its data packet (section 3.2, `insert`), or marks it as void.
    #[inline]
    pub(super) fn replace(&mut self, position: QueuePosition, kind: QueueEntryKind, cycle: u64) {
        let cell = self.cell(position);
        let entry = &mut self.cells[cell];
        debug_assert_eq!(entry.kind, QueueEntryKind::Phantom, "only a phantom can be replaced");
        entry.kind = kind;
        entry.ready = cycle;
        if position == self.head {
            self.ready = cycle;
        }
    }

    /// Returns the entry with the smallest timestamp.
    #[inline]
    pub(super) fn head(&self) -> Option<&QueueEntry> {
        (self.span > 0).then(|| &self.cells[self.cell(self.head)])
    }

    /// Notes from when on the first entry can be served.
    #[inline]
    fn look_at_first(&mut self) {
        let first = &self.cells[self.cell(self.head)];
        let is_ready = (self.span > 0) & (first.kind != QueueEntryKind::Phantom);
        self.ready = if is_ready { first.ready } else { NEVER };
    }

    /// Returns true if the first entry can be served in a cycle.
    #[inline]
    pub(super) fn is_ready(&self, cycle: u64) -> bool {
        self.ready <= cycle
    }

    /// Serves the entry with the smallest timestamp (section 3.2, `pop`), unless it is a phantom, which blocks all
    /// entries behind it. Returns its kind and its packet.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(QueueEntryKind, u32)> {
        (self.ready != NEVER).then(|| self.pop_ready())
    }

    /// Serves the first entry, which can be served, and returns its kind and its packet.
    #[inline]
    pub(super) fn pop_ready(&mut self) -> (QueueEntryKind, u32) {
        let QueueEntry { kind, packet, source, .. } = self.cells[self.cell(self.head)];
        self.forget(source);
        self.head = self.head.wrapping_add(1);
        self.span -= 1;
        self.skip_gone();
        self.look_at_first();
        (kind, packet)
    }

    /// Serves the first entry for which `is_free` returns true. It is called for every entry before that one too,
    /// including phantoms, because entries that are not free block later ones that need the same index.
    pub(super) fn pop_first(&mut self, mut is_free: impl FnMut(&QueueEntry) -> bool) -> Option<(QueueEntryKind, u32)> {
        for offset in 0..self.span {
            let position = self.head.wrapping_add(offset);
            let entry = self.cells[self.cell(position)];
            if entry.kind != QueueEntryKind::Gone && is_free(&entry) {
                self.take(position);
                return Some((entry.kind, entry.packet));
            }
        }
        None
    }

    /// Removes an entry that is not necessarily the first one.
    fn take(&mut self, position: QueuePosition) {
        let cell = self.cell(position);
        let entry = &mut self.cells[cell];
        entry.kind = QueueEntryKind::Gone;
        let source = entry.source;
        self.forget(source);
        self.skip_gone();
        self.look_at_first();
    }

    /// Uncounts an entry that is removed from the FIFO of the pipeline `source`.
    #[inline]
    fn forget(&mut self, source: u8) {
        if let Some(count) = self.fifos.get_mut(usize::from(source)) {
            *count -= 1;
        }
        self.length -= 1;
    }

    /// Moves the head to the first waiting entry.
    #[inline]
    fn skip_gone(&mut self) {
        while self.span > self.length && self.cells[self.cell(self.head)].kind == QueueEntryKind::Gone {
            self.head = self.head.wrapping_add(1);
            self.span -= 1;
        }
    }

    /// Returns the waiting entries in the order of timestamps.
    pub(super) fn entries(&self) -> impl Iterator<Item = &QueueEntry> {
        let all = (0..self.span).map(|offset| &self.cells[self.cell(self.head.wrapping_add(offset))]);
        all.filter(|entry| entry.kind != QueueEntryKind::Gone)
    }
}

basis::snapshot!(StageQueue { values cells, head, span, length, ready, fifos, cycle, pushed; });

#[cfg(test)]
mod tests {
    use super::*;

    fn push(
        queue: &mut StageQueue,
        source: usize,
        kind: QueueEntryKind,
        packet: u32,
        (cycle, order): (u64, u64),
    ) -> Option<QueuePosition> {
        queue.push(Push { cycle, order, source, packet, kind }, |_, _| {})
    }

    fn popped(queue: &mut StageQueue) -> Option<(QueueEntryKind, u32)> {
        queue.pop()
    }

    #[test]
    fn phantom_at_the_head_blocks_all_fifos() {
        let mut queue = StageQueue::new(2, None, true);
        let position = push(&mut queue, 1, QueueEntryKind::Phantom, 10, (3, 7)).unwrap();
        push(&mut queue, 0, QueueEntryKind::Data, 11, (3, 8)).unwrap();
        assert_eq!(popped(&mut queue), None);
        queue.replace(position, QueueEntryKind::Data, 5);
        assert_eq!(popped(&mut queue), Some((QueueEntryKind::Data, 10)));
        assert_eq!(popped(&mut queue), Some((QueueEntryKind::Data, 11)));
        assert_eq!(popped(&mut queue), None);
    }

    #[test]
    fn same_cycle_pushes_are_served_in_order_of_arrival() {
        let mut queue = StageQueue::new(3, None, true);
        push(&mut queue, 1, QueueEntryKind::Data, 3, (3, 9)).unwrap();
        push(&mut queue, 0, QueueEntryKind::Phantom, 1, (4, 2)).unwrap();
        let mut moved = Vec::new();
        let earlier = Push { cycle: 4, order: 1, source: 2, packet: 2, kind: QueueEntryKind::Data };
        queue.push(earlier, |packet, position| moved.push((packet, position))).unwrap();
        assert_eq!(moved, [(1, 2)], "the phantom is told its new position");
        queue.replace(2, QueueEntryKind::Data, 4);
        assert_eq!([0; 3].map(|_| popped(&mut queue)), [3, 2, 1].map(|packet| Some((QueueEntryKind::Data, packet))));
    }

    #[test]
    fn unsorted_queue_keeps_the_order_of_pushes() {
        let mut queue = StageQueue::new(2, None, false);
        for packet in [2, 1, 3] {
            push(&mut queue, 0, QueueEntryKind::Data, packet, (4, u64::from(packet))).unwrap();
        }
        assert_eq!([0; 3].map(|_| popped(&mut queue).unwrap().1), [2, 1, 3]);
    }

    #[test]
    fn a_full_fifo_does_not_affect_its_neighbour() {
        let mut queue = StageQueue::new(2, Some(3), true);
        for order in 0..3 {
            assert!(push(&mut queue, 0, QueueEntryKind::Data, 0, (order, order)).is_some());
        }
        assert!(push(&mut queue, 0, QueueEntryKind::Data, 0, (3, 3)).is_none());
        assert!(push(&mut queue, 1, QueueEntryKind::Data, 0, (3, 3)).is_some());
        assert_eq!(queue.len(), 4);
        assert!(popped(&mut queue).is_some());
        assert!(push(&mut queue, 0, QueueEntryKind::Data, 0, (4, 4)).is_some(), "there is room again");
    }

    #[test]
    fn void_phantoms_are_popped_alone() {
        let mut queue = StageQueue::new(1, None, true);
        let position = push(&mut queue, 0, QueueEntryKind::Phantom, 5, (0, 0)).unwrap();
        push(&mut queue, 0, QueueEntryKind::Data, 6, (1, 1)).unwrap();
        queue.replace(position, QueueEntryKind::Void, 2);
        assert_eq!(popped(&mut queue), Some((QueueEntryKind::Void, 5)));
        assert_eq!(popped(&mut queue), Some((QueueEntryKind::Data, 6)));
    }

    #[test]
    fn positions_survive_growth_and_wraparound() {
        let mut queue = StageQueue::new(1, None, true);
        for order in 0..5 {
            push(&mut queue, 0, QueueEntryKind::Data, order as u32, (order, order)).unwrap();
        }
        for packet in 0..5 {
            assert_eq!(popped(&mut queue), Some((QueueEntryKind::Data, packet)));
        }
        let positions: Vec<_> = (0..100)
            .map(|order| push(&mut queue, 0, QueueEntryKind::Phantom, order as u32, (order, order)).unwrap())
            .collect();
        for &position in positions.iter().rev() {
            queue.replace(position, QueueEntryKind::Data, 200);
        }
        for packet in 0..100 {
            assert_eq!(popped(&mut queue), Some((QueueEntryKind::Data, packet)));
        }
    }

    #[test]
    fn serving_out_of_turn_keeps_the_order_of_the_rest() {
        let mut queue = StageQueue::new(1, Some(8), true);
        let positions: Vec<_> = (0..4)
            .map(|order| push(&mut queue, 0, QueueEntryKind::Phantom, order as u32, (order, order)).unwrap())
            .collect();
        queue.replace(positions[2], QueueEntryKind::Data, 9);
        let ready = |entry: &QueueEntry| entry.kind == QueueEntryKind::Data;
        assert_eq!(queue.pop_first(ready).map(|(_, packet)| packet), Some(2));
        assert_eq!((queue.len(), queue.pop_first(ready).is_none()), (3, true));
        [0, 1, 3].into_iter().for_each(|packet| queue.replace(positions[packet], QueueEntryKind::Data, 9));
        assert_eq!([0; 3].map(|_| popped(&mut queue).unwrap().1), [0, 1, 3]);
        assert_eq!(queue.len(), 0);
    }
}
