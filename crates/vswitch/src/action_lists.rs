//! Lists of actions that sessions share.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::action::Action;

/// The number of a list of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListNumber(u32);

/// The lists of actions that sessions have. Equal lists are stored once, for most sessions of a pair of hosts have the same.
#[derive(Debug, Default)]
pub struct ActionLists {
    lists: Vec<Held>,
    free: Vec<u32>,
    numbers: BTreeMap<Arc<[Action]>, u32>,
}

#[derive(Debug)]
struct Held {
    actions: Arc<[Action]>,
    /// The number of directions of sessions that have the list.
    uses: u32,
}

impl ActionLists {
    /// Returns the number of a list, which is used once more.
    pub fn hold(&mut self, actions: &[Action]) -> ListNumber {
        if let Some(&number) = self.numbers.get(actions) {
            self.lists[number as usize].uses += 1;
            return ListNumber(number);
        }
        let held = Held { actions: actions.into(), uses: 1 };
        let actions = Arc::clone(&held.actions);
        let number = match self.free.pop() {
            Some(number) => {
                self.lists[number as usize] = held;
                number
            }
            None => {
                self.lists.push(held);
                (self.lists.len() - 1) as u32
            }
        };
        self.numbers.insert(actions, number);
        ListNumber(number)
    }

    /// Returns a list.
    pub fn get(&self, list: ListNumber) -> &[Action] {
        &self.lists[list.0 as usize].actions
    }

    /// Returns a list that others may hold too.
    pub fn shared(&self, list: ListNumber) -> Arc<[Action]> {
        Arc::clone(&self.lists[list.0 as usize].actions)
    }

    /// Releases a list that was held.
    pub fn release(&mut self, list: ListNumber) {
        let held = &mut self.lists[list.0 as usize];
        held.uses -= 1;
        if held.uses == 0 {
            let actions: Arc<[Action]> = std::mem::replace(&mut held.actions, [].into());
            self.numbers.remove(&actions);
            self.free.push(list.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_stored_once_until_nobody_has_them() {
        let mut lists = ActionLists::default();
        let one = [Action::DecrementTimeToLive, Action::Deliver { vnic: 1 }];
        let other = [Action::Deliver { vnic: 1 }];
        let (first, second, third) = (lists.hold(&one), lists.hold(&other), lists.hold(&one));
        assert_eq!((first, lists.numbers.len()), (third, 2));
        lists.release(first);
        assert_eq!((lists.get(third), lists.get(second)), (&one[..], &other[..]));
        lists.release(third);
        assert_eq!(lists.numbers.len(), 1);
        assert_eq!(lists.hold(&one), first, "the place is used again");
        lists.release(second);
        lists.release(first);
        assert!(lists.numbers.is_empty());
    }
}
