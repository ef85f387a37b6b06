//! What the chip does later: packets between its parts, in the order of their times.

use std::collections::BTreeMap;

use basis::Instant;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Things to be done at a time. Those of one time are done in the order in which they were added.
#[derive(Debug)]
pub(super) struct Agenda<T> {
    all: BTreeMap<(Instant, u64), T>,
    added: u64,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Self { all: BTreeMap::new(), added: 0 }
    }
}

impl<T> Agenda<T> {
    pub(super) fn add(&mut self, at: Instant, what: T) {
        self.all.insert((at, self.added), what);
        self.added += 1;
    }

    /// Returns the time of what is to be done first.
    pub(super) fn next(&self) -> Option<Instant> {
        self.all.first_key_value().map(|((at, _), _)| *at)
    }

    /// Takes what is to be done first, with its time, if it is to be done by now.
    pub(super) fn due(&mut self, now: Instant) -> Option<(Instant, T)> {
        let first = self.all.first_entry().filter(|first| first.key().0 <= now)?;
        Some((first.key().0, first.remove()))
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

impl<T: Serialize + DeserializeOwned> basis::snapshot::Snapshot for Agenda<T> {
    fn save(&self, into: &mut basis::snapshot::Saver) -> Result<(), basis::snapshot::Unfit> {
        into.put(&self.added)?;
        into.put(&self.all.iter().collect::<Vec<_>>())
    }

    fn restore(&mut self, from: &mut basis::snapshot::Loader<'_>) -> Result<(), basis::snapshot::Unfit> {
        self.added = from.take()?;
        let all: Vec<((Instant, u64), T)> = from.take()?;
        self.all = all.into_iter().collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_first_is_due_first_and_what_was_added_first_among_equals() {
        let mut agenda = Agenda::default();
        let at = Instant::from_picoseconds;
        [(5, 'b'), (5, 'c'), (3, 'a'), (9, 'd')].into_iter().for_each(|(time, what)| agenda.add(at(time), what));
        assert_eq!(agenda.next(), Some(at(3)));
        let due: Vec<_> = std::iter::from_fn(|| agenda.due(at(5))).collect();
        assert_eq!(due, [(at(3), 'a'), (at(5), 'b'), (at(5), 'c')]);
        assert_eq!(agenda.next(), Some(at(9)));
    }
}
