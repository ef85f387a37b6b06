//! A message on its way out: which packets are where, and how many may be sent.

use std::collections::VecDeque;

use basis::Instant;
use traffic::demand::Message;

use super::Parameters;
use super::paths::{Fate, Paths};

/// What is known of a packet that was sent: a [`Place`] in the low 2 bits, and above it how often it was sent,
/// modulo 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PacketState(u8);

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// On its way, as far as is known.
    InFlight = 0,
    /// To be sent again.
    Waiting = 1,
    /// At the receiver.
    Acknowledged = 2,
}

impl PacketState {
    fn place(self) -> Place {
        match self.0 & 3 {
            0 => Place::InFlight,
            1 => Place::Waiting,
            _ => Place::Acknowledged,
        }
    }

    fn put(&mut self, place: Place) {
        self.0 = self.0 & !3 | place as u8;
    }

    fn sent_again(self) -> Self {
        Self(self.0.wrapping_add(4) & !3 | Place::InFlight as u8)
    }
}

/// One sending of a packet.
#[derive(Clone, Copy, Debug)]
struct Flight {
    at: Instant,
    sequence: u32,
    path: u16,
    state: PacketState,
}

/// A packet to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    pub sequence: u32,
    pub is_retransmission: bool,
    /// True if the receiver may not know the message.
    pub is_pushed: bool,
}

/// A message on its way out.
///
/// Every packet that may be sent costs one credit. The first window is given; each pull gives one, and so does a
/// timeout for each packet that was lost, for that has taken its credit with it.
#[derive(Debug)]
pub struct Outgoing {
    pub message: Message,
    pub packets: u32,
    pub last_payload: u16,
    pub paths: Paths,
    /// The packets from here on may not have arrived; those before have.
    base: u32,
    /// Of the packets from `base` on that were sent at least once.
    states: VecDeque<PacketState>,
    unacknowledged: u32,
    in_flight: u32,
    /// In order of time; those whose packet has been heard of since are passed over.
    flights: VecDeque<Flight>,
    waiting: u32,
    /// In order; those that were acknowledged since are passed over.
    retransmissions: VecDeque<u32>,
    credit: u32,
    /// How many pulls the receiver has sent, and how many it has said that it will have sent.
    pulls: u32,
    pulls_promised: u32,
    /// Packets of the first window that are still to be pushed.
    to_push: u32,
    has_heard: bool,
    /// The last answers, one bit each, the newest lowest: 1 if the packet arrived whole.
    answers: u16,
    answers_known: u8,
    /// Timeouts since something was heard.
    pub timeouts: u8,
    last_activity: Instant,
    /// When the timer of this message will be looked at.
    pub scheduled: Instant,
    /// Whether it is in the queue of messages with retransmissions, and in that of those with new packets.
    pub queued: [bool; 2],
}

impl Outgoing {
    pub fn new(now: Instant, message: Message, parameters: &Parameters) -> Self {
        let payload = u64::from(parameters.payload_bytes());
        let bytes = message.bytes.max(1);
        let packets = u32::try_from(bytes.div_ceil(payload)).unwrap_or(u32::MAX);
        let window = parameters.first_window.clamp(1, packets);
        Self {
            message,
            packets,
            last_payload: (bytes - u64::from(packets - 1) * payload) as u16,
            paths: Paths::default(),
            base: 0,
            states: VecDeque::new(),
            unacknowledged: packets,
            in_flight: 0,
            flights: VecDeque::new(),
            waiting: 0,
            retransmissions: VecDeque::new(),
            credit: window,
            pulls: 0,
            pulls_promised: 0,
            to_push: window,
            has_heard: false,
            answers: 0,
            answers_known: 0,
            timeouts: 0,
            last_activity: now,
            scheduled: now,
            queued: [false; 2],
        }
    }

    pub fn is_complete(&self) -> bool {
        self.unacknowledged == 0
    }

    pub fn acknowledged(&self) -> u32 {
        self.packets - self.unacknowledged
    }

    fn next_new(&self) -> u32 {
        self.base + self.states.len() as u32
    }

    /// True if a retransmission could be sent now.
    pub fn can_retransmit(&self) -> bool {
        self.credit > 0 && self.waiting > 0
    }

    /// True if a packet could be sent now for the first time.
    pub fn can_send_new(&self) -> bool {
        self.credit > 0 && self.next_new() < self.packets
    }

    /// True if anything waits to be sent, with or without credit.
    fn has_unsent(&self) -> bool {
        self.waiting > 0 || self.next_new() < self.packets
    }

    /// True if the receiver has said that it will send more pulls than have come.
    fn expects_pulls(&self) -> bool {
        self.pulls_promised > self.pulls
    }

    fn give_credit(&mut self, packets: u32) {
        // More than there are packets to arrive would never be of use, and would send the last of them unpaced.
        self.credit = self.credit.saturating_add(packets).min(self.unacknowledged);
    }

    fn state(&mut self, sequence: u32) -> Option<&mut PacketState> {
        let index = sequence.checked_sub(self.base)?;
        self.states.get_mut(index as usize)
    }

    /// The next packet to send, retransmissions first; `None` if there is none or no credit for it.
    pub fn next(&mut self) -> Option<Sending> {
        if self.credit == 0 {
            return None;
        }
        let is_pushed = self.to_push > 0 || !self.has_heard;
        while let Some(sequence) = self.retransmissions.pop_front() {
            if self.state(sequence).is_some_and(|state| state.place() == Place::Waiting) {
                self.waiting -= 1;
                return Some(Sending { sequence, is_retransmission: true, is_pushed: !self.has_heard });
            }
        }
        let sequence = self.next_new();
        (sequence < self.packets).then_some(Sending { sequence, is_retransmission: false, is_pushed })
    }

    /// A packet that [`Outgoing::next`] has given is sent now.
    pub fn sent(&mut self, now: Instant, sending: Sending, path: u16) {
        let sequence = sending.sequence;
        let state = if sending.is_retransmission {
            let state = self.state(sequence).expect("it was sent before and is not acknowledged");
            *state = state.sent_again();
            *state
        } else {
            self.to_push = self.to_push.saturating_sub(1);
            self.states.push_back(PacketState(Place::InFlight as u8));
            PacketState(Place::InFlight as u8)
        };
        self.credit -= 1;
        self.in_flight += 1;
        self.last_activity = now;
        self.flights.push_back(Flight { at: now, sequence, path, state });
    }

    /// The receiver has answered; `pulls` is how many it has sent so far, and `more` if it will send another.
    pub fn heard(&mut self, now: Instant, pulls: u32, more: bool) {
        self.has_heard = true;
        self.timeouts = 0;
        self.last_activity = now;
        // Numbers are cumulative: a pull that overtakes others releases what they would have released.
        if pulls > self.pulls {
            let new = pulls - self.pulls;
            self.pulls = pulls;
            self.give_credit(new);
        }
        if more {
            self.pulls_promised = self.pulls_promised.max(pulls + 1);
        }
    }

    /// A packet is at the receiver.
    pub fn acknowledge(&mut self, sequence: u32, path: u16) {
        self.learn(path, Fate::Arrived);
        let Some(state) = self.state(sequence) else { return };
        let place = state.place();
        state.put(Place::Acknowledged);
        match place {
            Place::InFlight => self.in_flight -= 1,
            Place::Waiting => self.waiting -= 1,
            Place::Acknowledged => return,
        }
        self.unacknowledged -= 1;
        self.credit = self.credit.min(self.unacknowledged);
        while self.states.front().is_some_and(|state| state.place() == Place::Acknowledged) {
            self.states.pop_front();
            self.base += 1;
        }
        self.forget_flights();
    }

    /// Every packet is at the receiver.
    pub fn acknowledge_all(&mut self) {
        self.unacknowledged = 0;
    }

    /// The receiver has seen a packet without its payload.
    pub fn refuse(&mut self, sequence: u32, path: u16) {
        self.learn(path, Fate::Trimmed);
        self.resend_later(sequence);
    }

    /// A switch has sent a packet back. It waits for a pull like one that was refused, or all senders of an incast
    /// would send again together; but it goes at once if nothing else is on its way and no pull will come, or if most
    /// packets arrive, so that it is the path that is bad and not the receiver that is busy (NDP, section 3.2.4).
    pub fn returned(&mut self, sequence: u32, path: u16) {
        self.learn(path, Fate::Returned);
        if !self.resend_later(sequence) {
            return;
        }
        let is_alone = self.in_flight == 0 && self.credit == 0 && !self.expects_pulls();
        let path_is_bad = self.answers_known >= 8 && self.answers.count_ones() * 2 >= u32::from(self.answers_known);
        if is_alone || path_is_bad {
            self.give_credit(1);
        }
    }

    /// True if the packet was in flight until now.
    fn resend_later(&mut self, sequence: u32) -> bool {
        let Some(state) = self.state(sequence).filter(|state| state.place() == Place::InFlight) else { return false };
        state.put(Place::Waiting);
        self.in_flight -= 1;
        self.waiting += 1;
        self.retransmissions.push_back(sequence);
        self.forget_flights();
        true
    }

    fn learn(&mut self, path: u16, fate: Fate) {
        self.paths.learn(path, fate);
        self.answers = self.answers << 1 | u16::from(fate == Fate::Arrived);
        self.answers_known = (self.answers_known + 1).min(16);
    }

    /// Passes over sendings whose packet has been heard of since, so that the first is the oldest in flight.
    fn forget_flights(&mut self) {
        while let Some(&Flight { sequence, state, .. }) = self.flights.front() {
            if self.state(sequence).is_some_and(|current| *current == state) {
                return;
            }
            self.flights.pop_front();
        }
    }

    /// When something must have been heard; `None` if the next packet waits for nothing but the line.
    pub fn deadline(&self, parameters: &Parameters) -> Option<Instant> {
        let timeout = parameters.timeout(self.timeouts);
        match self.flights.front() {
            Some(oldest) => Some(oldest.at + timeout),
            // Everything that was sent has been answered, and pulls have been lost: nobody else would go on.
            None if self.credit == 0 => Some(self.last_activity + timeout),
            None => None,
        }
    }

    /// Its deadline has come: what is lost is to be sent again, with the credit that it has taken with it; half as
    /// much each time that nothing was heard, for then everybody's packets are lost. At least one packet goes, with
    /// whose answer the pulls come that were lost.
    pub fn time_out(&mut self, now: Instant, parameters: &Parameters) {
        let timeout = parameters.timeout(self.timeouts);
        let mut lost = 0;
        while let Some(&Flight { at, sequence, path, .. }) = self.flights.front() {
            if at + timeout > now {
                break;
            }
            self.learn(path, Fate::Lost);
            self.resend_later(sequence);
            lost += 1;
        }
        let most = parameters.first_window >> self.timeouts.min(31);
        self.timeouts = self.timeouts.saturating_add(1);
        self.last_activity = now;
        debug_assert!(self.has_unsent(), "a message that waits for nothing has timed out");
        self.give_credit(lost.min(most).max(1));
    }

    /// For what it waits, in words.
    pub fn explain(&self, parameters: &Parameters) -> String {
        let what = if self.credit > 0 && self.has_unsent() {
            "the line"
        } else if self.has_unsent() {
            "PULLs"
        } else {
            "ACKs"
        };
        let mut text = format!(
            "waits for {what}: {} of {} packets acknowledged, {} in flight, {} to be sent again",
            self.acknowledged(),
            self.packets,
            self.in_flight,
            self.waiting
        );
        if let Some(deadline) = self.deadline(parameters) {
            text += &format!(", next timeout at {deadline}");
        }
        if self.timeouts > 0 {
            text += &format!(", {} timeouts with nothing heard", self.timeouts);
        }
        text
    }
}
