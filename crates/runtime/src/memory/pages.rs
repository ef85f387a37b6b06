//! The contents of a segment, in pages that exist when they have been written.

use std::collections::BTreeSet;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

/// The number of bytes of a page, a multiple of a line.
const PAGE: u64 = 4096;
/// The number of pages of a group.
const GROUP: usize = 512;

type Page = Box<[u8]>;
type Group = Box<[Option<Page>]>;

#[derive(Clone, Debug, Default)]
pub(super) struct Pages {
    /// The number of the first page.
    first: u64,
    /// What every word is that was never written.
    fill: u64,
    /// The pages from the first one on, in groups.
    groups: Vec<Option<Group>>,
}

impl Pages {
    /// Creates the contents of a segment that begins at `address`: the same word everywhere.
    pub fn new(address: u64, fill: u64) -> Self {
        Self { first: address / PAGE, fill, groups: Vec::new() }
    }

    #[inline]
    fn page(&self, page: u64) -> Option<&[u8]> {
        let place = (page - self.first) as usize;
        self.groups.get(place / GROUP)?.as_ref()?[place % GROUP].as_deref()
    }

    #[inline]
    fn page_mut(&mut self, page: u64) -> &mut [u8] {
        let place = (page - self.first) as usize;
        if self.groups.len() <= place / GROUP {
            self.groups.resize_with(place / GROUP + 1, || None);
        }
        let group = self.groups[place / GROUP].get_or_insert_with(|| vec![None; GROUP].into_boxed_slice());
        let fill = self.fill;
        group[place % GROUP].get_or_insert_with(|| fill.to_be_bytes().repeat(PAGE as usize / 8).into_boxed_slice())
    }

    /// Returns bytes of one page.
    #[inline]
    pub fn line_mut(&mut self, address: u64, bytes: usize) -> &mut [u8] {
        let at = (address % PAGE) as usize;
        &mut self.page_mut(address / PAGE)[at..at + bytes]
    }

    pub fn read(&self, address: u64, into: &mut [u8]) {
        let mut at = address;
        let mut rest = into;
        while !rest.is_empty() {
            let from = (at % PAGE) as usize;
            let (now, later) = rest.split_at_mut(rest.len().min(PAGE as usize - from));
            match self.page(at / PAGE) {
                Some(page) => now.copy_from_slice(&page[from..from + now.len()]),
                None => self.fill_in(from, now),
            }
            at += now.len() as u64;
            rest = later;
        }
    }

    /// Writes what memory is that was never written; `from` is the place in the page.
    fn fill_in(&self, from: usize, into: &mut [u8]) {
        let word = self.fill.to_be_bytes();
        into.iter_mut().enumerate().for_each(|(place, byte)| *byte = word[(from + place) % 8]);
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut at = address;
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = (PAGE - at % PAGE) as usize;
            let (now, later) = rest.split_at(rest.len().min(room));
            self.line_mut(at, now.len()).copy_from_slice(now);
            at += now.len() as u64;
            rest = later;
        }
    }

    /// Returns the pages that exist, in order, with their numbers from the first page on.
    fn written(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let groups = self.groups.iter().enumerate().filter_map(|(number, group)| Some((number, group.as_ref()?)));
        groups.flat_map(|(number, group)| {
            let pages = group.iter().enumerate();
            pages.filter_map(move |(place, page)| Some(((number * GROUP + place) as u64, page.as_deref()?)))
        })
    }

    /// Returns the words that are not what every word was at first, in order, each with its address.
    pub fn written_words(&self) -> impl Iterator<Item = (u64, u64)> {
        self.written().flat_map(|(place, page)| {
            let words = page.chunks_exact(8).map(|word| u64::from_be_bytes(word.try_into().expect("eight bytes")));
            let first = (self.first + place) * PAGE;
            let words = (0..).zip(words).filter(|(_, word)| *word != self.fill);
            words.map(move |(number, word)| (first + 8 * number, word))
        })
    }

    pub fn memory(&self) -> usize {
        let groups = self.groups.iter().flatten().count() * GROUP * size_of::<Option<Page>>();
        groups + self.written().count() * PAGE as usize + self.groups.capacity() * size_of::<Option<Group>>()
    }

    /// Returns the words that differ, in order: the address, the own word and the other one.
    pub fn differences(&self, other: &Self) -> impl Iterator<Item = (u64, u64, u64)> {
        let pages = self.written().chain(other.written()).map(|(place, _)| place);
        let pages: BTreeSet<u64> = pages.collect();
        pages.into_iter().flat_map(|place| {
            let address = (self.first + place) * PAGE;
            let (mut own, mut others) = ([0; PAGE as usize], [0; PAGE as usize]);
            self.read(address, &mut own);
            other.read(address, &mut others);
            let word = |bytes: &[u8; PAGE as usize], at: usize| {
                u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
            };
            let places = (0..PAGE as usize).step_by(8);
            let words = places.map(move |at| (address + at as u64, word(&own, at), word(&others, at)));
            words.filter(|(_, own, other)| own != other)
        })
    }

    /// Returns the address of the first byte that differs.
    pub fn first_difference(&self, other: &Self) -> Option<u64> {
        let (address, own, other) = self.differences(other).next()?;
        Some(address + u64::from((own ^ other).leading_zeros() / 8))
    }
}

impl PartialEq for Pages {
    fn eq(&self, other: &Self) -> bool {
        (self.first, self.fill) == (other.first, other.fill) && self.first_difference(other).is_none()
    }
}

impl Eq for Pages {}

/// Saves the pages that exist, with their numbers.
impl Snapshot for Pages {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&(self.written().count() as u64))?;
        self.written().try_for_each(|(place, page)| into.put(&(place, page)))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        /// The greatest number of a page of a segment, at 2^36 bytes.
        const LAST: u64 = (1 << 36) / PAGE;
        self.groups.clear();
        for _ in 0..from.take::<u64>()? {
            let (place, bytes): (u64, Vec<u8>) = from.take()?;
            if place > LAST || bytes.len() != PAGE as usize {
                return Err(Unfit("a page of shared memory is not where it can be".to_owned()));
            }
            self.page_mut(self.first + place).copy_from_slice(&bytes);
        }
        Ok(())
    }
}
