//! A message on its way in: what is here, what was granted, what is to be acknowledged.

use super::Parameters;
use super::credit::whole_of_16;
use super::format::{HEAD, Says};
use crate::arrivals::Arrivals;
use crate::return_paths::ReturnPaths;
use serde::{Deserialize, Serialize};

/// The three kinds of sender that a receiver tells apart; the first goes before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// Has something to send again.
    Retransmitting = 0,
    /// Has asked for more than it was granted.
    Active = 1,
    /// Was granted all that it has asked for, and has more.
    Idle = 2,
}

/// A message on its way in.
#[derive(Debug, Serialize, Deserialize)]
pub struct Incoming {
    pub source: u32,
    pub message: u32,
    pub arrivals: Arrivals,
    /// By which paths credit goes.
    pub return_paths: ReturnPaths,
    /// Quanta that were granted.
    granted: u64,
    /// Quanta of which the sender has said that it wants to have been granted them.
    wanted: u64,
    /// Quanta, not granted yet, for packets that have to be sent again.
    to_send_again: u64,
    /// True if the sender has asked although it was granted what it wants: what was said of it is to be said again.
    is_unheard: bool,
    /// True if the sender has more to send than it wants to have been granted.
    has_more: bool,
    /// In which of the pacer's lists it is.
    pub is_listed: [bool; 3],
    unacknowledged: Unacknowledged,
}

/// What has arrived since the last ACK.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Unacknowledged {
    bytes: u32,
    /// The first and the last packet, in the order of their numbers.
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

    /// The sender has said how much it wants to have been granted, and whether that is all. What is said late is below
    /// what was said before, and what no sender would ask for is not heeded.
    pub fn want(&mut self, target: u16, has_more: bool, parameters: &Parameters) {
        let Some(wanted) = whole_of_16(self.granted, target) else { return };
        if wanted >= self.wanted && wanted <= self.granted + parameters.most_wanted() {
            self.wanted = wanted;
            self.has_more = has_more;
        }
    }

    /// The sender has asked for credit without data, and says how many packets it has to send again.
    pub fn request(&mut self, packets: u32, parameters: &Parameters) {
        let backlog = self.wanted.saturating_sub(self.granted);
        let again = u64::from(packets) * parameters.quanta(u64::from(parameters.packet_bytes));
        self.to_send_again = self.to_send_again.max(again.min(backlog));
        self.is_unheard |= backlog == 0;
    }

    /// A packet that is missing has arrived without its payload: its sender is granted another for it.
    pub fn trimmed(&mut self, payload: u16, parameters: &Parameters) {
        let again = self.to_send_again + parameters.quanta((HEAD + usize::from(payload)) as u64);
        self.to_send_again = again.min(self.missing(parameters));
    }

    /// What is missing, in quanta.
    fn missing(&self, parameters: &Parameters) -> u64 {
        u64::from(self.arrivals.missing()) * parameters.quanta(u64::from(parameters.packet_bytes))
    }

    /// Which kind of sender it is; `None` if it is to be granted nothing.
    pub fn class(&self, parameters: &Parameters) -> Option<Class> {
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

    /// Grants what one CREDIT may grant to a sender of this class, and says how many quanta.
    pub fn grant(&mut self, class: Class, parameters: &Parameters) -> u64 {
        let backlog = self.wanted.saturating_sub(self.granted);
        let useful = match class {
            Class::Retransmitting => self.to_send_again.max(backlog),
            Class::Active => backlog,
            // One window more than it has asked for.
            Class::Idle => self.wanted + parameters.window_quanta() - self.granted,
        };
        let quanta = useful.min(parameters.credit_quanta());
        self.granted += quanta;
        self.to_send_again = self.to_send_again.saturating_sub(quanta);
        self.is_unheard = false;
        quanta
    }

    /// How many quanta were granted, as CREDIT says it.
    pub fn granted(&self) -> u32 {
        self.granted as u32
    }

    /// A packet that was not here until now is here. Gives an ACK if the one that is being gathered has no room for
    /// it.
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

    /// Bytes that have arrived since the last ACK.
    pub fn unacknowledged_bytes(&self) -> u32 {
        self.unacknowledged.bytes
    }

    /// The ACK of what has arrived since the last one.
    pub fn acknowledge(&mut self, path: u16) -> Says {
        let first = self.unacknowledged.range.map_or(0, |(first, _)| first);
        self.unacknowledged = Unacknowledged::default();
        self.acknowledge_from(first, path)
    }

    /// An ACK whose bitmap begins at a packet, or at the first that is missing if that is later.
    pub fn acknowledge_from(&self, first: u32, path: u16) -> Says {
        let cumulative = self.arrivals.first_missing();
        let reference = u16::try_from(first.saturating_sub(cumulative)).unwrap_or(0);
        let bitmap = self.arrivals.from(cumulative + u32::from(reference));
        Says::Ack { cumulative, reference, bitmap, path }
    }
}
