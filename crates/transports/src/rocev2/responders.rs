//! The queue pairs on which a host receives, and the answers that wait to be sent.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use basis::Instant;
use node::Reason;
use serde::{Deserialize, Serialize};

use super::counters::Counters;
use super::format::{self, Request, Said};
use super::parameters::{Recovery, RoceV2Parameters};
use super::responder::{Answer, Responder};
use super::sequence;
use crate::Notice;
use crate::integer_hasher::IntegerHasher;

/// The queue pairs on which a host receives.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Responders {
    responders: Vec<Responder>,
    /// The index of each queue pair, by source (high bits) and number.
    indices: HashMap<u64, u32, BuildHasherDefault<IntegerHasher>>,
    /// The queue pairs whose congestion notifications wait for the link, by index.
    notifications: VecDeque<u32>,
    /// The acknowledgements and sequence errors that wait for the link.
    answers: VecDeque<(u32, Answer)>,
}

impl Responders {
    /// Handles a packet of a write; `payload` is what it carries, or empty if only the length of that matters.
    ///
    /// # Errors
    /// If the packet is inconsistent with those before it.
    pub fn receive(
        &mut self,
        now: Instant,
        received: &format::Received,
        (request, payload): (&Request, &[u8]),
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let key = u64::from(received.source) << 24 | u64::from(request.queue_pair);
        let at = *self.indices.entry(key).or_insert_with(|| {
            self.responders.push(Responder::new(received.source, request.queue_pair));
            (self.responders.len() - 1) as u32
        });
        let responder = &mut self.responders[at as usize];
        let answer = responder.receive((request, payload), parameters, counters, notices)?;
        match answer {
            Answer::Nothing => {}
            // An acknowledgement is filled in when it is sent, so one in the queue is enough.
            Answer::Acknowledge => {
                if !std::mem::replace(&mut responder.is_queued, true) {
                    self.answers.push_back((at, answer));
                }
            }
            Answer::SequenceError(_) => self.answers.push_back((at, answer)),
        }
        if received.is_marked {
            counters.ecn_marks += 1;
            let interval = parameters.dcqcn.map(|dcqcn| dcqcn.notification_interval);
            let is_due = |interval| responder.notified.is_none_or(|last| now.since(last) >= interval);
            if interval.is_some_and(is_due) {
                responder.notified = Some(now);
                self.notifications.push_back(at);
            }
        }
        Ok(())
    }

    /// Returns the next congestion notification and its destination.
    pub fn next_notification(&mut self, counters: &mut Counters) -> Option<(u32, Said)> {
        let responder = &self.responders[self.notifications.pop_front()? as usize];
        counters.notifications_sent += 1;
        Some((responder.source, Said::Notification { queue_pair: responder.number }))
    }

    /// Returns the next acknowledgement or sequence error and its destination.
    pub fn next_answer(&mut self, parameters: &RoceV2Parameters, counters: &mut Counters) -> Option<(u32, Said)> {
        let (at, answer) = self.answers.pop_front()?;
        let responder = &mut self.responders[at as usize];
        let mut said = format::Answer {
            queue_pair: responder.number,
            // The last packet that has arrived in order.
            sequence: sequence::number(responder.expected.wrapping_sub(1)),
            is_error: false,
            messages: responder.messages,
            arrived: None,
        };
        match answer {
            // If the missing packet has arrived while the error waited, an acknowledgement is sent instead.
            Answer::SequenceError(position) if position >= responder.expected => {
                said.is_error = true;
                said.sequence = sequence::number(responder.expected);
                let tells = parameters.recovery == Recovery::SelectiveRepeat;
                said.arrived = tells.then(|| sequence::number(position));
                counters.naks_sent += 1;
            }
            _ => counters.acks_sent += 1,
        }
        if answer == Answer::Acknowledge {
            responder.is_queued = false;
        }
        Some((responder.source, Said::Answer(said)))
    }

    /// Returns true if a congestion notification waits for the link.
    pub fn has_notifications(&self) -> bool {
        !self.notifications.is_empty()
    }

    /// Returns true if anything waits for the link.
    pub fn is_ready(&self) -> bool {
        self.has_notifications() || !self.answers.is_empty()
    }
}
