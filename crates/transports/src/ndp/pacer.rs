//! The pull pacer of a host (NDP, section 3.2): all that it receives shares it, so that what is pulled together fills
//! the host's line and no more.

use std::collections::VecDeque;

use basis::{Duration, Instant};

use super::PullOrder;
use super::incoming::Incoming;
use super::slots::{Handle, Slots};

/// Whose pull goes next, and when.
#[derive(Debug)]
pub struct Pacer {
    order: PullOrder,
    interval: Duration,
    /// When the next pull may go.
    next: Instant,
    /// By priority, as far as seen: messages for which pulls wait, each once, whoever is next in front. Those that
    /// have been finished since are passed over.
    queues: Vec<VecDeque<Handle>>,
}

impl Pacer {
    pub fn new(order: PullOrder, interval: Duration) -> Self {
        Self { order, interval, next: Instant::ZERO, queues: Vec::new() }
    }

    /// When the next pull goes; `None` if none waits.
    pub fn next(&self) -> Option<Instant> {
        self.queues.iter().any(|queue| !queue.is_empty()).then_some(self.next)
    }

    /// A message has earned a pull.
    pub fn enqueue(&mut self, now: Instant, handle: Handle, incoming: &mut Incoming) {
        if incoming.is_queued || incoming.pulls_waiting == 0 {
            return;
        }
        if self.next().is_none() {
            self.next = self.next.max(now);
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
        let handle = self.pop(messages)?;
        // Late by what the line was busy with, it makes up for it next time; it never makes up for more than one.
        self.next = (self.next + self.interval).max(now);
        Some(handle)
    }

    fn pop(&mut self, messages: &mut Slots<Incoming>) -> Option<Handle> {
        for queue in self.queues.iter_mut().rev() {
            while let Some(handle) = queue.pop_front() {
                // Pulls of what has arrived in full are gone with it.
                let Some(incoming) = messages.get_mut(handle) else { continue };
                incoming.pulls_waiting -= 1;
                incoming.pulls_sent += 1;
                incoming.is_queued = incoming.pulls_waiting > 0;
                if incoming.is_queued {
                    queue.push_back(handle);
                }
                return Some(handle);
            }
        }
        None
    }
}
