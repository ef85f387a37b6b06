//! Match tables.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::found::Found;
use super::key_words::KeyWords;
use super::matcher::{Matcher, prefix_length};
use super::shortcuts::{Shortcuts, WordKey};
use super::{EntryHandle, FieldMatch, HandleMap, KeyField, TableEntry, TableError, Target, TargetWords, Targets};
use crate::Bits;

/// A match table: its key, its entries, and a data structure that finds the entry for a packet.
#[derive(Clone, Debug)]
pub struct MatchTable {
    fields: Vec<KeyField>,
    size: Option<u32>,
    /// The layout of a key in words.
    words: KeyWords,
    entries: HandleMap<TableEntry>,
    /// The targets of the entries and of a miss, for executors that work on words.
    targets: Targets,
    matcher: Matcher,
    /// What compiled code reads instead of asking the matcher.
    pub(super) shortcuts: Shortcuts,
    /// The handle of the next entry; `None` when all have been used.
    next: Option<EntryHandle>,
}

impl MatchTable {
    /// The offset of the shortcuts in bytes.
    pub(crate) const SHORTCUTS: usize = std::mem::offset_of!(Self, shortcuts);

    /// Creates an empty table whose key has these fields and that holds at most `size` entries.
    pub fn new(fields: Vec<KeyField>, size: Option<u32>) -> Self {
        let words = KeyWords::new(&fields);
        let matcher = Matcher::new(&fields, &words);
        let (entries, targets) = (HandleMap::default(), Targets::new(TargetWords::Member(0)));
        let shortcuts = Shortcuts::new();
        Self { fields, size, words, entries, targets, matcher, shortcuts, next: Some(EntryHandle(0)) }
    }

    /// Returns the fields of the key.
    pub fn fields(&self) -> &[KeyField] {
        &self.fields
    }

    /// Returns the maximum number of entries.
    pub fn size(&self) -> Option<u32> {
        self.size
    }

    /// Returns true if entries have priorities: a field is ternary, range or optional.
    pub fn has_priorities(&self) -> bool {
        self.fields.iter().any(|field| field.kind.has_priority())
    }

    /// Adds an entry. Its key is stored in canonical form ([`FieldMatch::canonical`]).
    ///
    /// # Errors
    /// If the entry does not suit the key, the table is full, or it already has an entry with the same key (and the
    /// same priority, if it uses priorities).
    pub fn insert(&mut self, entry: TableEntry) -> Result<EntryHandle, TableError> {
        let (key, priority) = self.canonical(&entry.key, entry.priority)?;
        if let Some(existing) = self.find_canonical(&key, priority) {
            return Err(TableError::Duplicate { existing });
        }
        if let Some(size) = self.size.filter(|&size| self.len() >= size as usize) {
            return Err(TableError::Full { size });
        }
        let handle = self.next.ok_or(TableError::HandlesExhausted)?;
        // No entry has the last handle, so that the data structures can represent the absence of one (`Found`).
        self.next = handle.0.checked_add(1).filter(|&next| next != u32::MAX).map(EntryHandle);
        let entry = TableEntry { key, priority, ..entry };
        self.add(entry, handle);
        Ok(handle)
    }

    /// Changes the target of an entry.
    ///
    /// # Errors
    /// If there is no such entry, or it is constant.
    pub fn modify(&mut self, handle: EntryHandle, target: Target) -> Result<(), TableError> {
        let entry = self.entries.get_mut(handle).ok_or(TableError::NoSuchEntry)?;
        if entry.is_constant {
            return Err(TableError::Constant);
        }
        let number = self.targets.insert(handle, TargetWords::of(&target));
        entry.target = target;
        self.matcher.retarget(entry, Found::new(handle, number), &self.words);
        self.changed();
        Ok(())
    }

    /// Deletes an entry and returns it.
    ///
    /// # Errors
    /// If there is no such entry, or it is constant.
    pub fn delete(&mut self, handle: EntryHandle) -> Result<TableEntry, TableError> {
        match self.entries.get(handle) {
            None => return Err(TableError::NoSuchEntry),
            Some(entry) if entry.is_constant => return Err(TableError::Constant),
            Some(entry) => self.matcher.remove(entry, handle, &self.words),
        }
        self.targets.remove(handle);
        let entry = self.entries.remove(handle);
        self.changed();
        entry.ok_or(TableError::NoSuchEntry)
    }

    /// Deletes all entries that are not constant.
    pub fn clear(&mut self) {
        let kept: Vec<(EntryHandle, TableEntry)> = self
            .entries()
            .filter(|(_, entry)| entry.is_constant)
            .map(|(handle, entry)| (handle, entry.clone()))
            .collect();
        for (handle, _) in self.entries.iter() {
            self.targets.remove(handle);
        }
        self.entries = HandleMap::default();
        self.matcher = Matcher::new(&self.fields, &self.words);
        self.changed();
        for (handle, entry) in kept {
            self.add(entry, handle);
        }
    }

    /// Returns the handle that the next entry gets; `None` when all have been used.
    pub(crate) fn next_handle(&self) -> Option<EntryHandle> {
        self.next
    }

    /// Makes the next entry get the same handle as that of another table.
    pub(crate) fn follow_handles(&mut self, other: &Self) {
        self.next = other.next;
    }

    /// Puts an entry back under the handle that it had before operations that are being undone, or removes it if it did
    /// not exist. `next` is the handle that the next entry got then.
    pub(crate) fn restore_entry(&mut self, handle: EntryHandle, entry: Option<TableEntry>, next: Option<EntryHandle>) {
        if let Some(old) = self.entries.remove(handle) {
            self.matcher.remove(&old, handle, &self.words);
            self.targets.remove(handle);
            self.changed();
        }
        if let Some(entry) = entry {
            self.add(entry, handle);
        }
        self.next = next;
    }

    /// Returns the entry with this key, and with this priority if the table uses priorities.
    pub fn find(&self, key: &[FieldMatch], priority: u32) -> Option<EntryHandle> {
        let (key, priority) = self.canonical(key, priority).ok()?;
        self.find_canonical(&key, priority)
    }

    /// Returns the entry of a handle.
    #[inline]
    pub fn get(&self, handle: EntryHandle) -> Option<&TableEntry> {
        self.entries.get(handle)
    }

    /// Returns all entries, in the order of insertion.
    pub fn entries(&self) -> impl Iterator<Item = (EntryHandle, &TableEntry)> {
        self.entries.iter()
    }

    /// Returns the entries that were inserted after one, whether that one is still there or not, in the order of insertion.
    pub fn entries_after(&self, entry: EntryHandle) -> impl Iterator<Item = (EntryHandle, &TableEntry)> {
        self.entries.iter_from(EntryHandle(entry.0.saturating_add(1)))
    }

    /// Returns true if an entry has this target, such as a member that is to be deleted.
    pub fn uses(&self, target: &Target) -> bool {
        self.targets.uses(&TargetWords::of(target))
    }

    /// Returns the entry that wins for a key: one value for each field, of the field's width and in the order of the
    /// key. This allocates only if the fields have more than 2048 bits in total.
    ///
    /// # Panics
    /// It may panic if the number or the widths of the values do not suit the key.
    #[inline]
    pub fn lookup(&self, key: &[Bits]) -> Option<EntryHandle> {
        debug_assert_eq!(key.len(), self.fields.len(), "a value for each field of the key");
        self.words.with(key, |key| self.matcher.lookup(key))
    }

    /// Returns the entry that wins for a key in words: the concatenated values of its fields, each as
    /// `width.div_ceil(64)` words, the least significant word first, zero above the width.
    ///
    /// # Panics
    /// It may panic if the number of words does not suit the key.
    #[inline]
    pub fn lookup_words(&self, key: &[u64]) -> Option<EntryHandle> {
        debug_assert_eq!(key.len(), self.words.length(), "the words of each field of the key");
        self.matcher.lookup(key)
    }

    /// Returns the entry that wins for a key in words, and its target or that of a miss, in words.
    #[inline(always)] // A call costs as much as the look-up of a short key.
    pub(crate) fn lookup_target(&self, key: &[u64]) -> (Option<EntryHandle>, &TargetWords) {
        debug_assert_eq!(key.len(), self.words.length(), "the words of each field of the key");
        let found = self.matcher.lookup_target(key, &self.targets);
        (found.map(Found::entry), self.targets.get(found.map_or(0, Found::target)))
    }

    /// Returns the target of an entry in words, or the target of a miss if `entry` is `None` or does not exist.
    #[inline]
    pub(crate) fn target_words(&self, entry: Option<EntryHandle>) -> &TargetWords {
        self.targets.get(entry.map_or(0, |entry| self.targets.number_of(entry)))
    }

    /// Sets the target of a miss, in words.
    pub(crate) fn set_default_words(&mut self, words: TargetWords) {
        self.targets.set_default(words);
        self.changed();
    }

    /// Counts a look-up by compiled code, which asks because it found no shortcut. If it pays to make shortcuts now, they are
    /// made. `data_words` are the numbers of words of data that the actions take; nothing else gets a shortcut.
    #[inline]
    pub(crate) fn ask_for_shortcuts(&mut self, data_words: &[usize]) {
        if self.shortcuts.ask() {
            self.make_shortcuts(data_words);
        }
    }

    #[cold]
    fn make_shortcuts(&mut self, data_words: &[usize]) {
        let key = WordKey::of(&self.fields);
        let entry = |(handle, entry): (EntryHandle, &TableEntry)| {
            let words = self.words.values(&entry.key);
            let fields = (0..).zip(&self.fields).filter(|(_, field)| field.width > 0);
            let word = fields.fold(0u64, |word, (number, field)| {
                word.unbounded_shl(field.width) | words[self.words.place(number).0]
            });
            let length = if key == Some(WordKey::Exact) { u64::BITS } else { prefix_length(&entry.key[0]) };
            (word, length, self.target_words(Some(handle)))
        };
        let entries = self.entries.iter().map(entry).collect();
        self.shortcuts = Shortcuts::of(key, entries, self.targets.get(0), data_words);
    }

    /// Drops what was made for the entries and the target of a miss as they were before a change.
    fn changed(&mut self) {
        self.shortcuts.drop_all(WordKey::of(&self.fields), self.entries.len());
    }

    /// Returns the memory in bytes that the data structure for look-ups takes, not counting the entries themselves.
    pub fn memory(&self) -> usize {
        self.matcher.memory()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn find_canonical(&self, key: &[FieldMatch], priority: u32) -> Option<EntryHandle> {
        self.matcher.find(key, priority, &self.words, &self.entries)
    }

    /// Adds a canonical entry whose key is not in the table.
    fn add(&mut self, entry: TableEntry, handle: EntryHandle) {
        let target = self.targets.insert(handle, TargetWords::of(&entry.target));
        let found = Found::new(handle, target);
        self.matcher.insert(&self.fields, &self.words, &entry, found, &self.entries);
        self.entries.insert(handle, entry);
        self.changed();
    }

    fn canonical(&self, key: &[FieldMatch], priority: u32) -> Result<(Vec<FieldMatch>, u32), TableError> {
        if self.fields.is_empty() {
            return Err(TableError::NoKey);
        }
        if key.len() != self.fields.len() {
            return Err(TableError::FieldCount { expected: self.fields.len(), given: key.len() });
        }
        let asked = key.iter().zip(&self.fields).enumerate();
        let key = asked.map(|(number, (asked, field))| asked.canonical(*field, number)).collect::<Result<_, _>>()?;
        Ok((key, if self.has_priorities() { priority } else { 0 }))
    }
}

/// Entries are saved with their handles; the data structure for look-ups is rebuilt.
impl Snapshot for MatchTable {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.next)?;
        self.entries.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.next = from.take()?;
        let mut entries: HandleMap<TableEntry> = HandleMap::default();
        entries.restore(from)?;
        self.entries = HandleMap::default();
        self.targets = Targets::new(self.targets.get(0).clone());
        self.matcher = Matcher::new(&self.fields, &self.words);
        self.changed();
        for (handle, entry) in entries.iter() {
            let of_another_table = |_| Unfit("the state has an entry of another table".to_owned());
            let (key, priority) = self.canonical(&entry.key, entry.priority).map_err(of_another_table)?;
            self.add(TableEntry { key, priority, ..entry.clone() }, handle);
        }
        Ok(())
    }
}
