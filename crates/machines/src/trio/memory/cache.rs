//! The cache in front of the memory off chip (section 2.3: "a multi-megabyte on-chip cache").

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use ir::threads::LINE_BYTES;
use serde::{Deserialize, Serialize};

use super::parameters::MemoryParameters;
use super::statistics::CacheStatistics;

/// The cache of all banks, with the channel of each bank to the memory off chip.
///
/// Each bank has its lines in sets of as many lines as there are ways, and replaces the one that was used least recently. A
/// line that was changed is written back when it is replaced. An engine does not wait for a line: later requests for other
/// lines overtake, those for the same line get their replies when it has come. But a bank fetches only so many lines at once.
/// All of this is ours.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    banks: u32,
    sets: u32,
    ways: usize,
    /// The cycles from the request for a line to its arrival.
    fetch_cycles: u64,
    line_cycles: u64,
    /// The lines of all sets, those of a set from the most to the least recently used. The sets of a bank follow each other.
    lines: Vec<Line>,
    /// The cycle from which on the channel of each bank is free.
    channels: Vec<u64>,
    /// The lines that each bank fetches.
    fetches: Vec<Fetches>,
    statistics: CacheStatistics,
}

/// The lines that a bank has fetched last, as many as it can fetch at once. They come in the order in which they are asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fetches {
    /// The cycles in which the lines have come or will come, in a ring; 0 for none.
    ready: Vec<u64>,
    /// The place of the line that comes first, where the next one takes its place.
    first: usize,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Line {
    /// The number of the line in its bank plus 1; 0 if nothing is here.
    tag: u32,
    is_changed: bool,
    /// The cycle in which the line has come.
    ready: u64,
}

impl Cache {
    /// Creates an empty cache; without any room if the program has no memory off chip.
    pub fn new(parameters: &MemoryParameters, is_needed: bool) -> Self {
        let (banks, ways) = (parameters.banks, parameters.cache_ways as usize);
        let lines = parameters.cache_bytes / LINE_BYTES;
        let sets = (lines / u64::from(banks) / ways as u64).max(1) as u32;
        let room = if is_needed { banks as usize * sets as usize * ways } else { 0 };
        Self {
            banks,
            sets,
            ways,
            fetch_cycles: parameters.cycles(parameters.off_chip) - parameters.cycles(parameters.on_chip),
            line_cycles: parameters.line_cycles.into(),
            lines: vec![Line::default(); room],
            channels: vec![0; banks as usize],
            fetches: vec![
                Fetches { ready: vec![0; parameters.misses as usize], first: 0 };
                if is_needed { banks as usize } else { 0 }
            ],
            statistics: CacheStatistics::default(),
        }
    }

    /// Returns the lines of a set, and what a line of this number, in shared memory, has there as its tag.
    #[inline]
    fn set(&mut self, line: u32) -> (&mut [Line], u32) {
        let (bank, own) = (line % self.banks, line / self.banks);
        let set = (bank * self.sets + own % self.sets) as usize;
        (&mut self.lines[set * self.ways..][..self.ways], own + 1)
    }

    /// Returns the first cycle in which a line can be accessed: at once if it is there or on its way, and otherwise when its
    /// bank can fetch one more. Accesses must follow in the order of these calls.
    #[inline]
    pub fn possible(&mut self, line: u32) -> u64 {
        let (set, tag) = self.set(line);
        if set.iter().any(|line| line.tag == tag) {
            return 0;
        }
        let fetches = &self.fetches[(line % self.banks) as usize];
        fetches.ready[fetches.first]
    }

    /// Accesses a line of a bank in a cycle, and returns the cycle in which it is there. `line` is the number of the line in
    /// shared memory.
    #[inline]
    pub fn access(&mut self, line: u32, is_change: bool, cycle: u64) -> u64 {
        let bank = (line % self.banks) as usize;
        let (set, tag) = self.set(line);
        if let Some(place) = set.iter().position(|line| line.tag == tag) {
            set[..=place].rotate_right(1);
            let line = &mut set[0];
            line.is_changed |= is_change;
            let ready = line.ready;
            if ready > cycle {
                self.statistics.pending += 1;
            } else {
                self.statistics.hits += 1;
            }
            return ready.max(cycle);
        }
        set.rotate_right(1);
        let old = set[0];
        let channel = &mut self.channels[bank];
        let begins = cycle.max(*channel);
        *channel = begins + self.line_cycles;
        if old.tag != 0 && old.is_changed {
            // The old line follows the request for the new one.
            self.statistics.written_back += 1;
            *channel += self.line_cycles;
        }
        self.statistics.misses += 1;
        self.statistics.channel_waited += begins - cycle;
        let ready = begins + self.fetch_cycles;
        let fetches = &mut self.fetches[bank];
        fetches.ready[fetches.first] = ready;
        fetches.first = if fetches.first + 1 == fetches.ready.len() { 0 } else { fetches.first + 1 };
        self.set(line).0[0] = Line { tag, is_changed: is_change, ready };
        ready
    }

    /// Returns whether there is a cache, because the program has memory off chip.
    pub fn has_room(&self) -> bool {
        !self.lines.is_empty()
    }

    pub fn statistics(&self) -> CacheStatistics {
        self.statistics
    }
}

/// Only lines that are there are saved, with their places.
impl Snapshot for Cache {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let used = self.lines.iter().enumerate().filter(|(_, line)| line.tag != 0);
        let used: Vec<(u64, &Line)> = used.map(|(place, line)| (place as u64, line)).collect();
        into.put(&(used, &self.channels, &self.fetches, &self.statistics))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let unfit = || Unfit("the saved cache does not suit the chip".to_owned());
        let used: Vec<(u64, Line)>;
        let channels: Vec<u64>;
        let fetches: Vec<Fetches>;
        (used, channels, fetches, self.statistics) = from.take()?;
        let is_ours = |(saved, own): (&Fetches, &Fetches)| {
            saved.ready.len() == own.ready.len() && saved.first < saved.ready.len()
        };
        let suits = channels.len() == self.channels.len()
            && fetches.len() == self.fetches.len()
            && fetches.iter().zip(&self.fetches).all(is_ours);
        if !suits {
            return Err(unfit());
        }
        (self.channels, self.fetches) = (channels, fetches);
        self.lines.fill(Line::default());
        for (place, line) in used {
            let place = usize::try_from(place).map_err(|_| unfit())?;
            *self.lines.get_mut(place).ok_or_else(unfit)? = line;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache of 2 banks with 2 sets of 2 ways each; a line comes after 280 cycles.
    fn cache() -> Cache {
        let parameters =
            MemoryParameters { banks: 2, cache_ways: 2, cache_bytes: 8 * 64, ..MemoryParameters::default() };
        Cache::new(&parameters, true)
    }

    #[test]
    fn a_line_is_fetched_once_and_is_a_hit_when_it_has_come() {
        let mut cache = cache();
        assert_eq!(cache.access(0, false, 100), 380);
        assert_eq!(cache.access(0, false, 200), 380, "still on its way");
        assert_eq!(cache.access(0, false, 400), 400);
        let CacheStatistics { hits, pending, misses, written_back, .. } = cache.statistics();
        assert_eq!((hits, pending, misses, written_back), (1, 1, 1, 0));
    }

    #[test]
    fn the_least_recently_used_line_is_replaced_and_written_back_if_it_was_changed() {
        let mut cache = cache();
        // Lines 0, 4, 8 and 12 share a set of bank 0.
        cache.access(0, true, 0);
        cache.access(4, false, 1000);
        cache.access(0, false, 2000);
        cache.access(8, false, 3000);
        assert_eq!(cache.access(0, false, 4000), 4000, "line 4 was replaced");
        assert_eq!(cache.access(4, false, 5000), 5280, "line 8 is replaced");
        assert_eq!(cache.statistics().written_back, 0);
        // Line 0 is replaced next.
        cache.access(12, false, 6000);
        assert_eq!(cache.statistics().written_back, 1);
        // The channel was taken for two lines from 6000 on.
        assert_eq!(cache.access(16, false, 6001), 6008 + 280);
        assert_eq!(cache.access(1, false, 6001), 6001 + 280, "the other bank has its own");
        assert_eq!(cache.statistics().channel_waited, 7);
    }

    #[test]
    fn a_cache_is_saved_and_restored() {
        let mut one = cache();
        (0..40).for_each(|line| _ = one.access(line * 7 % 20, line % 3 == 0, u64::from(line) * 50));
        let mut saver = Saver::default();
        one.save(&mut saver).unwrap();
        let bytes = saver.into_bytes();
        let mut other = cache();
        other.access(3, true, 5);
        other.restore(&mut Loader::new(&bytes)).unwrap();
        let go_on = |mut cache: Cache| (0..40).map(|line| cache.access(line * 3 % 20, false, 3000)).collect::<Vec<_>>();
        assert_eq!(go_on(one), go_on(other));
        assert!(Cache::new(&MemoryParameters::default(), false).restore(&mut Loader::new(&bytes)).is_err());
    }
}
