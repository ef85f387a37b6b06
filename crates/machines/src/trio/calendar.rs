//! What happens when: a wheel of the next cycles, and a list of later ones.

use std::collections::BTreeMap;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The number of cycles that the wheel covers: a power of two. Instructions and accesses to memory take fewer.
const SPAN: u64 = 4096;

/// Events by the cycle in which they happen; those of one cycle happen in the order in which they were added. An event of the
/// wheel costs no allocation once its cycle's place has been used.
#[derive(Debug)]
pub(super) struct Calendar<T> {
    /// The first cycle whose events have not been taken.
    cycle: u64,
    /// The events of the cycles from `cycle` on, each at its number modulo [`SPAN`].
    wheel: Vec<Vec<T>>,
    /// Which places of the wheel have events, a bit each.
    occupied: [u64; (SPAN / 64) as usize],
    /// The events of later cycles, with the order in which they were added.
    later: BTreeMap<(u64, u64), T>,
    added: u64,
    length: usize,
}

impl<T> Default for Calendar<T> {
    fn default() -> Self {
        let wheel = std::iter::repeat_with(Vec::new).take(SPAN as usize).collect();
        Self { cycle: 0, wheel, occupied: [0; (SPAN / 64) as usize], later: BTreeMap::new(), added: 0, length: 0 }
    }
}

impl<T> Calendar<T> {
    /// Adds an event, which happens in the present cycle if its own has passed.
    #[inline]
    pub(super) fn add(&mut self, cycle: u64, event: T) {
        let cycle = cycle.max(self.cycle);
        self.length += 1;
        if cycle - self.cycle < SPAN {
            self.place(cycle, event);
        } else {
            self.later.insert((cycle, self.added), event);
            self.added += 1;
        }
    }

    #[inline]
    fn place(&mut self, cycle: u64, event: T) {
        let place = (cycle % SPAN) as usize;
        self.occupied[place / 64] |= 1 << (place % 64);
        self.wheel[place].push(event);
    }

    /// Returns the next cycle that has events.
    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        if self.length == 0 {
            return None;
        }
        let start = (self.cycle % SPAN) as usize;
        let words = self.occupied.len();
        let mut word = self.occupied[start / 64] & u64::MAX << (start % 64);
        for step in 0..=words {
            if word != 0 {
                let place = ((start / 64 + step) % words * 64) as u64 + u64::from(word.trailing_zeros());
                return Some(self.cycle + (place + SPAN - start as u64) % SPAN);
            }
            // The word of the start comes again at the end, for the cycles just before a full turn.
            word = self.occupied[(start / 64 + step + 1) % words];
        }
        self.later.first_key_value().map(|((cycle, _), _)| *cycle)
    }

    /// Moves on to a cycle, before which nothing must be left, and exchanges its events for the empty list `into`. Events
    /// that are added to this cycle from now on are taken by another call.
    #[inline]
    pub(super) fn take(&mut self, cycle: u64, into: &mut Vec<T>) {
        debug_assert!(into.is_empty() && self.next().is_none_or(|next| next >= cycle));
        self.cycle = cycle;
        while let Some(first) = self.later.first_entry()
            && first.key().0 - cycle < SPAN
        {
            let ((at, _), event) = first.remove_entry();
            self.place(at, event);
        }
        let place = (cycle % SPAN) as usize;
        std::mem::swap(&mut self.wheel[place], into);
        self.occupied[place / 64] &= !(1 << (place % 64));
        self.length -= into.len();
    }

    /// Returns the number of events.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.length
    }
}

impl<T: Serialize + DeserializeOwned> Snapshot for Calendar<T> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let near = (self.cycle..self.cycle.saturating_add(SPAN))
            .flat_map(|cycle| self.wheel[(cycle % SPAN) as usize].iter().map(move |event| (cycle, event)));
        into.put(&self.cycle)?;
        into.put(&near.chain(self.later.iter().map(|((cycle, _), event)| (*cycle, event))).collect::<Vec<_>>())
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        *self = Self { cycle: from.take()?, ..Self::default() };
        let all: Vec<(u64, T)> = from.take()?;
        all.into_iter().for_each(|(cycle, event)| self.add(cycle, event));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use basis::Random;

    use super::*;

    /// Near and far events come in the order of their cycles, and within a cycle of a near one in the order of their adding.
    #[test]
    fn events_come_in_the_order_of_their_cycles() {
        let mut random = Random::new(1);
        let (mut calendar, mut expected) = (Calendar::default(), BTreeMap::new());
        let (mut now, mut number, mut taken) = (0, 0_u64, Vec::new());
        for _ in 0..20_000 {
            for _ in 0..random.below(3) {
                let far = if random.chance(0.1) { 20_000 } else { 300 };
                let at = now + random.below(far);
                calendar.add(at, (at, number));
                expected.insert((at, number), ());
                number += 1;
            }
            let next = calendar.next();
            assert_eq!(next, expected.first_key_value().map(|((at, _), ())| *at));
            if let Some(next) = next.filter(|_| random.chance(0.9)) {
                now = next;
                taken.clear();
                calendar.take(now, &mut taken);
                assert!(!taken.is_empty());
                for event in &taken {
                    assert_eq!(event.0, now);
                    assert!(expected.remove(event).is_some());
                }
            }
        }
        assert_eq!(calendar.len(), expected.len());
    }

    #[test]
    fn a_calendar_goes_on_where_it_was_saved() {
        let mut calendar = Calendar::default();
        let cycles = [7_u64, 3, 3, 4098, 100_000, 4099, 7];
        cycles.iter().enumerate().for_each(|(number, cycle)| calendar.add(*cycle, number));
        let all = |calendar: &mut Calendar<usize>| {
            let mut taken = Vec::new();
            std::iter::from_fn(|| {
                let next = calendar.next()?;
                taken.clear();
                calendar.take(next, &mut taken);
                Some((next, taken.clone()))
            })
            .collect::<Vec<_>>()
        };
        let mut saver = Saver::default();
        calendar.save(&mut saver).expect("plain values");
        let mut other = Calendar::default();
        other.restore(&mut Loader::new(&saver.into_bytes())).expect("what was saved");
        let expected = vec![(3, vec![1, 2]), (7, vec![0, 6]), (4098, vec![3]), (4099, vec![5]), (100_000, vec![4])];
        assert_eq!(all(&mut calendar), expected);
        assert_eq!(all(&mut other), expected);
    }
}
