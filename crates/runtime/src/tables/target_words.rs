//! What happens to a packet, in the form that executors on words copy from.

use super::Target;
use crate::Bits;

/// The most words of data that lie within an action's words themselves: the port and the two addresses of a route.
const SHORT: usize = 3;

/// [`Target`] in words, made once when the control plane writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TargetWords {
    /// An action runs.
    Action(ActionWords),
    /// The action of a member of the table's action profile runs: [`crate::Profile::member_words`].
    Member(u32),
    /// The action of one member of a group of the table's action selector runs, chosen by a hash.
    Group(u32),
}

/// An action with its data in words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActionWords(Layout);

/// Few words lie here, so that who has found the action has its data in the same cache line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Layout {
    Short { length: u8, action: u32, words: [u64; SHORT] },
    Long { action: u32, words: Box<[u64]> },
}

impl TargetWords {
    /// The words of a target.
    pub fn of(target: &Target) -> Self {
        match target {
            Target::Action { action, data } => Self::Action(ActionWords::new(*action, data)),
            Target::Member(member) => Self::Member(*member),
            Target::Group(group) => Self::Group(*group),
        }
    }
}

impl ActionWords {
    /// The words of an action's number in the table's list of actions and of its data.
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

    /// The action's number in the table's list of actions.
    #[inline]
    pub fn action(&self) -> u32 {
        match self.0 {
            Layout::Short { action, .. } | Layout::Long { action, .. } => action,
        }
    }

    /// The values of its data one behind the other, each as `width.div_ceil(64)` words (a value of no bits as one, as
    /// [`Bits::limbs`] has it), the lowest word first.
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Layout::Short { length, words, .. } => &words[..usize::from(*length)],
            Layout::Long { words, .. } => words,
        }
    }
}
