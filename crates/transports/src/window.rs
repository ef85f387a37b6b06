//! Where each packet of a message on its way out is.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

/// What is known of a packet that was sent: a [`Place`] in the low 2 bits, and above it how often it was sent,
/// modulo 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PacketState(u8);

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// True if it was sent once, as far as the counter tells.
    fn is_first(self) -> bool {
        self.0 >> 2 == 0
    }

    fn sent_again(self) -> Self {
        Self(self.0.wrapping_add(4) & !3 | Place::InFlight as u8)
    }
}

/// One sending of a packet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Flight {
    pub at: Instant,
    pub path: u16,
    pub sequence: u32,
    state: PacketState,
}

/// Where each packet of a message is. It remembers those only that were sent and are not known to have arrived with
/// all before them; everything takes constant time, spread over the packets.
#[derive(Debug, Serialize, Deserialize)]
pub struct Window {
    packets: u32,
    /// The packets before this have arrived.
    base: u32,
    /// Of the packets from `base` on that were sent at least once.
    states: VecDeque<PacketState>,
    unacknowledged: u32,
    in_flight: u32,
    /// In order of time. The first is in flight; others whose packet has been heard of since are passed over later.
    flights: VecDeque<Flight>,
    waiting: u32,
    /// In order; those that were acknowledged since are passed over.
    retransmissions: VecDeque<u32>,
}

impl Window {
    /// Of a message of which no packet was sent.
    pub fn new(packets: u32) -> Self {
        Self {
            packets,
            base: 0,
            states: VecDeque::new(),
            unacknowledged: packets,
            in_flight: 0,
            flights: VecDeque::new(),
            waiting: 0,
            retransmissions: VecDeque::new(),
        }
    }

    /// Packets that are not known to have arrived.
    pub fn unacknowledged(&self) -> u32 {
        self.unacknowledged
    }

    /// Packets on their way, as far as is known.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Packets to be sent again.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// The packet to be sent first for the first time; all have been if it is none of the message.
    pub fn next_new(&self) -> u32 {
        self.base + self.states.len() as u32
    }

    /// True if not every packet was sent once.
    pub fn has_new(&self) -> bool {
        self.next_new() < self.packets
    }

    /// The oldest sending of which nothing has been heard.
    pub fn oldest_flight(&self) -> Option<Flight> {
        self.flights.front().copied()
    }

    /// How long ago a packet was sent that is answered now; `None` if it was sent more than once, so that it is not
    /// certain which sending is answered, or was answered before.
    #[inline]
    pub fn round_trip(&self, now: Instant, sequence: u32) -> Option<Duration> {
        let front = self.flights.front()?;
        let flight = if front.sequence == sequence {
            front
        } else {
            // What is sent for the first time is sent in the order of sequence; where something was sent again before it, it
            // may not be found, and the next will be.
            let place = self.flights.partition_point(|flight| flight.sequence < sequence);
            self.flights.get(place).filter(|flight| flight.sequence == sequence)?
        };
        let is_in_flight = self.states.get(sequence.checked_sub(self.base)? as usize) == Some(&flight.state);
        (flight.state.is_first() && is_in_flight).then(|| now.since(flight.at))
    }

    /// True if a packet is known to have arrived.
    pub fn is_acknowledged(&self, sequence: u32) -> bool {
        let Some(index) = sequence.checked_sub(self.base) else { return true };
        self.states.get(index as usize).is_some_and(|state| state.place() == Place::Acknowledged)
    }

    fn state(&mut self, sequence: u32) -> Option<&mut PacketState> {
        let index = sequence.checked_sub(self.base)?;
        self.states.get_mut(index as usize)
    }

    /// The next packet to be sent again.
    pub fn take_retransmission(&mut self) -> Option<u32> {
        while let Some(sequence) = self.retransmissions.pop_front() {
            if self.state(sequence).is_some_and(|state| state.place() == Place::Waiting) {
                self.waiting -= 1;
                return Some(sequence);
            }
        }
        None
    }

    /// A packet is sent: a retransmission that was taken, or else the next new one.
    pub fn sent(&mut self, at: Instant, sequence: u32, path: u16) {
        let state = if sequence == self.next_new() {
            let state = PacketState(Place::InFlight as u8);
            self.states.push_back(state);
            state
        } else {
            let state = self.state(sequence).expect("it was sent before and has not arrived");
            *state = state.sent_again();
            *state
        };
        self.in_flight += 1;
        self.flights.push_back(Flight { at, path, sequence, state });
    }

    /// A packet has arrived.
    pub fn acknowledge(&mut self, sequence: u32) {
        let Some(state) = self.state(sequence) else { return };
        let place = state.place();
        state.put(Place::Acknowledged);
        match place {
            Place::InFlight => self.in_flight -= 1,
            Place::Waiting => self.waiting -= 1,
            Place::Acknowledged => return,
        }
        self.unacknowledged -= 1;
        while self.states.front().is_some_and(|state| state.place() == Place::Acknowledged) {
            self.states.pop_front();
            self.base += 1;
        }
        self.pass_over();
    }

    /// All packets before this one have arrived.
    pub fn acknowledge_before(&mut self, sequence: u32) {
        // What was never sent cannot have arrived.
        for sequence in self.base..sequence.min(self.next_new()) {
            self.acknowledge(sequence);
        }
    }

    /// Every packet has arrived.
    pub fn acknowledge_all(&mut self) {
        self.unacknowledged = 0;
    }

    /// A packet that was in flight is to be sent again. False if it was not in flight.
    pub fn resend(&mut self, sequence: u32) -> bool {
        let Some(state) = self.state(sequence).filter(|state| state.place() == Place::InFlight) else { return false };
        state.put(Place::Waiting);
        self.in_flight -= 1;
        self.waiting += 1;
        self.retransmissions.push_back(sequence);
        self.pass_over();
        true
    }

    fn pass_over(&mut self) {
        while let Some(&Flight { sequence, state, .. }) = self.flights.front() {
            if self.state(sequence).is_some_and(|current| *current == state) {
                return;
            }
            self.flights.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_flight_is_never_one_that_was_heard_of() {
        let mut window = Window::new(4);
        for sequence in 0..4 {
            window.sent(Instant::from_picoseconds(u64::from(sequence)), sequence, 0);
        }
        window.acknowledge(1);
        assert_eq!(window.oldest_flight().unwrap().sequence, 0);
        assert!(window.resend(0));
        assert_eq!(window.oldest_flight().unwrap().sequence, 2);
        assert_eq!(window.take_retransmission(), Some(0));
        window.sent(Instant::from_picoseconds(9), 0, 0);
        window.acknowledge(2);
        window.acknowledge(3);
        let oldest = window.oldest_flight().unwrap();
        assert_eq!((oldest.sequence, oldest.at), (0, Instant::from_picoseconds(9)));
        assert_eq!(window.in_flight(), 1);
    }

    #[test]
    fn a_round_trip_is_that_of_a_packet_that_was_sent_once() {
        let at = Instant::from_picoseconds;
        let mut window = Window::new(4);
        for sequence in 0..3 {
            window.sent(at(u64::from(sequence)), sequence, 0);
        }
        assert_eq!(window.round_trip(at(10), 0), Some(Duration::from_picoseconds(10)));
        assert_eq!(window.round_trip(at(10), 2), Some(Duration::from_picoseconds(8)), "though the first is missing");
        window.acknowledge(2);
        assert_eq!(window.round_trip(at(10), 2), None, "it was answered before");
        assert!(window.resend(0));
        assert_eq!(window.take_retransmission(), Some(0));
        window.sent(at(20), 0, 0);
        assert_eq!(window.round_trip(at(30), 0), None, "either sending may be answered");
    }

    #[test]
    fn a_packet_that_arrives_after_all_is_not_sent_again() {
        let mut window = Window::new(2);
        window.sent(Instant::ZERO, 0, 0);
        window.sent(Instant::ZERO, 1, 0);
        assert!(window.resend(0) && window.resend(1) && !window.resend(1));
        window.acknowledge(0);
        window.acknowledge(0);
        assert_eq!((window.waiting(), window.unacknowledged()), (1, 1));
        assert_eq!(window.take_retransmission(), Some(1));
        assert_eq!(window.take_retransmission(), None);
    }
}
