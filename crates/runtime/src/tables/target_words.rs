//! Targets of entries as words, from which executors copy.

use super::Target;
use crate::Bits;

/// The maximum number of words of data that are stored inline, enough for the port and the two addresses of a route.
const SHORT: usize = 3;

/// A [`Target`] in words, converted once when the control plane writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TargetWords {
    /// An action runs.
    Action(ActionWords),
    /// The action of a member of the table's action profile runs: see [`crate::Profile::member_words`].
    Member(u32),
    /// The action of a member of a group of the table's action selector runs; a hash selects the member.
    Group(u32),
    /// An action of a set of the table's action selector runs; a hash selects it.
    ActionSet(u32),
}

/// An action with its data in words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActionWords(Layout);

/// Short data is stored inline, so that it is in the same cache line as the action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Layout {
    Short { length: u8, action: u32, words: [u64; SHORT] },
    Long { action: u32, words: Box<[u64]> },
}

impl TargetWords {
    /// Converts a target to words.
    pub fn of(target: &Target) -> Self {
        match target {
            Target::Action { action, data } => Self::Action(ActionWords::new(*action, data)),
            Target::Member(member) => Self::Member(*member),
            Target::Group(group) => Self::Group(*group),
            Target::ActionSet(set) => Self::ActionSet(*set),
        }
    }
}

impl ActionWords {
    /// Converts an action, given by its index in the table's list of actions, and its data to words.
    pub fn new(action: u32, data: &[Bits]) -> Self {
        let all = || data.iter().flat_map(Bits::limbs).copied();
        let length = all().count();
        if length > SHORT {
            return Self(Layout::Long { action, words: all().collect() });
        }
        let mut words = [0; SHORT];
        words.iter_mut().zip(all()).for_each(|(place, word)| *place = word);
        Self(Layout::Short { length: length as u8, action, words })
    }

    /// Returns the index of the action in the table's list of actions.
    #[inline]
    pub fn action(&self) -> u32 {
        match self.0 {
            Layout::Short { action, .. } | Layout::Long { action, .. } => action,
        }
    }

    /// Returns the concatenated values of its data, each as `width.div_ceil(64)` words, the least significant word
    /// first. A value of no bits takes one word, as in [`Bits::limbs`].
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Layout::Short { length, words, .. } => &words[..usize::from(*length)],
            Layout::Long { words, .. } => words,
        }
    }
}
