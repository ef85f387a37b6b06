//! Action sets: groups without a name, each of which belongs to one table entry (P4Runtime specification 1.4, section
//! 9.2.3, "One Shot Action Selector Programming").

use serde::{Deserialize, Serialize};

use super::Member;
use super::down_ports::DownPorts;
use super::selection::{Selection, SelectionMode};

/// An action of an action set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WeightedMember {
    /// The action with its arguments.
    pub member: Member,
    /// The weight, at least 1: the action is selected as if it were in the set this many times.
    pub weight: u32,
    /// The port that must be up for the action to be selected; with `None` it always can be.
    pub watch_port: Option<u32>,
}

/// An action set as it was written, and what can be selected from it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ActionSet {
    /// The actions in the order in which they were given.
    pub(super) actions: Vec<WeightedMember>,
    /// Positions in `actions`.
    selection: Selection,
}

impl ActionSet {
    pub(super) fn new(actions: Vec<WeightedMember>, down: &DownPorts) -> Self {
        let mut set = Self { actions, selection: Selection::default() };
        set.select(down);
        set
    }

    /// Works out anew what can be selected.
    pub(super) fn select(&mut self, down: &DownPorts) {
        // Actions have no numbers, so that a resilient selection knows them by their places.
        let choices = (0..).zip(&self.actions).map(|(place, action)| (place, action.weight, action.watch_port));
        self.selection = Selection::of(choices, down);
    }

    /// Returns whether an action depends on a port.
    pub(super) fn watches(&self, port: u32) -> bool {
        self.actions.iter().any(|action| action.watch_port == Some(port))
    }

    /// Returns the action that a hash selects.
    #[inline]
    pub(super) fn choose(&self, mode: SelectionMode, hash: u64) -> Option<&Member> {
        self.selection.choose(mode, hash).map(|place| &self.actions[place].member)
    }
}
