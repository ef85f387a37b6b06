//! The credit pacer of a host. All arriving messages share it, so that the granted packets together fill the host's
//! link and no more.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::EqdsParameters;
use super::incoming::{Class, Incoming};
use crate::slots::{Handle, Slots};

const CLASSES: [Class; 3] = [Class::Retransmitting, Class::Active, Class::Idle];

/// The credit pacer, which decides which message is granted credit next and when.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pacer {
    /// The time between two CREDITs of full size.
    interval: Duration,
    /// The time at which the next CREDIT may be sent.
    next: Instant,
    /// The messages that may be granted credit, by class, with the next one in front. Messages that have changed their
    /// class or finished are skipped.
    lists: [VecDeque<Handle>; 3],
}

impl Pacer {
    pub fn new(parameters: &EqdsParameters) -> Self {
        let lists = [const { VecDeque::new() }; 3];
        Self { interval: parameters.credit_interval(), next: Instant::ZERO, lists }
    }

    /// Returns the time of the next CREDIT; `None` if no message waits for one.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        self.lists.iter().any(|list| !list.is_empty()).then_some(self.next)
    }

    /// Adds a message to the list of its class, which may have changed.
    pub fn enlist(&mut self, now: Instant, handle: Handle, incoming: &mut Incoming, parameters: &EqdsParameters) {
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

    /// Grants credit to the next message, and returns it with its class.
    pub fn take(
        &mut self,
        now: Instant,
        messages: &mut Slots<Incoming>,
        parameters: &EqdsParameters,
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
                    // A CREDIT that was late because the link was busy shortens the wait for the next one, but at most
                    // one is made up for.
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

    /// Returns the time that the packets of `quanta` granted quanta take. A total that is sent again may release as
    /// much as a full CREDIT.
    fn time_of(&self, quanta: u64, parameters: &EqdsParameters) -> Duration {
        let whole = parameters.credit_quanta();
        if quanta == 0 || quanta == whole {
            return self.interval;
        }
        Duration::from_picoseconds(self.interval.picoseconds() / whole * quanta)
    }
}
