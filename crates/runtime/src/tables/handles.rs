//! A map from entry handles to values that does not hash.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::EntryHandle;

/// A map from entry handles to values, ordered by handle.
///
/// Handles increase and are never reused, so the map is an array in pages, of which empty ones are freed. A table whose
/// entries come and go forever needs two bits of memory for each past entry, or less with larger pages.
#[derive(Clone, Debug)]
pub struct HandleMap<T, const PAGE: usize = 32> {
    pages: Vec<Option<Box<Page<T, PAGE>>>>,
    length: usize,
}

#[derive(Clone, Debug)]
struct Page<T, const PAGE: usize> {
    used: usize,
    slots: [Option<T>; PAGE],
}

impl<T, const PAGE: usize> Default for HandleMap<T, PAGE> {
    fn default() -> Self {
        Self { pages: Vec::new(), length: 0 }
    }
}

impl<T, const PAGE: usize> HandleMap<T, PAGE> {
    fn place(handle: EntryHandle) -> (usize, usize) {
        (handle.0 as usize / PAGE, handle.0 as usize % PAGE)
    }

    /// Returns the value of a handle.
    #[inline]
    pub fn get(&self, handle: EntryHandle) -> Option<&T> {
        let (page, slot) = Self::place(handle);
        self.pages.get(page)?.as_ref()?.slots[slot].as_ref()
    }

    /// Returns the value of a handle for modification.
    #[inline]
    pub fn get_mut(&mut self, handle: EntryHandle) -> Option<&mut T> {
        let (page, slot) = Self::place(handle);
        self.pages.get_mut(page)?.as_mut()?.slots[slot].as_mut()
    }

    /// Sets the value of a handle and returns its previous value.
    pub fn insert(&mut self, handle: EntryHandle, value: T) -> Option<T> {
        let (page, slot) = Self::place(handle);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new(Page { used: 0, slots: [const { None }; PAGE] }));
        let old = page.slots[slot].replace(value);
        page.used += usize::from(old.is_none());
        self.length += usize::from(old.is_none());
        old
    }

    /// Removes the value of a handle and returns it.
    pub fn remove(&mut self, handle: EntryHandle) -> Option<T> {
        let (at, slot) = Self::place(handle);
        let page = self.pages.get_mut(at)?.as_mut()?;
        let old = page.slots[slot].take()?;
        page.used -= 1;
        self.length -= 1;
        if page.used == 0 {
            self.pages[at] = None;
        }
        Some(old)
    }

    /// Returns all handles with their values, ordered by handle.
    pub fn iter(&self) -> impl Iterator<Item = (EntryHandle, &T)> {
        self.iter_from(EntryHandle(0))
    }

    /// Returns this handle and all above it with their values, ordered by handle. Lower ones cost nothing.
    pub fn iter_from(&self, first: EntryHandle) -> impl Iterator<Item = (EntryHandle, &T)> {
        let (first_page, first_slot) = Self::place(first);
        let pages = self.pages.iter().enumerate().skip(first_page).filter_map(|(at, page)| Some((at, page.as_ref()?)));
        pages.flat_map(move |(at, page)| {
            let handle = move |slot: usize| EntryHandle((at * PAGE + slot) as u32);
            let skipped = if at == first_page { first_slot } else { 0 };
            let slots = page.slots.iter().enumerate().skip(skipped);
            slots.filter_map(move |(slot, value)| Some((handle(slot), value.as_ref()?)))
        })
    }

    /// Returns the memory that the map takes in bytes, not counting what its values have allocated.
    pub fn memory(&self) -> usize {
        let pages = self.pages.iter().flatten().count();
        self.pages.capacity() * size_of::<Option<Box<Page<T, PAGE>>>>() + pages * size_of::<Page<T, PAGE>>()
    }

    /// Returns the number of handles that have a value.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if no handle has a value.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl<T: Serialize + DeserializeOwned, const PAGE: usize> Snapshot for HandleMap<T, PAGE> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.len())?;
        self.iter().try_for_each(|entry| into.put(&entry))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        *self = Self::default();
        for _ in 0..from.take::<usize>()? {
            let (handle, value) = from.take()?;
            self.insert(handle, value);
        }
        Ok(())
    }
}
