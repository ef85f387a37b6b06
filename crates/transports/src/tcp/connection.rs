//! A connection: its two halves, its state (RFC 9293, section 3.3.2), and the segments that it builds.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::{Duration, Instant};
use demand::{Content, Message};
use node::SenderState;
use serde::{Deserialize, Serialize};
use wire::Packet;
use wire::tcp::flag;

use super::TcpParameters;
use super::acknowledged::timestamp;
use super::counters::Counters;
use super::echo::Echo;
use super::pacer::{self, Pacer};
use super::received::Received;
use super::receiving::Receiving;
use super::segment::{Segment, congestion};
use super::sending::{Choice, SegmentKind, Sending};
use super::sockets::Held;
use super::to_send::ToSend;
use crate::Notice;

/// The time to wait for the peer's FIN after ours was acknowledged (Linux, `tcp_fin_timeout`).
pub(super) const FIN_WAIT: Duration = Duration::from_microseconds(60_000_000);

/// The states of RFC 9293, section 3.3.2. There is no connection object in the LISTEN state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConnectionState {
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

/// The context that all connections of a host share.
pub struct Context<'a> {
    pub now: Instant,
    pub parameters: &'a TcpParameters,
    pub counters: &'a mut Counters,
    pub notices: &'a mut Vec<Notice>,
    /// Segments that wait for the link, each with its destination.
    pub answers: &'a mut VecDeque<(u32, Segment)>,
    /// The packet that is being processed, if any.
    pub packet: Option<&'a Packet>,
}

/// The identifier of a connection: the peer's address and port, and our port.
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

/// The purpose of a connection.
#[derive(Debug, Serialize, Deserialize)]
pub enum Purpose {
    /// The connection carries a message of this host.
    Ours(Message),
    /// The connection carries a message of the peer, which has opened it.
    Theirs,
    /// The connection belongs to an application, which sends and receives bytes on it.
    Socket(Held),
}

/// A connection.
#[derive(Debug, Serialize, Deserialize)]
pub struct Connection {
    pub key: Key,
    pub purpose: Purpose,
    pub state: ConnectionState,
    pub sending: Sending,
    /// The receiving half; present once the peer's SYN has arrived.
    pub receiving: Option<Receiving>,
    /// The bytes to send, unless only their length matters.
    pub(super) to_send: Option<Box<ToSend>>,
    /// The bytes that have arrived, if they matter and will be taken.
    pub(super) received: Option<Box<Received>>,
    /// Whether timestamps were negotiated; then TS.Recent and Last.ACK.sent, the latter as a stream position (RFC 7323,
    /// section 4.3).
    pub(super) has_timestamps: bool,
    pub(super) recent: u32,
    pub(super) last_acknowledged: u64,
    /// The window scales of the peer and of this side.
    pub(super) their_scale: u8,
    pub(super) our_scale: u8,
    pacer: Pacer,
    /// The time at which the connection is forgotten.
    pub(super) ends: Option<Instant>,
    /// True if the host has been told the outcome of the message.
    pub is_reported: bool,
    /// True if the connection is in the queue for the link.
    pub is_queued: bool,
    /// The time of the connection's current entry in the timer heap.
    pub scheduled: Option<Instant>,
}

impl Connection {
    /// Creates a connection on which nothing has been sent, opened by this side for a message or by the peer.
    pub fn new(key: Key, purpose: Purpose, first: u32, parameters: &TcpParameters) -> Self {
        let (state, length) = match &purpose {
            Purpose::Ours(message) => (ConnectionState::SynSent, message.bytes().max(1)),
            Purpose::Theirs | Purpose::Socket(_) => (ConnectionState::SynReceived, 0),
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
            is_reported: false,
            is_queued: false,
            scheduled: None,
        }
    }

    /// Returns the message of this host that the connection carries, if any.
    pub fn message(&self) -> Option<&Message> {
        match &self.purpose {
            Purpose::Ours(message) => Some(message),
            Purpose::Theirs | Purpose::Socket(_) => None,
        }
    }

    /// Returns what is known of the message of this host that the connection carries, if any.
    pub fn sender_state(&self, parameters: &TcpParameters) -> Option<SenderState> {
        let message = self.message()?;
        let (sending, congestion) = (&self.sending, &self.sending.congestion);
        // Position 0 is the SYN. There is no congestion window before it is acknowledged.
        let is_open = sending.unacknowledged > 0;
        let round_trip = sending.timeout.round_trip();
        let paced = round_trip.filter(|_| is_open && parameters.pacing);
        Some(SenderState {
            message: message.number,
            acknowledged: sending.unacknowledged.saturating_sub(1).min(message.bytes()),
            window: is_open.then(|| congestion.window()),
            rate: paced.map(|round_trip| pacer::rate(congestion.window(), round_trip, congestion.is_slow_start())),
            round_trip,
        })
    }

    /// Returns true while an application holds the connection as a socket.
    pub fn is_held(&self) -> bool {
        matches!(&self.purpose, Purpose::Socket(held) if !held.is_released)
    }

    /// Negotiates options from the peer's SYN or SYN-ACK: those that both sides support are used.
    pub(super) fn agree(&mut self, segment: &Segment, parameters: &TcpParameters) {
        let options = &segment.options;
        let wants = (segment.has(flag::ECE), segment.has(flag::CWR));
        // A SYN has both flags, a SYN-ACK only ECE (RFC 3168, section 6.1.1).
        let is_capable = parameters.uses_ecn() && wants == (true, self.state == ConnectionState::SynReceived);
        self.sending.is_capable = is_capable;
        let echo = match parameters.algorithm.0.counts_marks() {
            _ if !is_capable => Echo::Off,
            true => Echo::Exact { is_on: false },
            false => Echo::Classic { is_on: false },
        };
        self.receiving = Some(Receiving::new(segment.sequence, echo));
        self.sending.has_sack = parameters.sack && options.is_sack_permitted;
        if let (true, Some((value, _))) = (parameters.timestamps, options.timestamps) {
            self.has_timestamps = true;
            self.recent = value;
        }
        if let Some(scale) = options.window_scale {
            // A scale above 14 counts as 14 (RFC 7323, section 2.3).
            (self.their_scale, self.our_scale) = (scale.min(14), parameters.window_scale());
        }
        // The default is 536 (RFC 9293, section 3.7.1), and options reduce the payload (RFC 6691).
        let maximum = options.maximum_segment.unwrap_or(536).max(64).min(parameters.maximum_segment());
        self.sending.segment = u32::from(maximum) - if self.has_timestamps { 12 } else { 0 };
        self.sending.window = u64::from(segment.window);
    }

    /// Enters ESTABLISHED after our SYN was acknowledged.
    pub(super) fn open(&mut self, had_timeouts: bool, parameters: &TcpParameters) {
        self.state = ConnectionState::Established;
        self.sending.congestion.open(self.sending.segment, parameters.initial_window);
        if had_timeouts {
            self.sending.congestion.opened_late();
            self.sending.timeout.opened_late(parameters);
        }
    }

    /// Returns the segment that may be sent now, if any.
    pub fn choose(&self) -> Option<Choice> {
        if self.state == ConnectionState::Closed { None } else { self.sending.choose() }
    }

    /// Returns the time at which the connection may send, if it has anything to send.
    pub fn next_send(&self, now: Instant, parameters: &TcpParameters) -> Option<Instant> {
        let choice = self.choose()?;
        let is_paced = parameters.pacing && choice.start > 0;
        Some(if is_paced { self.pacer.next().max(now) } else { now })
    }

    /// Builds the segment that [`Self::choose`] has returned, and records that it is sent.
    pub fn make(&mut self, choice: Choice, context: &mut Context) -> Segment {
        let mut segment = self.sending.header(choice);
        self.sending.sent(context.now, choice, context.parameters);
        if let (true, Some(round_trip)) = (context.parameters.pacing, self.sending.timeout.round_trip()) {
            let (window, bytes) = (self.sending.congestion.window(), choice.end - choice.start);
            self.pacer.sent(context.now, bytes, window, round_trip, self.sending.congestion.is_slow_start());
        }
        if self.sending.has_finished() {
            self.state = match self.state {
                ConnectionState::Established => ConnectionState::FinWait1,
                ConnectionState::CloseWait => ConnectionState::LastAck,
                other => other,
            };
        }
        let counters = &mut context.counters;
        counters.data_segments_sent += u64::from(segment.payload > 0);
        counters.retransmissions += u64::from(choice.kind != SegmentKind::New);
        // Retransmissions and segments without payload are not ECN-capable (RFC 3168, section 6.1.5). RFC 8257, section
        // 3.6, asks for all segments of DCTCP to be treated alike.
        if self.sending.is_capable && segment.payload > 0 && choice.kind == SegmentKind::New {
            segment.congestion = congestion::CAPABLE;
        }
        self.complete(&mut segment, context);
        segment
    }

    /// Queues a pure acknowledgement.
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

    /// Fills in the fields that every segment has: ports, acknowledgement, window and options.
    fn complete(&mut self, segment: &mut Segment, context: &Context) {
        let parameters = context.parameters;
        segment.source_port = self.key.local_port;
        segment.destination_port = self.key.remote_port;
        // All packets of DCTCP are ECN-capable, including the SYN, as in Linux. If the peer does not agree, which is
        // known after our SYN, marks would not be reported to us (RFC 3168, section 6.1.1).
        let may_be_marked = self.receiving.is_none() || self.sending.is_capable;
        if parameters.algorithm.0.counts_marks() && may_be_marked {
            segment.congestion = congestion::CAPABLE;
        }
        let is_syn = segment.has(flag::SYN);
        let scale = if is_syn { 0 } else { self.our_scale };
        let window =
            self.receiving.as_mut().map_or(parameters.receive_buffer, |receiving| receiving.advertise(parameters));
        segment.window = (window >> scale).min(u32::from(u16::MAX)) as u16;
        let now = timestamp(context.now);
        if is_syn {
            self.complete_syn(segment, parameters);
        }
        // Either all segments carry timestamps or none do (RFC 7323, section 3.2).
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

    fn complete_syn(&self, segment: &mut Segment, parameters: &TcpParameters) {
        let is_answer = self.receiving.is_some();
        segment.options.maximum_segment = Some(parameters.maximum_segment());
        segment.options.is_sack_permitted = if is_answer { self.sending.has_sack } else { parameters.sack };
        // A SYN-ACK has the option only if the SYN had it (RFC 7323, section 2.2), in which case the scale is set. If
        // both scales are 0, the option is not needed.
        let scale = if is_answer { self.our_scale } else { parameters.window_scale() };
        segment.options.window_scale = (!is_answer || scale > 0 || self.their_scale > 0).then_some(scale);
        segment.flags |= match (is_answer, parameters.uses_ecn()) {
            (false, true) => flag::ECE | flag::CWR,
            (true, true) if self.sending.is_capable => flag::ECE,
            _ => 0,
        };
    }

    /// Returns the earliest of the connection's timers.
    pub fn deadline(&self) -> Option<Instant> {
        if self.state == ConnectionState::Closed {
            return None;
        }
        let delayed = self.receiving.as_ref().and_then(|receiving| receiving.deadline);
        self.sending.timer.into_iter().chain(delayed).chain(self.ends).min()
    }

    /// Handles the timers that have expired.
    pub fn wake(&mut self, context: &mut Context) {
        let now = context.now;
        let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if self.state == ConnectionState::Closed {
            return;
        }
        if is_due(self.ends) {
            self.state = ConnectionState::Closed;
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

    /// Aborts the connection after too many timeouts (R2 of RFC 9293, section 3.8.3).
    fn die(&mut self, context: &mut Context) {
        context.counters.connections_dead += 1;
        self.abort(context);
    }

    /// Aborts the connection (ABORT of RFC 9293, section 3.9.1). A RST informs the peer, if it arrives.
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

    /// Closes the connection, and abandons everything that was not acknowledged.
    pub(super) fn abandon(&mut self, context: &mut Context) {
        if let Some(message) = self.message().filter(|_| !self.is_reported).cloned() {
            self.is_reported = true;
            context.counters.messages_abandoned += 1;
            context.notices.push(Notice::Abandoned(message));
        }
        if let Purpose::Socket(held) = &mut self.purpose {
            held.is_broken = true;
        }
        self.state = ConnectionState::Closed;
    }

    /// Handles the acknowledgement of everything that we have sent, including the FIN.
    pub(super) fn complete_message(&mut self, context: &mut Context) {
        if let Some(message) = self.message().filter(|_| !self.is_reported).cloned() {
            self.is_reported = true;
            context.counters.messages_completed += 1;
            context.notices.push(Notice::Completed(message));
        }
        match self.state {
            ConnectionState::FinWait1 => {
                self.state = ConnectionState::FinWait2;
                // As long as an application holds the socket, the peer may take as long as it wants.
                if !self.is_held() {
                    self.ends = Some(context.now + FIN_WAIT);
                }
            }
            ConnectionState::Closing => self.linger(context),
            ConnectionState::LastAck => self.state = ConnectionState::Closed,
            _ => {}
        }
    }

    /// Enters TIME-WAIT, or restarts its timer.
    pub(super) fn linger(&mut self, context: &Context) {
        self.state = ConnectionState::TimeWait;
        self.ends = Some(context.now + context.parameters.time_wait);
    }
}
