//! A trimming plan in the form that the queues use, shared by all ports with equal plans.

use std::sync::Arc;

use crate::fair::costs;
use crate::surroundings::Note;
use crate::{DscpSet, Marking, Returns, Service, ShortPackets, TrimmedQueue, TrimmingPlan, Victim};

/// The kind of a packet for a trimming switch, which its code point tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrimmingClass {
    /// A whole packet, which may be trimmed.
    Data,
    /// A packet that was trimmed by this switch or before.
    Trimmed,
    /// A packet on its way back to its sender.
    Returned,
    /// A control packet, which is never trimmed.
    Control,
    /// A data packet that is too short to be trimmed.
    Short,
}

#[derive(Debug)]
pub(crate) struct Settings {
    /// The room for data, in bytes on the wire.
    pub data: u64,
    /// The room for trimmed packets; if there is only one queue, the room for all packets.
    pub headers: u64,
    pub is_one_queue: bool,
    /// The cost of a byte, or of a packet, in virtual time.
    header_cost: u64,
    data_cost: u64,
    is_by_packets: bool,
    pub is_strict: bool,
    /// True if trimmed packets always return to their sender.
    pub returns_all: bool,
    /// True if trimmed packets that find no room return to their sender.
    pub returns_without_room: bool,
    pub trim_size: usize,
    pub victim: Victim,
    pub marking: Marking,
    pub returned: u8,
    pub corrects_lengths: bool,
    pub corrects_checksum: bool,
    pub short: ShortPackets,
    /// The code points of trimmed packets.
    trimmed: DscpSet,
    /// The code points of all packets other than data.
    headers_class: DscpSet,
}

impl Settings {
    fn new(plan: &TrimmingPlan) -> Self {
        let (headers, service, is_one_queue) = match plan.trimmed {
            TrimmedQueue::Same { limit } => (limit, Service::Strict, true),
            TrimmedQueue::Priority { limit, service } => (limit, service, false),
        };
        let costs = match service {
            Service::Bytes { headers, data } | Service::Packets { headers, data } => costs(&[headers, data]),
            Service::Strict => vec![1, 1],
        };
        let trimmed = match &plan.marking {
            Marking::Unmarked => DscpSet::EMPTY,
            Marking::Symmetric(dscp) => DscpSet::EMPTY.with(*dscp),
            Marking::Asymmetric(map) => map.iter().map(|&(_, dscp)| dscp).collect(),
            Marking::LastHop { last, elsewhere } => DscpSet::EMPTY.with(*last).with(*elsewhere),
        };
        let watermark = match plan.returns {
            Returns::Above { watermark } => watermark,
            Returns::Never | Returns::WhenFull => u64::MAX,
        };
        Self {
            data: plan.data.min(watermark),
            headers,
            is_one_queue,
            header_cost: costs[0],
            data_cost: costs[1],
            is_by_packets: matches!(service, Service::Packets { .. }),
            is_strict: matches!(service, Service::Strict),
            returns_all: matches!(plan.returns, Returns::Above { .. }),
            returns_without_room: plan.returns != Returns::Never,
            trim_size: plan.trim_size as usize,
            // With one queue, the tail may be a header already, and trimming another packet would change the order.
            victim: if is_one_queue { Victim::Arriving } else { plan.victim },
            marking: plan.marking.clone(),
            returned: plan.returned,
            corrects_lengths: plan.corrects_lengths,
            corrects_checksum: plan.corrects_checksum,
            short: plan.short,
            trimmed,
            headers_class: plan.control.or(trimmed).with(plan.returned),
        }
    }

    /// Returns the cost in virtual time of a packet from the queue for trimmed packets.
    #[inline]
    pub fn header_cost(&self, note: Note) -> u64 {
        self.header_cost * self.units(note)
    }

    /// Returns the cost in virtual time of a packet from the queue for data.
    #[inline]
    pub fn data_cost(&self, note: Note) -> u64 {
        self.data_cost * self.units(note)
    }

    #[inline]
    fn units(&self, note: Note) -> u64 {
        if self.is_by_packets { 1 } else { u64::from(note.bytes) }
    }

    /// Returns the kind of packets with this code point.
    #[inline]
    pub fn kind(&self, dscp: u8) -> TrimmingClass {
        if !self.headers_class.contains(dscp) {
            TrimmingClass::Data
        } else if dscp == self.returned {
            TrimmingClass::Returned
        } else if self.trimmed.contains(dscp) {
            TrimmingClass::Trimmed
        } else {
            TrimmingClass::Control
        }
    }
}

/// The settings that ports already have. A switch has many ports but few different plans.
#[derive(Debug, Default)]
pub(crate) struct Known(Vec<(TrimmingPlan, Arc<Settings>)>);

impl Known {
    pub fn settings(&mut self, plan: &TrimmingPlan) -> Arc<Settings> {
        if let Some((_, settings)) = self.0.iter().find(|(known, _)| known == plan) {
            return Arc::clone(settings);
        }
        let settings = Arc::new(Settings::new(plan));
        self.0.push((plan.clone(), Arc::clone(&settings)));
        settings
    }
}
