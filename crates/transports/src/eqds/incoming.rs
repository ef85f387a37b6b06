//! An arriving message: what has arrived, what was granted, and what is to be acknowledged.

use super::EqdsParameters;
use super::credit::whole_of_16;
use super::format::{HEAD, Says};
use crate::arrivals::Arrivals;
use crate::return_paths::ReturnPaths;
use serde::{Deserialize, Serialize};

/// The three classes of senders that a receiver distinguishes, in descending order of priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// The sender has something to retransmit.
    Retransmitting = 0,
    /// The sender has requested more than it was granted.
    Active = 1,
    /// The sender was granted everything that it has requested, and has more to send.
    Idle = 2,
}

/// An arriving message.
#[derive(Debug, Serialize, Deserialize)]
pub struct Incoming {
    pub source: u32,
    pub message: u32,
    pub arrivals: Arrivals,
    /// The paths for credit.
    pub return_paths: ReturnPaths,
    /// The number of quanta granted.
    granted: u64,
    /// The total number of quanta that the sender has requested.
    wanted: u64,
    /// The number of quanta, not granted yet, for packets to be retransmitted.
    to_send_again: u64,
    /// True if the sender has requested credit although it was granted everything; the total must be sent again.
    is_unheard: bool,
    /// True if the sender has more to send than it has requested.
    has_more: bool,
    /// For each of the pacer's lists, whether the message is in it.
    pub is_listed: [bool; 3],
    unacknowledged: Unacknowledged,
}

/// The arrivals since the last ACK.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Unacknowledged {
    bytes: u32,
    /// The packets with the lowest and the highest sequence number.
    range: Option<(u32, u32)>,
}

impl Incoming {
    pub fn new(source: u32, message: u32, packets: u32) -> Self {
        Self {
            source,
            message,
            arrivals: Arrivals::new(packets),
            return_paths: ReturnPaths::default(),
            granted: 0,
            wanted: 0,
            to_send_again: 0,
            is_unheard: false,
            has_more: false,
            is_listed: [false; 3],
            unacknowledged: Unacknowledged::default(),
        }
    }

    /// Records the sender's total demand, and whether it has more. Outdated demand, which is below an earlier one, is
    /// ignored, and so is demand that no correct sender would have.
    pub fn want(&mut self, target: u16, has_more: bool, parameters: &EqdsParameters) {
        let Some(wanted) = whole_of_16(self.granted, target) else { return };
        if wanted >= self.wanted && wanted <= self.granted + parameters.most_wanted() {
            self.wanted = wanted;
            self.has_more = has_more;
        }
    }

    /// Handles an RTS, with the number of packets that the sender has to retransmit.
    pub fn request(&mut self, packets: u32, parameters: &EqdsParameters) {
        let backlog = self.wanted.saturating_sub(self.granted);
        let again = u64::from(packets) * parameters.quanta(u64::from(parameters.packet_bytes));
        self.to_send_again = self.to_send_again.max(again.min(backlog));
        self.is_unheard |= backlog == 0;
    }

    /// Records that a missing packet has arrived without its payload, for which its sender is granted as much again.
    pub fn trimmed(&mut self, payload: u16, parameters: &EqdsParameters) {
        let again = self.to_send_again + parameters.quanta((HEAD + usize::from(payload)) as u64);
        self.to_send_again = again.min(self.missing(parameters));
    }

    /// Returns the number of quanta for the missing packets.
    fn missing(&self, parameters: &EqdsParameters) -> u64 {
        u64::from(self.arrivals.missing()) * parameters.quanta(u64::from(parameters.packet_bytes))
    }

    /// Returns the class of the sender; `None` if it is to be granted nothing.
    pub fn class(&self, parameters: &EqdsParameters) -> Option<Class> {
        if self.to_send_again > 0 || self.is_unheard {
            Some(Class::Retransmitting)
        } else if self.wanted > self.granted {
            Some(Class::Active)
        } else if self.has_more && self.granted - self.wanted < parameters.window_quanta() {
            Some(Class::Idle)
        } else {
            None
        }
    }

    /// Grants as much as one CREDIT may grant to a sender of the given class, and returns the number of quanta.
    pub fn grant(&mut self, class: Class, parameters: &EqdsParameters) -> u64 {
        let backlog = self.wanted.saturating_sub(self.granted);
        let useful = match class {
            Class::Retransmitting => self.to_send_again.max(backlog),
            Class::Active => backlog,
            // An idle sender may be granted up to one window more than it has requested.
            Class::Idle => self.wanted + parameters.window_quanta() - self.granted,
        };
        let quanta = useful.min(parameters.credit_quanta());
        self.granted += quanta;
        self.to_send_again = self.to_send_again.saturating_sub(quanta);
        self.is_unheard = false;
        quanta
    }

    /// Returns the total number of quanta granted, as CREDIT carries it.
    pub fn granted(&self) -> u32 {
        self.granted as u32
    }

    /// Records the arrival of a new packet. Returns an ACK of the earlier packets if the range of one ACK cannot hold
    /// this packet as well.
    pub fn arrived(&mut self, sequence: u32, payload: u16, path: u16) -> Option<Says> {
        let full = match self.unacknowledged.range {
            Some((first, last)) => {
                let first = first.max(self.arrivals.first_missing()).min(sequence);
                last.max(sequence) - first >= u64::BITS
            }
            None => false,
        };
        let ack = full.then(|| self.acknowledge(path));
        self.arrivals.arrived(sequence, payload);
        let pending = &mut self.unacknowledged;
        pending.bytes = pending.bytes.saturating_add(u32::from(payload));
        let (first, last) = pending.range.unwrap_or((sequence, sequence));
        pending.range = Some((first.min(sequence), last.max(sequence)));
        ack
    }

    /// Returns the number of bytes that have arrived since the last ACK.
    pub fn unacknowledged_bytes(&self) -> u32 {
        self.unacknowledged.bytes
    }

    /// Returns an ACK of what has arrived since the last one.
    pub fn acknowledge(&mut self, path: u16) -> Says {
        let first = self.unacknowledged.range.map_or(0, |(first, _)| first);
        self.unacknowledged = Unacknowledged::default();
        self.acknowledge_from(first, path)
    }

    /// Returns an ACK whose bitmap begins at `first`, or at the first missing packet if that is later.
    pub fn acknowledge_from(&self, first: u32, path: u16) -> Says {
        let cumulative = self.arrivals.first_missing();
        let reference = u16::try_from(first.saturating_sub(cumulative)).unwrap_or(0);
        let bitmap = self.arrivals.from(cumulative + u32::from(reference));
        Says::Ack { cumulative, reference, bitmap, path }
    }
}
