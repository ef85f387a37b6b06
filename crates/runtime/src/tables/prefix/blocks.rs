//! An allocator for short arrays that grow and shrink, within one long array.

/// The capacity of an array by size class. An array moves to the next class when its own is full.
const ROOM: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// Arrays of at most 64 items. The owner of an array knows where it begins and how many items it has, and passes both
/// to every operation. An empty array has no position.
#[derive(Clone, Debug)]
pub(super) struct Blocks<T> {
    items: Vec<T>,
    /// For each size class, the positions of free arrays.
    unused: [Vec<u32>; ROOM.len()],
}

fn class(count: usize) -> usize {
    ROOM.partition_point(|&room| room < count)
}

impl<T: Copy> Blocks<T> {
    pub(super) fn new() -> Self {
        Self { items: Vec::new(), unused: Default::default() }
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> T {
        self.items[at as usize]
    }

    #[inline]
    pub(super) fn get_ref(&self, at: u32) -> &T {
        &self.items[at as usize]
    }

    pub(super) fn get_mut(&mut self, at: u32) -> &mut T {
        &mut self.items[at as usize]
    }

    /// Inserts an item into an array of `count` items. Returns where the array begins now.
    pub(super) fn insert(&mut self, first: u32, count: usize, place: usize, item: T) -> u32 {
        let (from, to) = (first as usize, class(count + 1));
        if count > 0 && class(count) == to {
            self.items.copy_within(from + place..from + count, from + place + 1);
            self.items[from + place] = item;
            return first;
        }
        let moved = self.take(to, item);
        let at = moved as usize;
        self.items.copy_within(from..from + place, at);
        self.items[at + place] = item;
        self.items.copy_within(from + place..from + count, at + place + 1);
        if count > 0 {
            self.unused[class(count)].push(first);
        }
        moved
    }

    /// Removes an item of an array of `count` items. Returns where the array begins now.
    pub(super) fn remove(&mut self, first: u32, count: usize, place: usize) -> u32 {
        let at = first as usize;
        self.items.copy_within(at + place + 1..at + count, at + place);
        let (old, new) = (class(count), class(count - 1));
        if count == 1 {
            self.unused[old].push(first);
            return 0;
        }
        if old == new {
            return first;
        }
        let moved = self.take(new, self.items[at]);
        self.items.copy_within(at..at + count - 1, moved as usize);
        self.unused[old].push(first);
        moved
    }

    /// Allocates an array of a size class. It is never split off a larger one: those would be returned in pieces, and
    /// tables that grow and shrink forever would need ever more memory.
    fn take(&mut self, class: usize, filler: T) -> u32 {
        self.unused[class].pop().unwrap_or_else(|| {
            let end = self.items.len();
            self.items.resize(end + ROOM[class], filler);
            end as u32
        })
    }

    /// Returns the number of items for which there is room, including free arrays, and the number of items in free
    /// arrays.
    #[cfg(test)]
    pub(super) fn room(&self) -> (usize, usize) {
        let unused = self.unused.iter().zip(ROOM).map(|(unused, room)| unused.len() * room).sum();
        (self.items.len(), unused)
    }

    /// Returns the memory that all arrays take, in bytes.
    pub(super) fn memory(&self) -> usize {
        let lists: usize = self.unused.iter().map(Vec::capacity).sum();
        self.items.capacity() * size_of::<T>() + lists * size_of::<u32>()
    }
}
