//! A trimming plan as the queues read it: shared by all ports that have the same.

use std::sync::Arc;

use crate::fair::costs;
use crate::surroundings::Note;
use crate::{DscpSet, Marking, Returns, Service, ShortPackets, TrimmedQueue, TrimmingPlan, Victim};

/// What a packet is to a trimming switch, which tells by its code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole, and may be cut.
    Data,
    /// Trimmed, here or before.
    Trimmed,
    /// On its way back to its sender.
    Returned,
    /// Never cut.
    Control,
    /// Data that is too short to be cut.
    Short,
}

#[derive(Debug)]
pub(crate) struct Settings {
    /// Room for data.
    pub data: u64,
    /// Room for trimmed packets; in one queue, for all.
    pub headers: u64,
    pub is_one_queue: bool,
    /// What a byte, or a packet, costs in virtual time.
    header_cost: u64,
    data_cost: u64,
    is_by_packets: bool,
    pub is_strict: bool,
    /// Trimmed packets always go back.
    pub returns_all: bool,
    /// Trimmed packets without room go back.
    pub returns_without_room: bool,
    pub trim_size: usize,
    pub victim: Victim,
    pub marking: Marking,
    pub returned: u8,
    pub corrects_lengths: bool,
    pub corrects_checksum: bool,
    pub short: ShortPackets,
    /// Code points of trimmed packets.
    trimmed: DscpSet,
    /// Code points of all packets that are not data.
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
            // In one queue the tail may be a header already, and cutting it would change the order of the others.
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

    /// What a packet of the queue for trimmed ones costs in virtual time.
    #[inline]
    pub fn header_cost(&self, note: Note) -> u64 {
        self.header_cost * self.units(note)
    }

    /// What a packet of the queue for data costs in virtual time.
    #[inline]
    pub fn data_cost(&self, note: Note) -> u64 {
        self.data_cost * self.units(note)
    }

    #[inline]
    fn units(&self, note: Note) -> u64 {
        if self.is_by_packets { 1 } else { u64::from(note.bytes) }
    }

    /// What a packet of this code point is.
    #[inline]
    pub fn kind(&self, dscp: u8) -> Kind {
        if !self.headers_class.contains(dscp) {
            Kind::Data
        } else if dscp == self.returned {
            Kind::Returned
        } else if self.trimmed.contains(dscp) {
            Kind::Trimmed
        } else {
            Kind::Control
        }
    }
}

/// The plans that ports already have. A switch has few different ones and many ports.
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
