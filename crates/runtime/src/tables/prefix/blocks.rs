//! Short arrays that grow and shrink, in one long one.

/// How much room an array has, by class: an array is moved to the next class when it has filled its own.
const ROOM: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// Arrays of at most 64 items. Who holds an array knows where it begins and how many items it has; both are handed to
/// every operation, and an array of none begins nowhere.
#[derive(Clone, Debug)]
pub(super) struct Blocks<T> {
    items: Vec<T>,
    /// For each class where arrays can begin that are not in use.
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

    /// Puts an item at a place of an array of `count` items. Gives back where the array begins now.
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

    /// Takes the item at a place of an array of `count` items away. Gives back where the array begins now.
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

    /// Room for an array of a class. It is never a part of a larger one: those would come back in pieces, and tables
    /// that grow and shrink for ever would need ever more room.
    fn take(&mut self, class: usize, filler: T) -> u32 {
        self.unused[class].pop().unwrap_or_else(|| {
            let end = self.items.len();
            self.items.resize(end + ROOM[class], filler);
            end as u32
        })
    }

    /// How many items all arrays have room for, those that are not in use included, and how much of it is not in use.
    #[cfg(test)]
    pub(super) fn room(&self) -> (usize, usize) {
        let unused = self.unused.iter().zip(ROOM).map(|(unused, room)| unused.len() * room).sum();
        (self.items.len(), unused)
    }

    /// The bytes that all arrays take.
    pub(super) fn memory(&self) -> usize {
        let lists: usize = self.unused.iter().map(Vec::capacity).sum();
        self.items.capacity() * size_of::<T>() + lists * size_of::<u32>()
    }
}
