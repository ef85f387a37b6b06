//! The index from message numbers to the handles of unfinished messages.

use std::collections::VecDeque;

use crate::slots::Handle;
use serde::{Deserialize, Serialize};

/// A map from the numbers of unfinished messages to their handles. Since hosts assign numbers in ascending order, it is
/// a window over the numbers and needs no hashing.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Numbers {
    first: u32,
    handles: VecDeque<Option<Handle>>,
}

impl Numbers {
    /// Adds a message.
    ///
    /// # Panics
    /// If a message with this or a higher number was added before.
    pub fn insert(&mut self, number: u32, handle: Handle) {
        if self.handles.is_empty() {
            self.first = self.first.max(number);
        }
        let index = number.checked_sub(self.first).expect("numbers of messages ascend") as usize;
        assert!(index >= self.handles.len(), "numbers of messages ascend");
        self.handles.resize(index, None);
        self.handles.push_back(Some(handle));
    }

    pub fn get(&self, number: u32) -> Option<Handle> {
        let index = number.checked_sub(self.first)?;
        *self.handles.get(index as usize)?
    }

    pub fn remove(&mut self, number: u32) {
        let Some(index) = number.checked_sub(self.first) else { return };
        if let Some(place) = self.handles.get_mut(index as usize) {
            *place = None;
        }
        while let Some(None) = self.handles.front() {
            self.handles.pop_front();
            self.first += 1;
        }
    }

    /// Returns the oldest number that is not finished; if all are finished, a lower bound for the numbers to come.
    pub fn oldest(&self) -> u32 {
        self.first
    }
}
