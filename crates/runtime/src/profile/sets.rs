//! The action sets of a profile, each of which belongs to one table entry.

use super::action_set::ActionSet;
use super::{Member, Profile, ProfileSize, WeightedMember};

impl Profile {
    /// Adds an action set and returns its number, to which the target of one entry refers: the least that no set has.
    pub fn insert_set(&mut self, actions: Vec<WeightedMember>) -> u32 {
        let number = self.unused_sets.first().copied().unwrap_or(self.sets.len() as u32);
        self.restore_set(number, actions);
        number
    }

    /// Removes an action set and returns its actions; `None` if it does not exist.
    pub fn remove_set(&mut self, number: u32) -> Option<Vec<WeightedMember>> {
        let set = self.sets.get_mut(number as usize)?.take()?;
        self.size.subtract(set.actions.iter().map(|action| action.weight));
        self.unused_sets.insert(number);
        // No number is kept beyond the last set, so that only the sets there are decide which number is next.
        while self.sets.last().is_some_and(Option::is_none) {
            self.sets.pop();
            self.unused_sets.remove(&(self.sets.len() as u32));
        }
        Some(set.actions)
    }

    /// Puts an action set under a number that no set has, such as the one that it had before it was removed.
    ///
    /// # Panics
    /// Panics if a set has the number.
    pub fn restore_set(&mut self, number: u32, actions: Vec<WeightedMember>) {
        while self.sets.len() <= number as usize {
            self.unused_sets.insert(self.sets.len() as u32);
            self.sets.push(None);
        }
        assert!(self.unused_sets.remove(&number), "no action set has this number");
        self.size.add(actions.iter().map(|action| action.weight));
        self.sets[number as usize] = Some(ActionSet::new(actions, &self.down));
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
        self.sets.get(number as usize)?.as_ref()?.choose(self.mode, hash)
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
