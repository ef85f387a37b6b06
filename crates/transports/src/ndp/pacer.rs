//! The pull pacer of a host (NDP, section 3.2). All arriving messages share it, so that the pulled packets together
//! fill the host's link and no more.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::PullOrder;
use super::incoming::Incoming;
use crate::slots::{Handle, Slots};

/// The pull pacer, which decides which message is pulled next and when.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pacer {
    order: PullOrder,
    interval: Duration,
    /// The time at which the next pull may be sent.
    next: Instant,
    /// The messages with waiting pulls, by priority, each once and the next one in front. Finished messages are
    /// skipped.
    queues: Vec<VecDeque<Handle>>,
    /// Messages of which everything missing is in flight. Their pulls are for packets that may still be trimmed or
    /// lost, and are sent when no other message needs a pull. Otherwise each message would take slots from the others
    /// for a round trip while its last packets are in flight.
    spare: VecDeque<Handle>,
}

impl Pacer {
    pub fn new(order: PullOrder, interval: Duration) -> Self {
        Self { order, interval, next: Instant::ZERO, queues: Vec::new(), spare: VecDeque::new() }
    }

    /// Returns the time of the next pull; `None` if none waits.
    pub fn next(&self) -> Option<Instant> {
        let is_waiting = !self.spare.is_empty() || self.queues.iter().any(|queue| !queue.is_empty());
        is_waiting.then_some(self.next)
    }

    /// Queues a message if it has waiting pulls.
    pub fn enqueue(&mut self, now: Instant, handle: Handle, incoming: &mut Incoming) {
        if self.next().is_none() {
            self.next = self.next.max(now);
        }
        if incoming.pulls_waiting == 0 {
            return;
        }
        if incoming.is_covered() {
            if !incoming.is_spare {
                incoming.is_spare = true;
                self.spare.push_back(handle);
            }
            return;
        }
        if incoming.is_queued {
            return;
        }
        incoming.is_queued = true;
        let queue = match self.order {
            PullOrder::Fair => 0,
            PullOrder::Priority => usize::from(incoming.priority),
        };
        if queue >= self.queues.len() {
            self.queues.resize_with(queue + 1, VecDeque::new);
        }
        self.queues[queue].push_back(handle);
    }

    /// Returns the message whose pull is to be sent now.
    pub fn take(&mut self, now: Instant, messages: &mut Slots<Incoming>) -> Option<Handle> {
        if self.next > now {
            return None;
        }
        let handle = self.pop(now, messages)?;
        // A pull that was late because the link was busy shortens the wait for the next one, but at most one pull is
        // made up for.
        self.next = (self.next + self.interval).max(now);
        Some(handle)
    }

    fn pop(&mut self, now: Instant, messages: &mut Slots<Incoming>) -> Option<Handle> {
        // Complete messages have been removed, and are skipped.
        for queue in (0..self.queues.len()).rev() {
            while let Some(handle) = self.queues[queue].pop_front() {
                let Some(incoming) = messages.get_mut(handle) else { continue };
                incoming.is_queued = false;
                let is_covered = incoming.is_covered();
                if !is_covered {
                    incoming.pull();
                }
                self.enqueue(now, handle, incoming);
                if !is_covered {
                    return Some(handle);
                }
            }
        }
        while let Some(handle) = self.spare.pop_front() {
            let Some(incoming) = messages.get_mut(handle) else { continue };
            incoming.is_spare = false;
            if incoming.pulls_waiting > 0 {
                incoming.pull();
                self.enqueue(now, handle, incoming);
                return Some(handle);
            }
        }
        None
    }
}
