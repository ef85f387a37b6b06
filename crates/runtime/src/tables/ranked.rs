//! Entries of which several can match, in the order in which they win.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::field::prefix_mask;
use super::{Entry, EntryHandle, FieldMatch, KeyField};
use crate::Bits;

/// Entries in the order in which they win: a look-up tries one after the other.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// Entries have priorities. If not, the lengths of their prefixes decide.
    has_priorities: bool,
    rules: Vec<Rule>,
    /// Entries by what they ask for and their priority.
    handles: FxHashMap<(Vec<FieldMatch>, u32), EntryHandle>,
}

#[derive(Clone, Debug)]
struct Rule {
    /// The least wins: the greatest strength, then the earliest entry.
    rank: (Reverse<u64>, EntryHandle),
    /// All of these hold for a key that matches. Fields of which nothing is asked have none.
    tests: Box<[(usize, Test)]>,
}

/// What is asked of one field, in the form that is quickest to decide.
#[derive(Clone, Debug)]
enum Test {
    Mask { value: u64, mask: u64 },
    Range { low: u64, high: u64 },
    Wide { asked: FieldMatch, width: u32 },
}

impl Test {
    fn of(asked: &FieldMatch, width: u32) -> Option<Self> {
        Some(match asked {
            FieldMatch::Any => return None,
            _ if width > 64 => Self::Wide { asked: asked.clone(), width },
            FieldMatch::Exact(value) => Self::Mask { value: value.low(), mask: u64::MAX },
            FieldMatch::Prefix { value, length } => {
                Self::Mask { value: value.low(), mask: prefix_mask(*length, width).low() }
            }
            FieldMatch::Mask { value, mask } => Self::Mask { value: value.low(), mask: mask.low() },
            FieldMatch::Range { low, high } => Self::Range { low: low.low(), high: high.low() },
        })
    }

    #[inline]
    fn holds(&self, field: &Bits) -> bool {
        match self {
            Self::Mask { value, mask } => field.low() & mask == *value,
            Self::Range { low, high } => (*low..=*high).contains(&field.low()),
            Self::Wide { asked, width } => asked.matches(field, *width),
        }
    }
}

impl Ranked {
    pub(super) fn new(has_priorities: bool) -> Self {
        Self { has_priorities, rules: Vec::new(), handles: FxHashMap::default() }
    }

    #[inline]
    pub(super) fn lookup(&self, key: &[Bits]) -> Option<EntryHandle> {
        let matches = |rule: &&Rule| rule.tests.iter().all(|(place, test)| test.holds(&key[*place]));
        self.rules.iter().find(matches).map(|rule| rule.rank.1)
    }

    pub(super) fn find(&self, key: &[FieldMatch], priority: u32) -> Option<EntryHandle> {
        self.handles.get(&(key.to_vec(), priority)).copied()
    }

    pub(super) fn insert(&mut self, fields: &[KeyField], entry: &Entry, handle: EntryHandle) {
        let tests = entry.key.iter().zip(fields).enumerate();
        let tests = tests.filter_map(|(place, (asked, field))| Some((place, Test::of(asked, field.width)?))).collect();
        let rank = self.rank(entry, handle);
        let place = self.rules.partition_point(|rule| rule.rank < rank);
        self.rules.insert(place, Rule { rank, tests });
        self.handles.insert((entry.key.clone(), entry.priority), handle);
    }

    pub(super) fn remove(&mut self, entry: &Entry, handle: EntryHandle) {
        let rank = self.rank(entry, handle);
        if let Ok(place) = self.rules.binary_search_by(|rule| rule.rank.cmp(&rank)) {
            self.rules.remove(place);
        }
        self.handles.remove(&(entry.key.clone(), entry.priority));
    }

    fn rank(&self, entry: &Entry, handle: EntryHandle) -> (Reverse<u64>, EntryHandle) {
        let prefix = |asked: &FieldMatch| match asked {
            FieldMatch::Prefix { length, .. } => u64::from(*length),
            _ => 0,
        };
        let strength = match self.has_priorities {
            true => u64::from(entry.priority),
            false => entry.key.iter().map(prefix).sum(),
        };
        (Reverse(strength), handle)
    }
}
