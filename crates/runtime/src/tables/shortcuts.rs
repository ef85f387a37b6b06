//! Shortcuts: answers of a table that compiled code reads where they are, without a call.

use std::fmt;
use std::mem::offset_of;

use super::{KeyField, MatchKind, TargetWords};

/// The most words of data that a shortcut holds.
const WORDS: usize = 5;
/// The most entries of a table with shortcuts.
const MOST_ENTRIES: usize = 256;
/// The most places, which take 32 KiB.
const MOST_PLACES: usize = 512;

/// A key that compiled code can compute as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKey {
    /// All fields are exact. The last one is in the lowest bits of the word, and those before it follow.
    Exact,
    /// The only field is matched by its longest prefix and has this width.
    Prefix(u32),
}

impl WordKey {
    /// Returns how a key with these fields is one word; `None` if it is not.
    pub fn of(fields: &[KeyField]) -> Option<Self> {
        match fields {
            [KeyField { kind: MatchKind::Lpm, width }] if *width <= 64 => Some(Self::Prefix(*width)),
            [] => None,
            _ => {
                let is_exact = fields.iter().all(|field| field.kind == MatchKind::Exact);
                let width: u64 = fields.iter().map(|field| u64::from(field.width)).sum();
                (is_exact && width <= 64).then_some(Self::Exact)
            }
        }
    }

    /// Returns the number of places for the shortcuts of some entries.
    fn places(self, entries: usize) -> usize {
        match self {
            _ if entries == 0 => 1,
            Self::Exact => (2 * entries).next_power_of_two(),
            // Prefixes are spread less evenly than numbers that are counted up.
            Self::Prefix(width) => (16 * entries).next_power_of_two().min(1 << width.min(32)),
        }
        .min(MOST_PLACES)
    }
}

/// The answer of a table for some keys, in one line of the cache. Compiled code reads the fields at the offsets that are
/// given here.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Shortcut {
    /// The bits of a key that decide whether this is the answer.
    mask: u64,
    /// Their value.
    value: u64,
    /// The number of the action that runs, and [`Self::HIT`].
    found: u64,
    /// The data of the action.
    data: [u64; WORDS],
}

impl Shortcut {
    /// A flag beside the number of the action: an entry matched.
    pub const HIT: u64 = 1 << 32;
    /// The most words of data that a shortcut holds.
    pub const WORDS: usize = WORDS;
    /// The binary logarithm of the size in bytes.
    pub const SIZE: u32 = size_of::<Self>().trailing_zeros();
    /// The offset of the mask in bytes.
    pub const MASK: usize = offset_of!(Self, mask);
    /// The offset of the value of the bits under the mask.
    pub const VALUE: usize = offset_of!(Self, value);
    /// The offset of the action.
    pub const FOUND: usize = offset_of!(Self, found);
    /// The offset of the data.
    pub const DATA: usize = offset_of!(Self, data);

    /// The answer for no key.
    const NEVER: Self = Self { mask: 0, value: 1, found: 0, data: [0; WORDS] };

    /// Creates the answer for the keys whose bits under `mask` are `value`; `None` if the target is not an action whose data
    /// has as many words as `data_words` says for it, at most [`Self::WORDS`].
    fn new(mask: u64, value: u64, target: &TargetWords, hit: u64, data_words: &[usize]) -> Option<Self> {
        let TargetWords::Action(action) = target else { return None };
        let (number, words) = (action.action(), action.words());
        if data_words.get(number as usize) != Some(&words.len()) || words.len() > WORDS {
            return None;
        }
        let mut data = [0; WORDS];
        data[..words.len()].copy_from_slice(words);
        Some(Self { mask, value, found: u64::from(number) | hit, data })
    }
}

/// The shortcuts of a table.
///
/// They are made when compiled code has looked up so many keys since the last change of the table that making them costs no
/// more than these look-ups, and any change drops them. So they take no memory in tables that no compiled code reads, and
/// nothing has to keep them up to date.
///
/// A key `k` has its place at `k >> shift & last`. What is there is the answer for `k` if `k & mask == value`; otherwise the
/// table has to be asked. If the key is not a [`WordKey`], there are shortcuts only while the table is empty, and the first
/// place is the answer for every key.
#[repr(C)]
pub struct Shortcuts {
    /// The address of `places`, or 0 if there are none.
    address: usize,
    shift: u64,
    /// The index of the last place, one less than a power of two.
    last: u64,
    /// The number of look-ups since the last change.
    asked: u64,
    /// The number of look-ups after which shortcuts are made; 0 for never.
    due: u64,
    places: Vec<Shortcut>,
}

/// Shortcuts of a clone are made when it is asked itself.
impl Clone for Shortcuts {
    fn clone(&self) -> Self {
        let due = if self.due == 0 { self.places.len() as u64 } else { self.due };
        Self { due, ..Self::none() }
    }
}

/// Shortcuts follow from the rest of the table, and whether there are any depends on who asked. So they are not shown: tables
/// with the same entries look alike.
impl fmt::Debug for Shortcuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shortcuts").finish_non_exhaustive()
    }
}

impl Shortcuts {
    /// The offset of the address of the first place in bytes; the address is 0 if there are no shortcuts.
    pub const ADDRESS: usize = offset_of!(Self, address);
    /// The offset of the number of bits by which a key is shifted.
    pub const SHIFT: usize = offset_of!(Self, shift);
    /// The offset of the index of the last place.
    pub const LAST: usize = offset_of!(Self, last);

    fn none() -> Self {
        Self { address: 0, shift: 0, last: 0, asked: 0, due: 0, places: Vec::new() }
    }

    /// Drops the shortcuts of a table that has changed and has this number of entries now, and counts look-ups anew.
    pub(super) fn drop_all(&mut self, key: Option<WordKey>, entries: usize) {
        let due = match key {
            Some(key) if entries <= MOST_ENTRIES => key.places(entries) as u64,
            _ => u64::from(entries == 0),
        };
        *self = Self { due, ..Self::none() };
    }

    /// Creates what a table without entries has.
    pub(super) fn new() -> Self {
        Self { due: 1, ..Self::none() }
    }

    /// Counts a look-up. Returns true if shortcuts are to be made now.
    #[inline]
    pub(super) fn ask(&mut self) -> bool {
        self.asked += 1;
        self.asked == self.due
    }

    /// Makes shortcuts. `entries` are all entries, each with the word of its key, the length of its prefix (64 if it is
    /// exact) and its target; `miss` is the target of a miss. Other values are those of [`Shortcut::new`].
    pub(super) fn of(
        key: Option<WordKey>,
        mut entries: Vec<(u64, u32, &TargetWords)>,
        miss: &TargetWords,
        data_words: &[usize],
    ) -> Self {
        let count = key.map_or(1, |key| key.places(entries.len()));
        let (last, depth) = (count as u64 - 1, count.trailing_zeros());
        let mut places = vec![None; count];
        let (mut width, mut shift) = (u64::BITS, 0);
        if let Some(WordKey::Prefix(own)) = key {
            width = own;
            entries.sort_by_key(|(_, length, _)| std::cmp::Reverse(*length));
            shift = shift_of(&entries, width, depth);
        }
        // The longest prefixes come first, so that a place has the answer of a prefix only if no longer one is in it.
        for (value, length, target) in entries {
            let mask = ones(width) ^ ones(width - length);
            let answer = Shortcut::new(mask, value, target, Shortcut::HIT, data_words).unwrap_or(Shortcut::NEVER);
            // The bits of the place that the prefix leaves open.
            let open = u64::from(width - length).saturating_sub(shift).min(depth.into());
            let first = (value >> shift & last) as usize;
            for place in &mut places[first..first + (1 << open)] {
                place.get_or_insert(answer);
            }
        }
        // No key that has an entry has its place where none is.
        let missed = Shortcut::new(0, 0, miss, 0, data_words);
        if key.is_none() && missed.is_none() {
            return Self::none();
        }
        let missed = missed.unwrap_or(Shortcut::NEVER);
        let places: Vec<Shortcut> = places.into_iter().map(|place| place.unwrap_or(missed)).collect();
        Self { address: places.as_ptr().expose_provenance(), shift, last, places, ..Self::none() }
    }
}

/// Returns by how many bits the values of `width` bits are shifted of which the lowest `depth` are then the index of a place.
/// The longest prefixes come first.
///
/// These bits begin where the longer half of the prefixes differ, since the others are defaults and aggregates, and end at the
/// latest with the longest prefix.
fn shift_of(entries: &[(u64, u32, &TargetWords)], width: u32, depth: u32) -> u64 {
    let longer = &entries[..entries.len().div_ceil(2)];
    let Some((first, longest, _)) = longer.first() else { return 0 };
    let different = longer.iter().fold(0, |bits, (value, ..)| bits | value ^ first);
    let bits = u64::BITS - different.leading_zeros();
    bits.saturating_sub(depth).max(width - longest).min(width - depth).into()
}

/// Returns a word whose lowest `bits` bits are set.
fn ones(bits: u32) -> u64 {
    u64::MAX.unbounded_shr(u64::BITS - bits)
}

#[cfg(test)]
mod tests;
