//! Which blocks are under way, and when they are sent again.

use std::collections::{BTreeSet, VecDeque};

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

/// The window of blocks: those before `first` are over, those from `next` on have not been sent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Blocks {
    first: u32,
    next: u32,
    /// What is known of the blocks from `first` on; nothing of those behind its end.
    states: VecDeque<State>,
    /// When each block under way is due to be sent again.
    due: BTreeSet<(Instant, u32)>,
    /// The blocks to send again.
    again: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct State {
    is_over: bool,
    times_sent: u32,
    due: Option<Instant>,
}

impl Blocks {
    /// Returns the first block that is not over.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Returns how often the first block that is not over was sent.
    pub fn times_sent(&self) -> u32 {
        self.states.front().map_or(0, |state| state.times_sent)
    }

    /// Returns true if a block is over.
    pub fn is_over(&self, block: u32) -> bool {
        block < self.first || self.states.get((block - self.first) as usize).is_some_and(|state| state.is_over)
    }

    /// Returns true if there is a block to send, where those before `end` exist and `window` may be under way.
    pub fn can_send(&self, window: u16, end: u32) -> bool {
        !self.again.is_empty() || self.next < end && self.next - self.first < u32::from(window)
    }

    /// Returns the next block to send, and whether it has been sent before.
    pub fn send(&mut self, now: Instant, window: u16, end: u32, timeout: Option<Duration>) -> Option<(u32, bool)> {
        while let Some(block) = self.again.pop_front() {
            if !self.is_over(block) {
                self.note(now, block, timeout);
                return Some((block, true));
            }
        }
        while self.next < end && self.next - self.first < u32::from(window) {
            let block = self.next;
            self.next += 1;
            // The result may have come before: others ended the block without this worker.
            if !self.is_over(block) {
                self.note(now, block, timeout);
                return Some((block, false));
            }
        }
        None
    }

    fn note(&mut self, now: Instant, block: u32, timeout: Option<Duration>) {
        let state = self.state(block);
        let due = timeout.map(|timeout| now + timeout.times(1 << state.times_sent.min(4)));
        state.times_sent += 1;
        if let Some(before) = std::mem::replace(&mut state.due, due) {
            self.due.remove(&(before, block));
        }
        self.due.extend(due.map(|due| (due, block)));
    }

    fn state(&mut self, block: u32) -> &mut State {
        let place = (block - self.first) as usize;
        if self.states.len() <= place {
            self.states.resize(place + 1, State::default());
        }
        &mut self.states[place]
    }

    /// Notes that a block is over, which was not.
    pub fn close(&mut self, block: u32) {
        let state = self.state(block);
        state.is_over = true;
        if let Some(due) = state.due.take() {
            self.due.remove(&(due, block));
        }
        while self.states.front().is_some_and(|state| state.is_over) {
            self.states.pop_front();
            self.first += 1;
        }
        self.next = self.next.max(self.first);
        if self.first == self.next {
            self.again.clear();
        }
    }

    /// Returns when the next block is due to be sent again.
    pub fn deadline(&self) -> Option<Instant> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Lines up the blocks that are due to be sent again.
    pub fn wake(&mut self, now: Instant) {
        while let Some(&(due, block)) = self.due.first()
            && due <= now
        {
            self.due.remove(&(due, block));
            self.state(block).due = None;
            self.again.push_back(block);
        }
    }

    /// Lines up all blocks that are under way to be sent again.
    pub fn send_all_again(&mut self) {
        self.due.clear();
        self.again.clear();
        for (place, state) in self.states.iter_mut().enumerate() {
            state.due = None;
            if !state.is_over && state.times_sent > 0 {
                state.times_sent = 1;
                self.again.push_back(self.first + place as u32);
            }
        }
    }
}
