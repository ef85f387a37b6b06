//! The action sets of a profile, each of which belongs to one table entry.

use super::action_set::ActionSet;
use super::{Member, Profile, ProfileSize, WeightedMember};

impl Profile {
    /// Adds an action set and returns its number, to which the target of one entry refers.
    pub fn insert_set(&mut self, actions: Vec<WeightedMember>) -> u32 {
        self.size.add(actions.iter().map(|action| action.weight));
        let number = self.unused_sets.pop().unwrap_or_else(|| {
            self.sets.push(None);
            self.sets.len() as u32 - 1
        });
        self.sets[number as usize] = Some(ActionSet::new(actions, &self.down));
        number
    }

    /// Removes an action set and returns its actions; `None` if it does not exist.
    pub fn remove_set(&mut self, number: u32) -> Option<Vec<WeightedMember>> {
        let set = self.sets.get_mut(number as usize)?.take()?;
        self.size.subtract(set.actions.iter().map(|action| action.weight));
        // Removing the set that was inserted last leaves everything as it was before.
        match number as usize + 1 == self.sets.len() {
            true => _ = self.sets.pop(),
            false => self.unused_sets.push(number),
        }
        Some(set.actions)
    }

    /// Puts an action set that was removed back under its number. Later insertions and removals must have been undone.
    ///
    /// # Panics
    /// Panics if the number is not the one that the next set gets.
    pub fn restore_set(&mut self, number: u32, actions: Vec<WeightedMember>) {
        // A number that is both unused and beyond the end was given back last by the removal that is undone.
        if number as usize == self.sets.len() {
            self.sets.push(None);
            self.unused_sets.push(number);
        }
        let restored = self.insert_set(actions);
        assert_eq!(restored, number, "sets are put back in the reverse order of their removal");
    }

    /// Returns the actions of a set, in the order in which they were given.
    pub fn set(&self, number: u32) -> Option<&[WeightedMember]> {
        self.sets.get(number as usize)?.as_ref().map(|set| set.actions.as_slice())
    }

    /// Returns the number of action sets.
    pub fn count_sets(&self) -> usize {
        self.sets.len() - self.unused_sets.len()
    }

    /// Returns the action of a set that a hash selects, by the rule of [`Profile::choose`].
    #[inline]
    pub fn choose_of_set(&self, number: u32, hash: u64) -> Option<&Member> {
        self.sets.get(number as usize)?.as_ref()?.choose(hash)
    }
}

impl ProfileSize {
    /// Adds members with these weights.
    pub(super) fn add(&mut self, weights: impl Iterator<Item = u32>) {
        for weight in weights {
            self.members += 1;
            self.weights += u64::from(weight);
        }
    }

    /// Takes away members with these weights.
    pub(super) fn subtract(&mut self, weights: impl Iterator<Item = u32>) {
        for weight in weights {
            self.members -= 1;
            self.weights -= u64::from(weight);
        }
    }
}

/// The size of members with these weights.
impl FromIterator<u32> for ProfileSize {
    fn from_iter<W: IntoIterator<Item = u32>>(weights: W) -> Self {
        let mut size = Self::default();
        size.add(weights.into_iter());
        size
    }
}
