//! A generational arena: a handle stays valid while other elements come and go, and never refers to another element.

use serde::{Deserialize, Serialize};

/// The handle of an element of [`Slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Handle {
    slot: u32,
    generation: u32,
}

/// Elements under handles. The crate `slotmap` is not used because it allocates memory even when it is empty, and a
/// large network has tens of thousands of hosts that receive nothing.
#[derive(Debug, Serialize, Deserialize)]
pub struct Slots<T> {
    slots: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    pub fn insert(&mut self, thing: T) -> Handle {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            (self.slots.len() - 1) as u32
        });
        let (generation, place) = &mut self.slots[slot as usize];
        *place = Some(thing);
        Handle { slot, generation: *generation }
    }

    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        let (generation, thing) = &self.slots[handle.slot as usize];
        if *generation == handle.generation { thing.as_ref() } else { None }
    }

    #[inline]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        let (generation, thing) = &mut self.slots[handle.slot as usize];
        if *generation == handle.generation { thing.as_mut() } else { None }
    }

    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        let (generation, thing) = &mut self.slots[handle.slot as usize];
        if *generation != handle.generation {
            return None;
        }
        let thing = thing.take()?;
        *generation = generation.wrapping_add(1);
        self.free.push(handle.slot);
        Some(thing)
    }

    /// Returns all elements, in the order of their slots.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|(_, thing)| thing.as_mut())
    }

    /// Returns all elements, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|(_, thing)| thing.as_ref())
    }
}
