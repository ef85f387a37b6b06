//! The processing of a segment that arrives for a connection: the steps of RFC 9293, section 3.10.7, in their order.

use demand::{Arrived, Content};
use wire::Tail;
use wire::tcp::flag;

use super::acknowledged::Acknowledgement;
use super::connection::{Connection, ConnectionState, Context, Purpose};
use super::receiving::Answer;
use super::segment::{FIRST_SERVICE, Segment, payload};
use super::stream::message_number;
use crate::Notice;

impl Connection {
    /// Handles the SYN that has created this connection (section 3.10.7.2, in LISTEN).
    pub fn accept(&mut self, segment: &Segment, context: &Context) {
        self.agree(segment, context.parameters);
    }

    /// Handles an arriving segment.
    pub fn arrived(&mut self, segment: &Segment, context: &mut Context) {
        match self.state {
            ConnectionState::SynSent => self.arrived_in_syn_sent(segment, context),
            _ => self.arrived_later(segment, context),
        }
    }

    /// Handles an arriving segment in SYN-SENT (section 3.10.7.3).
    fn arrived_in_syn_sent(&mut self, segment: &Segment, context: &mut Context) {
        let acknowledges = segment.has(flag::ACK);
        let place = self.sending.stream.place(segment.acknowledgement, 0);
        if acknowledges && place != Some(1) {
            if !segment.has(flag::RST) {
                reset(self.key.peer, segment, context);
            }
            return;
        }
        if segment.has(flag::RST) {
            if acknowledges {
                context.counters.resets_received += 1;
                self.abandon(context);
            }
            return;
        }
        // Ephemeral ports are never ports of services, so simultaneous opens cannot happen.
        if !acknowledges || !segment.has(flag::SYN) || self.sending.next == 0 {
            return;
        }
        let had_timeouts = self.sending.timeouts > 0;
        self.agree(segment, context.parameters);
        let heard = Acknowledgement { place: 1, is_plain: false, echo: self.echo(segment), segment };
        self.sending.acknowledged(context.now, &heard, context.parameters, context.counters);
        self.open(had_timeouts, context.parameters);
        self.sending.window_said = (0, 1);
        self.acknowledge(context);
    }

    /// Handles an arriving segment in all later states (section 3.10.7.4).
    fn arrived_later(&mut self, segment: &Segment, context: &mut Context) {
        let Some(receiving) = &self.receiving else { return };
        let is_reset = segment.has(flag::RST);
        if let Some((value, _)) = segment.options.timestamps.filter(|_| self.has_timestamps && !is_reset) {
            // PAWS (RFC 7323, section 5.3, R1).
            if (value.wrapping_sub(self.recent) as i32) < 0 && !segment.has(flag::SYN) {
                context.counters.old_segments_received += 1;
                self.acknowledge(context);
                return;
            }
        }
        let place = receiving.stream.place(segment.sequence, receiving.next);
        if self.state == ConnectionState::SynReceived
            && segment.has(flag::SYN)
            && !segment.has(flag::ACK)
            && place == Some(0)
        {
            // The SYN-ACK may have been lost. As in Linux, it is retransmitted at once instead of waiting for the
            // timer.
            self.sending.repeat_opening();
            return;
        }
        // First, the sequence number.
        let acceptable = place.filter(|&place| receiving.is_acceptable(place, segment.length(), context.parameters));
        let Some(place) = acceptable else {
            if !is_reset {
                context.counters.duplicates_received += u64::from(segment.payload > 0);
                self.acknowledge(context);
                if self.state == ConnectionState::TimeWait && segment.has(flag::FIN) {
                    self.linger(context);
                }
            }
            return;
        };
        // Second, RST, whose sequence number must match exactly (RFC 5961, section 3.2). It does not cut TIME-WAIT
        // short (RFC 1337).
        if is_reset {
            match self.state {
                ConnectionState::TimeWait => {}
                _ if place == receiving.next => {
                    context.counters.resets_received += 1;
                    self.abandon(context);
                }
                _ => self.acknowledge(context),
            }
            return;
        }
        // Fourth, SYN (RFC 5961, section 4.2).
        if segment.has(flag::SYN) {
            self.acknowledge(context);
            return;
        }
        // Fifth, ACK.
        if !segment.has(flag::ACK) {
            return;
        }
        self.note_timestamp(segment, place);
        if !self.read_acknowledgement(segment, place, context) {
            return;
        }
        // Seventh and eighth, payload and FIN.
        if segment.length() > 0 {
            self.read_payload(segment, place, context);
        }
    }

    /// Records the timestamp to echo: that of the segment at the edge of what was acknowledged (RFC 7323, section 4.3).
    fn note_timestamp(&mut self, segment: &Segment, place: u64) {
        if let Some((value, _)) = segment.options.timestamps.filter(|_| self.has_timestamps)
            && place <= self.last_acknowledged
        {
            self.recent = value;
        }
    }

    /// Returns the echo of our timestamp.
    fn echo(&self, segment: &Segment) -> Option<u32> {
        segment.options.timestamps.filter(|_| self.has_timestamps).map(|(_, echo)| echo)
    }

    /// Processes the ACK field. Returns false if the rest of the segment is to be ignored.
    fn read_acknowledgement(&mut self, segment: &Segment, sequence: u64, context: &mut Context) -> bool {
        let sending = &self.sending;
        let place = sending.stream.place(segment.acknowledgement, sending.unacknowledged);
        if self.state == ConnectionState::SynReceived {
            if place != Some(1) || sending.next != 1 {
                reset(self.key.peer, segment, context);
                return false;
            }
        } else if place.is_none_or(|place| place > sending.next) {
            self.acknowledge(context);
            return false;
        }
        let Some(place) = place else { return false };
        let window = u64::from(segment.window) << self.their_scale;
        let is_plain = segment.length() == 0 && window == self.sending.window;
        // The windows of older segments are ignored.
        if place >= self.sending.unacknowledged && (sequence, place) >= self.sending.window_said {
            self.sending.window = window;
            self.sending.window_said = (sequence, place);
        }
        let had_timeouts = self.sending.timeouts > 0;
        let heard = Acknowledgement { place, is_plain, echo: self.echo(segment), segment };
        self.sending.acknowledged(context.now, &heard, context.parameters, context.counters);
        if let Some(to_send) = &mut self.to_send {
            to_send.acknowledged(self.sending.unacknowledged);
        }
        if self.state == ConnectionState::SynReceived {
            self.open(had_timeouts, context.parameters);
        }
        if self.sending.is_done() {
            self.complete_message(context);
        }
        self.state != ConnectionState::Closed
    }

    fn read_payload(&mut self, segment: &Segment, place: u64, context: &mut Context) {
        let Some(receiving) = &mut self.receiving else { return };
        if receiving.is_finished() {
            return;
        }
        let mut answers_now = false;
        if receiving.echo.changes(segment) {
            answers_now = true;
            if receiving.is_waiting() {
                self.acknowledge(context);
            }
        }
        let Some(receiving) = &mut self.receiving else { return };
        receiving.echo.arrived(segment);
        context.counters.ecn_marks += u64::from(segment.congestion == super::segment::congestion::EXPERIENCED);
        let before = receiving.bytes();
        self.keep_bytes(segment, place, context);
        let is_held = self.is_held();
        let Some(receiving) = &mut self.receiving else { return };
        let (length, has_fin) = (u64::from(segment.payload), segment.has(flag::FIN));
        let answer = receiving.arrived(context.now, place, length, has_fin, context.parameters, context.counters);
        if is_held {
            receiving.unread += receiving.bytes() - before;
        } else if self.received.is_some() && receiving.bytes() > context.parameters.longest_content {
            self.abort(context);
            return;
        }
        if receiving.is_finished() {
            self.finished(context);
            // Our FIN also serves as the acknowledgement.
            if self.sending.may_finish && !self.sending.has_finished() {
                return;
            }
            answers_now = true;
        }
        if answers_now || answer == Answer::Now {
            self.acknowledge(context);
        }
    }

    /// Stores the bytes of a payload if they will be taken. A message has content if the first payload of it to arrive
    /// has bytes rather than a length that stands for zeros.
    fn keep_bytes(&mut self, segment: &Segment, place: u64, context: &Context) {
        let (Some(receiving), Some(packet)) = (&self.receiving, context.packet) else { return };
        let is_first = matches!(self.purpose, Purpose::Theirs) && segment.payload > 0 && receiving.has_nothing();
        if is_first && !matches!(packet.tail, Tail::Length(1..)) {
            self.received = Some(Box::default());
        }
        if let Some(received) = &mut self.received {
            received.arrived(place, &payload(packet, segment), receiving.window_end(context.parameters));
        }
    }

    /// Handles the arrival of everything, including the FIN.
    fn finished(&mut self, context: &mut Context) {
        match self.state {
            ConnectionState::Established => self.state = ConnectionState::CloseWait,
            ConnectionState::FinWait1 => self.state = ConnectionState::Closing,
            ConnectionState::FinWait2 => self.linger(context),
            _ => {}
        }
        if matches!(self.purpose, Purpose::Theirs) {
            // The receiver of a message has nothing to send, and closes as well.
            self.sending.may_finish = true;
            self.tell_arrival(context);
        }
    }

    fn tell_arrival(&mut self, context: &mut Context) {
        let Some(receiving) = self.receiving.as_ref().filter(|receiving| receiving.bytes() > 0) else { return };
        let length = receiving.bytes();
        let content = match self.received.take() {
            Some(received) => Content::Bytes(received.all(length)),
            None => Content::Length(length),
        };
        let arrived = Arrived {
            source: self.key.peer,
            number: message_number(receiving.stream.first),
            content,
            service: self.key.local_port - FIRST_SERVICE,
        };
        context.counters.messages_delivered += 1;
        context.counters.bytes_delivered += length;
        context.notices.push(Notice::Arrived(arrived));
    }
}

/// Answers a segment with a RST.
pub fn reset(peer: u32, segment: &Segment, context: &mut Context) {
    context.counters.resets_sent += 1;
    context.answers.push_back((peer, segment.reset()));
}
