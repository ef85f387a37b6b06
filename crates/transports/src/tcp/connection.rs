//! A connection: its two halves, its state (RFC 9293, section 3.3.2), and the segments that it makes.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::{Duration, Instant};
use demand::{Content, Message};
use serde::{Deserialize, Serialize};
use wire::Packet;
use wire::tcp::flag;

use super::acknowledged::timestamp;
use super::counters::Counters;
use super::echo::Echo;
use super::pacer::Pacer;
use super::received::Received;
use super::receiving::Receiving;
use super::segment::{Segment, congestion};
use super::sending::{Choice, Kind, Sending};
use super::sockets::Held;
use super::to_send::ToSend;
use super::{Algorithm, Parameters};
use crate::Notice;

/// How long we wait for the other side's FIN when ours was acknowledged (Linux, `tcp_fin_timeout`).
pub(super) const FIN_WAIT: Duration = Duration::from_microseconds(60_000_000);

/// The states of RFC 9293, section 3.3.2; LISTEN is having no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
    Closed,
}

/// What all connections of a host share.
pub struct Context<'a> {
    pub now: Instant,
    pub parameters: &'a Parameters,
    pub counters: &'a mut Counters,
    pub notices: &'a mut Vec<Notice>,
    /// Segments that wait for the line, and to whom they go.
    pub answers: &'a mut VecDeque<(u32, Segment)>,
    /// What has arrived, if something has.
    pub packet: Option<&'a Packet>,
}

/// Which connection: address and port of the other side, and our port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    pub peer: u32,
    pub remote_port: u16,
    pub local_port: u16,
}

impl Key {
    pub fn bits(self) -> u64 {
        u64::from(self.peer) << 32 | u64::from(self.remote_port) << 16 | u64::from(self.local_port)
    }
}

/// What a connection is for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Purpose {
    /// A message of ours.
    Ours(Message),
    /// A message of the other side, which has opened the connection.
    Theirs,
    /// An application, which sends bytes on it and takes those that come.
    Socket(Held),
}

/// A connection.
#[derive(Debug, Serialize, Deserialize)]
pub struct Connection {
    pub key: Key,
    pub purpose: Purpose,
    pub state: State,
    pub sending: Sending,
    /// There since the other side's SYN.
    pub receiving: Option<Receiving>,
    /// What is sent, if bytes are and not only a length.
    pub(super) to_send: Option<Box<ToSend>>,
    /// What has arrived, if bytes have, and somebody will take them.
    pub(super) received: Option<Box<Received>>,
    /// Timestamps were agreed on; TS.Recent; Last.ACK.sent, as a place (RFC 7323, section 4.3).
    pub(super) has_timestamps: bool,
    pub(super) recent: u32,
    pub(super) last_acknowledged: u64,
    /// By how many bits the other side's windows and ours are shifted.
    pub(super) their_scale: u8,
    pub(super) our_scale: u8,
    pacer: Pacer,
    /// When it is forgotten.
    pub(super) ends: Option<Instant>,
    /// True if the application has been told what became of the message.
    pub is_told: bool,
    /// True if it is among those that wait for the line.
    pub is_queued: bool,
    /// When its timers are looked at.
    pub scheduled: Option<Instant>,
}

impl Connection {
    /// A connection on which nothing was sent: one that we open for a message, or one that the other side has opened.
    pub fn new(key: Key, purpose: Purpose, first: u32, parameters: &Parameters) -> Self {
        let (state, length) = match &purpose {
            Purpose::Ours(message) => (State::SynSent, message.bytes().max(1)),
            Purpose::Theirs | Purpose::Socket(_) => (State::SynReceived, 0),
        };
        let mut to_send = ToSend::default();
        if let Purpose::Ours(Message { content: Content::Bytes(bytes), .. }) = &purpose {
            to_send.append(Arc::clone(bytes));
        }
        let (is_ours, is_socket) = (matches!(purpose, Purpose::Ours(_)), matches!(purpose, Purpose::Socket(_)));
        Self {
            key,
            purpose,
            state,
            sending: Sending::new(first, length, is_ours, parameters),
            receiving: None,
            to_send: (is_socket || to_send.unacknowledged() > 0).then(|| Box::new(to_send)),
            received: is_socket.then(Box::default),
            has_timestamps: false,
            recent: 0,
            last_acknowledged: 0,
            their_scale: 0,
            our_scale: 0,
            pacer: Pacer::default(),
            ends: None,
            is_told: false,
            is_queued: false,
            scheduled: None,
        }
    }

    /// The message of ours that it carries, if it does.
    pub fn message(&self) -> Option<&Message> {
        match &self.purpose {
            Purpose::Ours(message) => Some(message),
            Purpose::Theirs | Purpose::Socket(_) => None,
        }
    }

    /// True while an application holds it as a socket.
    pub fn is_held(&self) -> bool {
        matches!(&self.purpose, Purpose::Socket(held) if !held.is_released)
    }

    /// The other side's SYN, or SYN-ACK, says what it knows; both use what both know.
    pub(super) fn agree(&mut self, segment: &Segment, parameters: &Parameters) {
        let options = &segment.options;
        let wants = (segment.has(flag::ECE), segment.has(flag::CWR));
        // RFC 3168, section 6.1.1: a SYN has both flags, a SYN-ACK only ECE.
        let is_capable = parameters.uses_ecn() && wants == (true, self.state == State::SynReceived);
        self.sending.is_capable = is_capable;
        let echo = match parameters.algorithm {
            _ if !is_capable => Echo::Off,
            Algorithm::Dctcp => Echo::Exact { is_on: false },
            _ => Echo::Classic { is_on: false },
        };
        self.receiving = Some(Receiving::new(segment.sequence, echo));
        self.sending.has_sack = parameters.sack && options.is_sack_permitted;
        if let (true, Some((value, _))) = (parameters.timestamps, options.timestamps) {
            self.has_timestamps = true;
            self.recent = value;
        }
        if let Some(scale) = options.window_scale {
            // RFC 7323, section 2.3: more than 14 counts as 14.
            (self.their_scale, self.our_scale) = (scale.min(14), parameters.window_scale());
        }
        // RFC 9293, section 3.7.1: 536 if it says nothing; RFC 6691: options take from what it says.
        let maximum = options.maximum_segment.unwrap_or(536).max(64).min(parameters.maximum_segment());
        self.sending.segment = u32::from(maximum) - if self.has_timestamps { 12 } else { 0 };
        self.sending.window = u64::from(segment.window);
    }

    /// Our SYN was acknowledged: data may flow.
    pub(super) fn open(&mut self, had_timeouts: bool, parameters: &Parameters) {
        self.state = State::Established;
        self.sending.congestion.open(self.sending.segment, parameters.initial_window);
        if had_timeouts {
            self.sending.congestion.opened_late();
            self.sending.timeout.opened_late(parameters);
        }
    }

    /// What it may send now.
    pub fn choose(&self) -> Option<Choice> {
        if self.state == State::Closed { None } else { self.sending.choose() }
    }

    /// When it may send, if it has something to send.
    pub fn next_send(&self, now: Instant, parameters: &Parameters) -> Option<Instant> {
        let choice = self.choose()?;
        let is_paced = parameters.pacing && choice.start > 0;
        Some(if is_paced { self.pacer.next().max(now) } else { now })
    }

    /// Makes the segment that was chosen.
    pub fn make(&mut self, choice: Choice, context: &mut Context) -> Segment {
        let mut segment = self.sending.header(choice);
        self.sending.sent(context.now, choice, context.parameters);
        if let (true, Some(round_trip)) = (context.parameters.pacing, self.sending.timeout.round_trip()) {
            let (window, bytes) = (self.sending.congestion.window(), choice.end - choice.start);
            self.pacer.sent(context.now, bytes, window, round_trip, self.sending.congestion.is_slow_start());
        }
        if self.sending.has_finished() {
            self.state = match self.state {
                State::Established => State::FinWait1,
                State::CloseWait => State::LastAck,
                other => other,
            };
        }
        let counters = &mut context.counters;
        counters.data_segments_sent += u64::from(segment.payload > 0);
        counters.retransmissions += u64::from(choice.kind != Kind::New);
        // RFC 3168, section 6.1.5: retransmissions and what has no payload are not marked. RFC 8257, section 3.6 wants
        // all of DCTCP's treated alike.
        if self.sending.is_capable && segment.payload > 0 && choice.kind == Kind::New {
            segment.congestion = congestion::CAPABLE;
        }
        self.complete(&mut segment, context);
        segment
    }

    /// Queues a segment that only acknowledges.
    pub fn acknowledge(&mut self, context: &mut Context) {
        let sequence = self.sending.stream.number(self.sending.next);
        let mut segment = Segment { sequence, ..Segment::default() };
        if let Some(receiving) = &self.receiving
            && self.sending.has_sack
        {
            segment.options.timestamps = self.has_timestamps.then_some((0, 0));
            receiving.add_blocks(&mut segment.options);
        }
        self.complete(&mut segment, context);
        context.counters.acks_sent += 1;
        context.answers.push_back((self.key.peer, segment));
    }

    /// Fills in what every segment has: ports, acknowledgement, window, options.
    fn complete(&mut self, segment: &mut Segment, context: &Context) {
        let parameters = context.parameters;
        segment.source_port = self.key.local_port;
        segment.destination_port = self.key.remote_port;
        // All of DCTCP's packets, the SYN included, as Linux has it; but where the other side does not agree, which is
        // known after our SYN, nobody would tell us of marks (RFC 3168, section 6.1.1).
        let may_be_marked = self.receiving.is_none() || self.sending.is_capable;
        if parameters.algorithm == Algorithm::Dctcp && may_be_marked {
            segment.congestion = congestion::CAPABLE;
        }
        let is_syn = segment.has(flag::SYN);
        let scale = if is_syn { 0 } else { self.our_scale };
        let window = self.receiving.as_mut().map_or(parameters.receive_buffer, |receiving| receiving.tell(parameters));
        segment.window = (window >> scale).min(u32::from(u16::MAX)) as u16;
        let now = timestamp(context.now);
        if is_syn {
            self.complete_syn(segment, parameters);
        }
        // Timestamps are on all segments or none (RFC 7323, section 3.2).
        let has_timestamps = if self.receiving.is_some() { self.has_timestamps } else { parameters.timestamps };
        segment.options.timestamps = has_timestamps.then_some((now, self.recent));
        if let Some(receiving) = &mut self.receiving {
            segment.flags |= flag::ACK;
            segment.acknowledgement = receiving.stream.number(receiving.next);
            if !is_syn {
                segment.flags |= receiving.echo.flag();
            }
            self.last_acknowledged = receiving.next;
            receiving.acknowledged();
        }
    }

    fn complete_syn(&self, segment: &mut Segment, parameters: &Parameters) {
        let is_answer = self.receiving.is_some();
        segment.options.maximum_segment = Some(parameters.maximum_segment());
        segment.options.is_sack_permitted = if is_answer { self.sending.has_sack } else { parameters.sack };
        // An answer has the option only if the SYN had it (RFC 7323, section 2.2); then the scale is set, and it may
        // be 0, for which the other side needs no option.
        let scale = if is_answer { self.our_scale } else { parameters.window_scale() };
        segment.options.window_scale = (!is_answer || scale > 0 || self.their_scale > 0).then_some(scale);
        segment.flags |= match (is_answer, parameters.uses_ecn()) {
            (false, true) => flag::ECE | flag::CWR,
            (true, true) if self.sending.is_capable => flag::ECE,
            _ => 0,
        };
    }

    /// The earliest of its timers.
    pub fn deadline(&self) -> Option<Instant> {
        if self.state == State::Closed {
            return None;
        }
        let delayed = self.receiving.as_ref().and_then(|receiving| receiving.deadline);
        self.sending.timer.into_iter().chain(delayed).chain(self.ends).min()
    }

    /// Does what is due.
    pub fn wake(&mut self, context: &mut Context) {
        let now = context.now;
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if self.state == State::Closed {
            return;
        }
        if is_due(self.ends) {
            self.state = State::Closed;
            return;
        }
        if is_due(self.receiving.as_ref().and_then(|receiving| receiving.deadline)) {
            context.counters.delayed_acks_sent += 1;
            self.acknowledge(context);
        }
        if is_due(self.sending.timer) {
            let is_open = self.sending.unacknowledged > 0;
            let attempts = if is_open { context.parameters.attempts } else { context.parameters.opening_attempts };
            context.counters.timeouts += 1;
            if self.sending.timeouts >= attempts {
                self.die(context);
            } else {
                self.sending.time_out();
            }
        }
    }

    /// R2 is over (RFC 9293, section 3.8.3).
    fn die(&mut self, context: &mut Context) {
        context.counters.connections_dead += 1;
        self.abort(context);
    }

    /// Ends it (ABORT of RFC 9293, section 3.9.1). A RST tells the other side, if it reaches it.
    pub(super) fn abort(&mut self, context: &mut Context) {
        if self.receiving.is_some() {
            let mut reset = Segment { sequence: self.sending.stream.number(self.sending.next), ..Segment::default() };
            self.complete(&mut reset, context);
            reset.flags = flag::RST | flag::ACK;
            context.counters.resets_sent += 1;
            context.answers.push_back((self.key.peer, reset));
        }
        self.abandon(context);
    }

    /// It is over, and what was not acknowledged never will be.
    pub(super) fn abandon(&mut self, context: &mut Context) {
        if let Some(message) = self.message().filter(|_| !self.is_told).cloned() {
            self.is_told = true;
            context.counters.messages_abandoned += 1;
            context.notices.push(Notice::Abandoned(message));
        }
        if let Purpose::Socket(held) = &mut self.purpose {
            held.is_broken = true;
        }
        self.state = State::Closed;
    }

    /// All of ours was acknowledged, the FIN included.
    pub(super) fn complete_message(&mut self, context: &mut Context) {
        if let Some(message) = self.message().filter(|_| !self.is_told).cloned() {
            self.is_told = true;
            context.counters.messages_completed += 1;
            context.notices.push(Notice::Completed(message));
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                // While somebody listens the other side may take all the time that it wants.
                if !self.is_held() {
                    self.ends = Some(context.now + FIN_WAIT);
                }
            }
            State::Closing => self.linger(context),
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
    }

    /// TIME-WAIT begins, or begins again.
    pub(super) fn linger(&mut self, context: &Context) {
        self.state = State::TimeWait;
        self.ends = Some(context.now + context.parameters.time_wait);
    }
}
