//! RoCEv2: remote direct memory access over UDP as deployed in data centres (InfiniBand Architecture Specification,
//! volume 1, annex A17), with DCQCN. `docs/transports/rocev2.md` says what is followed and what is left out.

mod contents;
mod counters;
mod format;
mod parameters;
mod rate;
mod requester;
mod requesters;
mod responder;
mod responders;
mod selective;
mod sequence;
mod work;

use basis::Instant;
use demand::Message;
use node::{Counter, MessageProgress, Reason, SenderState, UnfinishedWork};
use wire::Packet;

use counters::Counters;
use format::Said;
pub use parameters::{Dcqcn, Recovery, RoceV2Parameters};
use requesters::{Next, Requesters};
use responders::Responders;

use crate::{Endpoint, Notice, Refusal, Transport};

/// RoCEv2 on one host.
#[derive(Debug)]
pub struct RoceV2 {
    address: u32,
    parameters: RoceV2Parameters,
    requesters: Requesters,
    responders: Responders,
    counters: Counters,
}

impl RoceV2 {
    /// Creates the RoCEv2 transport of the host with the given IPv4 address. It uses no random numbers.
    ///
    /// # Panics
    /// If a parameter is outside the range that [`RoceV2Parameters`] states.
    pub fn new(address: u32, parameters: RoceV2Parameters) -> Self {
        parameters.check();
        Self {
            address,
            parameters,
            requesters: Requesters::default(),
            responders: Responders::default(),
            counters: Counters::default(),
        }
    }
}

impl Endpoint<Vec<Notice>> for RoceV2 {
    fn receive(&mut self, now: Instant, packet: Packet, notices: &mut Vec<Notice>) -> Result<(), (Packet, Reason)> {
        let Self { parameters, requesters, responders, counters, .. } = self;
        let result = format::read(&packet, parameters.recovery).and_then(|received| match &received.said {
            Said::Request(request) => {
                let payload = format::payload(&packet, request);
                responders.receive(now, &received, (request, &payload), parameters, counters, notices)
            }
            Said::Answer(answer) => requesters.answered(now, received.source, answer, parameters, counters, notices),
            Said::Notification { queue_pair } => {
                counters.notifications_received += 1;
                requesters.notified(now, received.source, *queue_pair, parameters)
            }
        });
        result.map_err(|reason| (packet, reason))
    }

    fn wake(&mut self, now: Instant, notices: &mut Vec<Notice>) {
        self.requesters.wake(now, &self.parameters, &mut self.counters, notices);
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        if let Some(packet) = self.transmit_while_paused(now) {
            return Some(packet);
        }
        let Self { address, parameters, requesters, responders, counters } = self;
        if let Some((to, said)) = responders.next_answer(parameters, counters) {
            return Some(said.packet(now, *address, to, None, parameters));
        }
        let Next { queue_pair, peer, said, content } = requesters.next(now, parameters, counters)?;
        let packet = said.packet(now, *address, peer, content.as_deref(), parameters);
        requesters.sent(now, queue_pair, packet.len(), parameters);
        Some(packet)
    }

    fn transmit_while_paused(&mut self, now: Instant) -> Option<Packet> {
        let (to, said) = self.responders.next_notification(&mut self.counters)?;
        Some(said.packet(now, self.address, to, None, &self.parameters))
    }

    fn is_ready(&self, _at: Instant) -> bool {
        // Pacers and timers release packets only when the transport is woken.
        self.responders.is_ready() || self.requesters.has_turns()
    }

    fn deadline(&self) -> Option<Instant> {
        self.requesters.deadline()
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        self.requesters.waiting(&self.parameters)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

impl Transport for RoceV2 {
    fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)> {
        let message = Refusal::unless_for_one_within(message, self.parameters.longest_content)?;
        self.requesters.submit(now, message, &self.parameters);
        Ok(())
    }

    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        self.requesters.progress(self.address, &self.parameters, tell);
    }

    fn senders(&self, now: Instant, tell: &mut dyn FnMut(SenderState)) {
        self.requesters.senders(now, &self.parameters, tell);
    }
}

basis::snapshot!(RoceV2 { values requesters, responders, counters; });
