//! The credit pacer of a host: all that it receives shares it, so that what is granted together fills the host's line
//! and no more.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::Parameters;
use super::incoming::{Class, Incoming};
use crate::slots::{Handle, Slots};

const CLASSES: [Class; 3] = [Class::Retransmitting, Class::Active, Class::Idle];

/// Whose credit goes next, and when.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pacer {
    /// Time that a whole CREDIT takes.
    interval: Duration,
    /// When the next one may go.
    next: Instant,
    /// By class: messages that may be granted something, whoever is next in front. Who has changed its class, or was
    /// finished, since is passed over.
    lists: [VecDeque<Handle>; 3],
}

impl Pacer {
    pub fn new(parameters: &Parameters) -> Self {
        let lists = [const { VecDeque::new() }; 3];
        Self { interval: parameters.credit_interval(), next: Instant::ZERO, lists }
    }

    /// When the next CREDIT goes; `None` if nobody waits for one.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        self.lists.iter().any(|list| !list.is_empty()).then_some(self.next)
    }

    /// A message may be of another class than before.
    pub fn enlist(&mut self, now: Instant, handle: Handle, incoming: &mut Incoming, parameters: &Parameters) {
        let Some(class) = incoming.class(parameters) else { return };
        if incoming.is_listed[class as usize] {
            return;
        }
        if self.next().is_none() {
            self.next = self.next.max(now);
        }
        incoming.is_listed[class as usize] = true;
        self.lists[class as usize].push_back(handle);
    }

    /// The message that is granted credit now, and as what.
    pub fn take(
        &mut self,
        now: Instant,
        messages: &mut Slots<Incoming>,
        parameters: &Parameters,
    ) -> Option<(Handle, Class)> {
        if self.next > now {
            return None;
        }
        for class in CLASSES {
            while let Some(handle) = self.lists[class as usize].pop_front() {
                let Some(incoming) = messages.get_mut(handle) else { continue };
                incoming.is_listed[class as usize] = false;
                let is_its_class = incoming.class(parameters) == Some(class);
                if is_its_class {
                    let quanta = incoming.grant(class, parameters);
                    // Late by what the line was busy with, it makes up for it next time, and for no more than that.
                    self.next = (self.next + self.time_of(quanta, parameters)).max(now);
                }
                self.enlist(now, handle, incoming, parameters);
                if is_its_class {
                    return Some((handle, class));
                }
            }
        }
        None
    }

    /// Time that the packets take for which so many quanta are granted. What is said again may let go as much as a
    /// whole CREDIT.
    fn time_of(&self, quanta: u64, parameters: &Parameters) -> Duration {
        let whole = parameters.credit_quanta();
        if quanta == 0 || quanta == whole {
            return self.interval;
        }
        Duration::from_picoseconds(self.interval.picoseconds() / whole * quanta)
    }
}
