//! The sending half of a transport, with all messages that a host sends.

use basis::{Instant, Random};
use demand::Message;
use node::{Counter, Reason, SenderState, UnfinishedWork};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::outbound::{Outbound, Outgoing, TimedOut};
use super::{Protocol, Received, Statement};
use crate::Notice;
use crate::suspects::Suspect;

/// The counters that all senders have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    ProbeSent,
    ReturnedReceived,
    LateAnswerReceived,
    Timeout,
    MessageCompleted,
    MessageAbandoned,
}

/// The counters of a protocol, which include those that all senders have.
pub trait SenderCounters {
    fn of(&mut self, counted: Counted) -> &mut u64;

    /// Reports all counters, in a fixed order.
    fn tell(&self, tell: &mut dyn FnMut(Counter));
}

/// Implements [`SenderCounters`] for `Counters`, whose fields have the same names in each protocol.
macro_rules! sender_counters {
    () => {
        impl crate::receiver_driven::SenderCounters for Counters {
            fn of(&mut self, counted: crate::receiver_driven::Counted) -> &mut u64 {
                use crate::receiver_driven::Counted;
                match counted {
                    Counted::ProbeSent => &mut self.probes_sent,
                    Counted::ReturnedReceived => &mut self.returned_received,
                    Counted::LateAnswerReceived => &mut self.late_answers_received,
                    Counted::Timeout => &mut self.timeouts,
                    Counted::MessageCompleted => &mut self.messages_completed,
                    Counted::MessageAbandoned => &mut self.messages_abandoned,
                }
            }

            fn tell(&self, tell: &mut dyn FnMut(node::Counter)) {
                Counters::tell(self, tell);
            }
        }
    };
}
pub(crate) use sender_counters;

/// The context in which a message may send a packet.
pub struct Turn<'a> {
    pub now: Instant,
    /// The number of the oldest message that is not finished.
    pub oldest: u32,
    /// The suspected paths to its destination.
    pub suspected: &'a [Suspect],
    pub random: &'a mut Random,
}

/// All messages that a host sends, in `TURNS` queues for the link.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Sender<P: Protocol, const TURNS: usize> {
    messages: Outbound<P::Outgoing, TURNS>,
    /// A copy of the last data packet, to be sent on a path that is suspected to be dead, with its destination and
    /// path.
    probe: Option<Box<(u32, u16, P::Header)>>,
    random: Random,
}

impl<P: Protocol, const TURNS: usize> Sender<P, TURNS> {
    pub fn new(random: Random) -> Self {
        Self { messages: Outbound::default(), probe: None, random }
    }

    pub fn submit(&mut self, now: Instant, message: Message, parameters: &P::Parameters) {
        let outgoing = P::begin(now, message, parameters);
        self.messages.begin(outgoing, now + P::Outgoing::first_timeout(parameters));
    }

    /// Returns true if there may be a packet to send.
    pub fn is_ready(&self) -> bool {
        self.messages.has_turns() || self.probe.is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.messages.deadline()
    }

    /// Returns the next packet, if a message has one and may send it.
    pub fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
    ) -> Option<Packet> {
        if let Some((destination, path, header)) = self.probe.take().map(|probe| *probe) {
            *counters.of(Counted::ProbeSent) += 1;
            return Some(header.packet(now, address, destination, path));
        }
        while let Some(handle) = self.messages.next_turn() {
            let oldest = self.messages.oldest();
            let Some((outgoing, suspects)) = self.messages.with_suspects(handle) else { continue };
            let destination = outgoing.course().message.destination();
            let turn = Turn { now, oldest, suspected: suspects.of(destination), random: &mut self.random };
            let Some((header, path)) = P::next_packet(outgoing, turn, parameters, counters) else { continue };
            if header.payload_length().is_some() {
                let probed = suspects.probe(now, destination, P::longest_timeout(parameters));
                self.probe = probed.map(|path| Box::new((destination, path, header.copy_by(path))));
            }
            self.messages.sent(handle, parameters);
            return Some(header.packet(now, address, destination, path));
        }
        None
    }

    /// Handles a control packet from the receiver of a message.
    ///
    /// # Errors
    /// If it answers nothing that was sent to its source.
    pub fn answered(
        &mut self,
        now: Instant,
        received: &Received<P::Header>,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let header = &received.header;
        if let Some(path) = header.answered_path() {
            self.messages.path_is_alive(received.source, path);
        }
        let Some((handle, outgoing)) = self.messages.find(header.message(), received.source)? else {
            *counters.of(Counted::LateAnswerReceived) += 1;
            return Ok(());
        };
        let had_timeouts = outgoing.course().timeouts > 0;
        P::answered(outgoing, now, header, parameters)?;
        if let Some(message) = self.messages.heard(now, handle, had_timeouts, parameters) {
            *counters.of(Counted::MessageCompleted) += 1;
            notices.push(Notice::Completed(message));
        }
        Ok(())
    }

    /// Handles a packet of this host that a switch has returned.
    ///
    /// # Errors
    /// If no such packet was sent to the host that the packet names.
    pub fn returned(&mut self, received: &Received<P::Header>, counters: &mut P::Counters) -> Result<(), Reason> {
        *counters.of(Counted::ReturnedReceived) += 1;
        if received.header.payload_length().is_none() {
            // Control packets of receivers are cumulative, and requests of senders are repeated if they go unanswered.
            return Ok(());
        }
        let Some((handle, outgoing)) = self.messages.find(received.header.message(), received.source)? else {
            *counters.of(Counted::LateAnswerReceived) += 1;
            return Ok(());
        };
        P::returned(outgoing, &received.header);
        self.messages.take_turns(handle);
        Ok(())
    }

    /// Handles all timers that have expired.
    pub fn wake(
        &mut self,
        now: Instant,
        parameters: &P::Parameters,
        counters: &mut P::Counters,
        notices: &mut Vec<Notice>,
    ) {
        while let Some(timed_out) = self.messages.next_timeout(now, parameters) {
            *counters.of(Counted::Timeout) += 1;
            if let TimedOut::Abandoned(message) = timed_out {
                *counters.of(Counted::MessageAbandoned) += 1;
                notices.push(Notice::Abandoned(message));
            }
        }
    }

    /// Reports what is known of each unfinished message.
    pub fn states(&self, tell: &mut dyn FnMut(SenderState)) {
        self.messages.iter().map(|outgoing| outgoing.course().state()).for_each(tell);
    }

    /// Returns all messages in the order of their numbers, each with what it waits for.
    pub fn waiting(&self, parameters: &P::Parameters) -> Vec<UnfinishedWork> {
        self.messages.waiting(|outgoing| outgoing.course().explain(outgoing.awaits(), outgoing.deadline(parameters)))
    }
}
