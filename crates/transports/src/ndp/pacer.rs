//! The pull pacer of a host (NDP, section 3.2): all that it receives shares it, so that what is pulled together fills
//! the host's line and no more.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::PullOrder;
use super::incoming::Incoming;
use crate::slots::{Handle, Slots};

/// Whose pull goes next, and when.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pacer {
    order: PullOrder,
    interval: Duration,
    /// When the next pull may go.
    next: Instant,
    /// By priority, as far as seen: messages for which pulls wait, each once, whoever is next in front. Those that
    /// have been finished since are passed over.
    queues: Vec<VecDeque<Handle>>,
    /// Messages of which all that is missing is on its way already: their pulls are for what may be trimmed or lost
    /// of it, and go when nobody else has use for them. Else each message would, while its last packets are on their
    /// way, take turns from the others for a round trip.
    spare: VecDeque<Handle>,
}

impl Pacer {
    pub fn new(order: PullOrder, interval: Duration) -> Self {
        Self { order, interval, next: Instant::ZERO, queues: Vec::new(), spare: VecDeque::new() }
    }

    /// When the next pull goes; `None` if none waits.
    pub fn next(&self) -> Option<Instant> {
        let is_waiting = !self.spare.is_empty() || self.queues.iter().any(|queue| !queue.is_empty());
        is_waiting.then_some(self.next)
    }

    /// A message may have pulls that wait.
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

    /// The message whose pull goes now.
    pub fn take(&mut self, now: Instant, messages: &mut Slots<Incoming>) -> Option<Handle> {
        if self.next > now {
            return None;
        }
        let handle = self.pop(now, messages)?;
        // Late by what the line was busy with, it makes up for it next time; it never makes up for more than one.
        self.next = (self.next + self.interval).max(now);
        Some(handle)
    }

    fn pop(&mut self, now: Instant, messages: &mut Slots<Incoming>) -> Option<Handle> {
        // Pulls of what has arrived in full are gone with it.
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
