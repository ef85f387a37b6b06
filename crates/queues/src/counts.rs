//! The counters of a queue, with the names of SAI (opencomputeproject/SAI, `inc/saiqueue.h`, `inc/saiport.h`).

use node::{Counter, Port};
use serde::{Deserialize, Serialize};

use crate::Tally;
use crate::surroundings::Note;

/// The counters of one queue. Those that only congested queues need are allocated separately, because most queues
/// never need them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    packets: u64,
    bytes: u64,
    rare: Option<Box<Rare>>,
}

/// The counters that change only under congestion.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rare {
    pub dropped_packets: u64,
    pub dropped_bytes: u64,
    pub early_dropped: u64,
    pub marked: u64,
    pub trimmed: u64,
    pub trimmed_dropped: u64,
    pub trimmed_sent: u64,
    pub returned: u64,
}

/// The sums of the counters of all queues of a port.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    packets: u64,
    bytes: u64,
    rare: Rare,
}

impl Counts {
    /// Counts a packet that left on the link.
    #[inline]
    pub fn sent(&mut self, note: Note) {
        self.packets += 1;
        self.bytes += u64::from(note.bytes);
        if note.is_trimmed {
            self.rare().trimmed_sent += 1;
        }
    }

    /// Counts a packet that found no room in its original length.
    pub fn dropped(&mut self, bytes: u32) {
        let rare = self.rare();
        rare.dropped_packets += 1;
        rare.dropped_bytes += u64::from(bytes);
    }

    pub fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        totals.packets += self.packets;
        totals.bytes += self.bytes;
        let Some(rare) = &self.rare else { return };
        totals.rare.dropped_packets += rare.dropped_packets;
        totals.rare.dropped_bytes += rare.dropped_bytes;
        totals.rare.early_dropped += rare.early_dropped;
        totals.rare.marked += rare.marked;
        totals.rare.trimmed += rare.trimmed;
        totals.rare.trimmed_dropped += rare.trimmed_dropped;
        totals.rare.trimmed_sent += rare.trimmed_sent;
        totals.rare.returned += rare.returned;
    }
}

impl Totals {
    /// Adds packets that left on the link.
    pub fn add_sent(&mut self, sent: Tally) {
        self.packets += sent.packets;
        self.bytes += sent.bytes;
    }

    /// Adds packets that found no room.
    pub fn add_dropped(&mut self, dropped: Tally) {
        self.rare.dropped_packets += dropped.packets;
        self.rare.dropped_bytes += dropped.bytes;
    }

    /// Reports the counters that are not zero.
    pub fn tell(&self, port: Port, tell: &mut dyn FnMut(Counter)) {
        let Rare {
            dropped_packets,
            dropped_bytes,
            early_dropped,
            marked,
            trimmed,
            trimmed_dropped,
            trimmed_sent,
            returned,
        } = self.rare;
        let counted = [
            ("SAI_QUEUE_STAT_PACKETS", self.packets),
            ("SAI_QUEUE_STAT_BYTES", self.bytes),
            ("SAI_QUEUE_STAT_DROPPED_PACKETS", dropped_packets),
            ("SAI_QUEUE_STAT_DROPPED_BYTES", dropped_bytes),
            ("SAI_QUEUE_STAT_WRED_DROPPED_PACKETS", early_dropped),
            ("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", marked),
            ("SAI_PORT_STAT_TRIM_PACKETS", trimmed),
            ("SAI_PORT_STAT_DROPPED_TRIM_PACKETS", trimmed_dropped),
            ("SAI_PORT_STAT_TX_TRIM_PACKETS", trimmed_sent),
            // SAI has no counter for packets returned to their sender.
            ("RETURNED_TO_SENDER_PACKETS", returned),
        ];
        for (name, value) in counted.into_iter().filter(|&(_, value)| value > 0) {
            tell(Counter { name, port: Some(port), value });
        }
    }
}
