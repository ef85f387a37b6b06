//! The plan of a trimming switch, and the variants that published designs differ in.

use wire::dscp;

use super::DscpSet;

/// The way in which packets that find no room lose their payload.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimmingPlan {
    /// Room for whole packets, in bytes on the wire. A packet that does not fit is trimmed.
    pub data: u64,
    /// The queue in which trimmed packets wait.
    pub trimmed: TrimmedQueue,
    /// The condition under which trimmed packets return to their sender instead of waiting.
    pub returns: Returns,
    /// The number of bytes that are kept of a trimmed packet, counted from its first byte, without framing. The IP
    /// header is always kept.
    pub trim_size: u32,
    /// The packet that is trimmed.
    pub victim: Victim,
    /// The code point given to trimmed packets.
    pub marking: Marking,
    /// The code point given to packets that return to their sender.
    pub returned: u8,
    /// True if the IP and UDP lengths are set to the new length, as SAI specifies; false if they keep the old one.
    pub corrects_lengths: bool,
    /// True if the IPv4 checksum is corrected and the UDP checksum, whose bytes are gone, is set to 0; false if both
    /// stay unchanged.
    pub corrects_checksum: bool,
    /// The code points of packets that are never trimmed and that wait where trimmed packets do. Trimmed and returned
    /// packets need not be named.
    pub control: DscpSet,
    /// The treatment of packets not longer than `trim_size` when there is no room for them.
    pub short: ShortPackets,
}

/// The queue in which trimmed packets wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrimmedQueue {
    /// The same queue as data packets, behind those (CP).
    Same {
        /// Room for all packets, in bytes on the wire; more than the room for data alone.
        limit: u64,
    },
    /// A separate queue, shared with control packets, which has the greater share of the link (NDP).
    Priority {
        /// The room of that queue in bytes on the wire.
        limit: u64,
        /// The way in which the two queues share the link while both have packets.
        service: Service,
    },
}

/// The way in which the queue for trimmed packets and the queue for data share a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// In proportion to bytes, as trimming.txt section 2 asks.
    Bytes {
        /// The share of trimmed and control packets; at least 1.
        headers: u32,
        /// The share of data packets; at least 1.
        data: u32,
    },
    /// In proportion to packets of whatever length: the round robin of the NDP paper.
    Packets {
        /// The share of trimmed and control packets; at least 1.
        headers: u32,
        /// The share of data packets; at least 1.
        data: u32,
    },
    /// Data packets are sent only when nothing else waits. Enough trimmed packets can starve them.
    Strict,
}

/// The condition under which trimmed packets return to their sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Never: a trimmed packet that finds no room is dropped.
    Never,
    /// They return when the queue for trimmed packets is full (NDP).
    WhenFull,
    /// Always; and a data packet is trimmed as soon as it would bring the queue of data above this watermark (SFC).
    Above {
        /// The watermark in bytes on the wire; at most the room for data.
        watermark: u64,
    },
}

/// The packet that is trimmed when data does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The arriving packet.
    Arriving,
    /// The arriving packet or the last one in the queue, each with probability 1/2, which breaks up phase effects
    /// (NDP).
    ArrivingOrTail,
}

/// The code point given to trimmed packets. Their IPv4 checksum is updated accordingly if checksums are corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marking {
    /// The packet keeps its code point.
    Unmarked,
    /// All trimmed packets get this one.
    Symmetric(u8),
    /// Each pair maps an original code point to a new one. Code points that are not named stay unchanged.
    Asymmetric(Vec<(u8, u8)>),
    /// The code point tells whether the destination is at the other end of the link, so that a receiver learns where
    /// the congestion was, as in Ultra Ethernet.
    LastHop {
        /// The code point at the last hop.
        last: u8,
        /// The code point at any other hop.
        elsewhere: u8,
    },
}

/// The treatment of packets that are too short to be trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortPackets {
    /// They are dropped, as switches drop packets that are not eligible for trimming.
    Dropped,
    /// They wait whole in the queue for trimmed packets, which are not shorter.
    WithTrimmed,
}

impl TrimmingPlan {
    /// The default number of bytes kept of a packet: Ethernet, IPv4, UDP and the 22 bytes of NDP's header.
    pub const TRIM_SIZE: u32 = 64;

    /// Returns the plan of NDP (Handley et al., SIGCOMM 2017, sections 3.1 and 3.2.4): as much room for headers as for
    /// data, shared 10 to 1, the arriving packet or the tail trimmed, and headers that find no room returned to the
    /// sender.
    pub fn ndp(data: u64) -> Self {
        Self {
            data,
            trimmed: TrimmedQueue::Priority { limit: data, service: Service::Bytes { headers: 10, data: 1 } },
            returns: Returns::WhenFull,
            trim_size: Self::TRIM_SIZE,
            victim: Victim::ArrivingOrTail,
            marking: Marking::Symmetric(dscp::TRIMMED),
            returned: dscp::RETURNED,
            corrects_lengths: true,
            corrects_checksum: true,
            control: DscpSet::EMPTY.with(dscp::CONTROL),
            short: ShortPackets::WithTrimmed,
        }
    }

    /// Returns the plan of cut payload (Cheng et al., "Catch the Whole Lot in an Action", NSDI 2014): one queue,
    /// arriving packets trimmed.
    pub fn cut_payload(threshold: u64, limit: u64) -> Self {
        Self {
            trimmed: TrimmedQueue::Same { limit },
            returns: Returns::Never,
            victim: Victim::Arriving,
            ..Self::ndp(threshold)
        }
    }

    /// Returns the plan of source flow control: trimmed packets return to their sender from a watermark on
    /// (trimming.txt section 2).
    pub fn source_flow_control(watermark: u64, data: u64) -> Self {
        Self { returns: Returns::Above { watermark }, victim: Victim::Arriving, ..Self::ndp(data) }
    }
}
