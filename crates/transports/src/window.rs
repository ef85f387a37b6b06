//! The state of each packet of an outgoing message.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

/// The state of a packet that was sent: a [`DeliveryStatus`] in the low 2 bits, and above it the number of
/// retransmissions, modulo 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PacketState(u8);

/// The whereabouts of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum DeliveryStatus {
    /// The packet is in flight, as far as the sender knows.
    InFlight = 0,
    /// The packet waits to be retransmitted.
    Waiting = 1,
    /// The receiver has the packet.
    Acknowledged = 2,
}

impl PacketState {
    fn status(self) -> DeliveryStatus {
        match self.0 & 3 {
            0 => DeliveryStatus::InFlight,
            1 => DeliveryStatus::Waiting,
            _ => DeliveryStatus::Acknowledged,
        }
    }

    fn set_status(&mut self, status: DeliveryStatus) {
        self.0 = self.0 & !3 | status as u8;
    }

    /// Returns true if the packet was sent only once, as far as the wrapping counter can tell.
    fn is_first(self) -> bool {
        self.0 >> 2 == 0
    }

    fn sent_again(self) -> Self {
        Self(self.0.wrapping_add(4) & !3 | DeliveryStatus::InFlight as u8)
    }
}

/// One transmission of a packet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Flight {
    /// The time of the transmission.
    pub at: Instant,
    /// The path that the packet has taken.
    pub path: u16,
    /// The packet's sequence number.
    pub sequence: u32,
    state: PacketState,
}

/// The state of each packet of a message. It keeps only the packets from the first unacknowledged one up to the last
/// one sent, and every operation takes amortized constant time.
#[derive(Debug, Serialize, Deserialize)]
pub struct Window {
    packets: u32,
    /// All packets before this one have arrived.
    base: u32,
    /// The states of the packets from `base` on that were sent at least once.
    states: VecDeque<PacketState>,
    unacknowledged: u32,
    in_flight: u32,
    /// The transmissions, in order of time. The first one is still in flight; later entries may be outdated and are
    /// skipped when they come to the front.
    flights: VecDeque<Flight>,
    waiting: u32,
    /// The packets to retransmit, in order; those that have been acknowledged since are skipped.
    retransmissions: VecDeque<u32>,
}

impl Window {
    /// Creates the window of a message of which no packet was sent.
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

    /// Returns the number of packets that are not known to have arrived.
    pub fn unacknowledged(&self) -> u32 {
        self.unacknowledged
    }

    /// Returns the number of packets in flight, as far as the sender knows.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Returns the number of packets that wait to be retransmitted.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Returns the next packet to send for the first time; equal to the number of packets if all have been sent.
    pub fn next_new(&self) -> u32 {
        self.base + self.states.len() as u32
    }

    /// Returns true if some packets have never been sent.
    pub fn has_new(&self) -> bool {
        self.next_new() < self.packets
    }

    /// Returns the oldest transmission that has not been answered.
    pub fn oldest_flight(&self) -> Option<Flight> {
        self.flights.front().copied()
    }

    /// Returns the round-trip time of a packet that is answered now; `None` if the packet was sent more than once, so
    /// that it is unclear which transmission is answered, or if it was answered before.
    #[inline]
    pub fn round_trip(&self, now: Instant, sequence: u32) -> Option<Duration> {
        let front = self.flights.front()?;
        let flight = if front.sequence == sequence {
            front
        } else {
            // First transmissions are in order of sequence numbers. If there are retransmissions before it, the binary
            // search may miss a packet; a later packet will provide the measurement.
            let place = self.flights.partition_point(|flight| flight.sequence < sequence);
            self.flights.get(place).filter(|flight| flight.sequence == sequence)?
        };
        let is_in_flight = self.states.get(sequence.checked_sub(self.base)? as usize) == Some(&flight.state);
        (flight.state.is_first() && is_in_flight).then(|| now.since(flight.at))
    }

    /// Returns true if the packet is known to have arrived.
    pub fn is_acknowledged(&self, sequence: u32) -> bool {
        let Some(index) = sequence.checked_sub(self.base) else { return true };
        self.states.get(index as usize).is_some_and(|state| state.status() == DeliveryStatus::Acknowledged)
    }

    fn state(&mut self, sequence: u32) -> Option<&mut PacketState> {
        let index = sequence.checked_sub(self.base)?;
        self.states.get_mut(index as usize)
    }

    /// Removes and returns the next packet to retransmit.
    pub fn take_retransmission(&mut self) -> Option<u32> {
        while let Some(sequence) = self.retransmissions.pop_front() {
            if self.state(sequence).is_some_and(|state| state.status() == DeliveryStatus::Waiting) {
                self.waiting -= 1;
                return Some(sequence);
            }
        }
        None
    }

    /// Records that a packet is sent: a retransmission from [`Self::take_retransmission`], or else the next new packet.
    pub fn sent(&mut self, at: Instant, sequence: u32, path: u16) {
        let state = if sequence == self.next_new() {
            let state = PacketState(DeliveryStatus::InFlight as u8);
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

    /// Records that a packet has arrived.
    pub fn acknowledge(&mut self, sequence: u32) {
        let Some(state) = self.state(sequence) else { return };
        let status = state.status();
        state.set_status(DeliveryStatus::Acknowledged);
        match status {
            DeliveryStatus::InFlight => self.in_flight -= 1,
            DeliveryStatus::Waiting => self.waiting -= 1,
            DeliveryStatus::Acknowledged => return,
        }
        self.unacknowledged -= 1;
        while self.states.front().is_some_and(|state| state.status() == DeliveryStatus::Acknowledged) {
            self.states.pop_front();
            self.base += 1;
        }
        self.pass_over();
    }

    /// Records that all packets before this one have arrived.
    pub fn acknowledge_before(&mut self, sequence: u32) {
        // Packets that were never sent cannot have arrived.
        for sequence in self.base..sequence.min(self.next_new()) {
            self.acknowledge(sequence);
        }
    }

    /// Records that all packets have arrived.
    pub fn acknowledge_all(&mut self) {
        self.unacknowledged = 0;
    }

    /// Marks a packet that is in flight for retransmission. Returns false if it is not in flight.
    pub fn resend(&mut self, sequence: u32) -> bool {
        let Some(state) = self.state(sequence).filter(|state| state.status() == DeliveryStatus::InFlight) else {
            return false;
        };
        state.set_status(DeliveryStatus::Waiting);
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
    fn the_oldest_flight_is_unanswered() {
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
    fn round_trips_are_measured_on_packets_sent_once() {
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
    fn a_late_acknowledgement_cancels_the_retransmission() {
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
