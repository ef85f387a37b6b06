//! What trimming switches do, and in what they differ.

use wire::dscp;

use super::DscpSet;

/// How packets that find no room lose their payload.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimmingPlan {
    /// Room for whole packets, in bytes on the wire. What does not fit is cut.
    pub data: u64,
    /// Where trimmed packets wait.
    pub trimmed: TrimmedQueue,
    /// When trimmed packets go back to their sender instead.
    pub returns: Returns,
    /// What is left of a packet, in bytes from its first one, without framing. The IP header always stays.
    pub trim_size: u32,
    /// Which packet is cut.
    pub victim: Victim,
    /// Which code point trimmed packets get.
    pub marking: Marking,
    /// Which code point packets get that go back to their sender.
    pub returned: u8,
    /// True if the IP and UDP lengths tell the new length, as SAI says; false if they keep the old one.
    pub corrects_lengths: bool,
    /// True if the IPv4 checksum is right again and the UDP checksum, which nobody can compute any more, is 0; false
    /// if both stay as they were.
    pub corrects_checksum: bool,
    /// Packets that are never cut and wait where trimmed ones do, by code point; trimmed and returned packets need
    /// not be named.
    pub control: DscpSet,
    /// What becomes of packets that are not longer than `trim_size` when there is no room for them.
    pub short: ShortPackets,
}

/// Where trimmed packets wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrimmedQueue {
    /// Behind the others, in the same queue (CP).
    Same {
        /// Room for everything, in bytes on the wire; more than that for data alone.
        limit: u64,
    },
    /// In a queue of their own, together with control packets, which has the greater part of the line (NDP).
    Priority {
        /// Its room, in bytes on the wire.
        limit: u64,
        /// How the two queues share the line while both have packets.
        service: Service,
    },
}

/// How the queue for trimmed packets and the one for data share a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// By bytes, as trimming.txt section 2 asks.
    Bytes {
        /// The part of trimmed and control packets; from 1.
        headers: u32,
        /// The part of data; from 1.
        data: u32,
    },
    /// By packets, of whatever length: the round robin of the NDP paper.
    Packets {
        /// The part of trimmed and control packets; from 1.
        headers: u32,
        /// The part of data; from 1.
        data: u32,
    },
    /// Data goes only when nothing else waits. Enough trimmed packets then starve it.
    Strict,
}

/// When trimmed packets go back to their sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Never: without room for it a trimmed packet is dropped.
    Never,
    /// When the queue for trimmed packets is full (NDP).
    WhenFull,
    /// Always; and data is cut as soon as it would make more bytes of data wait than this (SFC).
    Above {
        /// In bytes on the wire; at most the room for data.
        watermark: u64,
    },
}

/// Which packet is cut when data does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The one that came.
    Arriving,
    /// That one or the last that waits, each with probability 1/2, which breaks up phase effects (NDP).
    ArrivingOrTail,
}

/// Which code point trimmed packets get. Their IPv4 checksum is updated accordingly if checksums are corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marking {
    /// The one that they had.
    Unmarked,
    /// The same for all.
    Symmetric(u8),
    /// One for each original code point: from, and to. Those that are not named stay.
    Asymmetric(Vec<(u8, u8)>),
    /// One if the destination is at the other end of the line, another if not, as Ultra Ethernet tells a receiver
    /// where the congestion was.
    LastHop {
        /// At the last hop.
        last: u8,
        /// Anywhere else.
        elsewhere: u8,
    },
}

/// What becomes of packets too short to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortPackets {
    /// They are dropped, as a switch drops what is not eligible.
    Dropped,
    /// They wait whole where trimmed packets do, which are not shorter.
    WithTrimmed,
}

impl TrimmingPlan {
    /// Bytes that are left of a packet by default: Ethernet, IPv4, UDP and the 22 bytes of NDP's header.
    pub const TRIM_SIZE: u32 = 64;

    /// NDP (Handley et al., SIGCOMM 2017, sections 3.1 and 3.2.4): as much room for headers as for data, parts 10 to
    /// 1, arriving packet or tail, back to the sender when even the header finds no room.
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

    /// Cut payload (Cheng et al., "Catch the Whole Lot in an Action", NSDI 2014): one queue, arriving packets.
    pub fn cut_payload(threshold: u64, limit: u64) -> Self {
        Self {
            trimmed: TrimmedQueue::Same { limit },
            returns: Returns::Never,
            victim: Victim::Arriving,
            ..Self::ndp(threshold)
        }
    }

    /// Source flow control: trimmed packets go back from a watermark on (trimming.txt section 2).
    pub fn source_flow_control(watermark: u64, data: u64) -> Self {
        Self { returns: Returns::Above { watermark }, victim: Victim::Arriving, ..Self::ndp(data) }
    }
}
