//! What a RoCEv2 host can be told.

use basis::{Duration, Rate};
use node::Line;
use serde::{Deserialize, Serialize};
use wire::{dscp, infiniband};

use super::format::{HEADERS_OF_ANY, HEADERS_OF_MOST, RETH};

/// What a RoCEv2 host can be told. Hosts that talk with each other must agree in [`Parameters::recovery`], as queue
/// pairs do when they are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// The line that the host sends on: its rate is the highest that a queue pair has.
    pub line: Line,
    /// Payload of a full packet in bytes, the path's MTU in InfiniBand's sense: 256, 512, 1024, 2048 or 4096 there;
    /// here any multiple of 4 from 64 to 32,768.
    pub payload: u32,
    /// What becomes of packets that are lost.
    pub recovery: Recovery,
    /// Packets of a queue pair that may be unacknowledged, 1 to [`Parameters::LARGEST_WINDOW`].
    pub window: u32,
    /// After so many packets an acknowledgement is asked for; always for the last of a message. 1 to 255.
    pub packets_per_ack: u8,
    /// How long the oldest packet may be without an acknowledgement. More than zero.
    pub timeout: Duration,
    /// The same while no more than [`Parameters::few`] packets are under way. More than zero.
    pub short_timeout: Duration,
    /// See [`Parameters::short_timeout`]; 0 for never.
    pub few: u32,
    /// So many times in a row a queue pair goes back, because of a timeout or a sequence error, with nothing
    /// acknowledged between; the next time it fails. InfiniBand has 3 bits for it.
    pub retries: u8,
    /// Bytes of a single write, at most 2^31 (InfiniBand's limit); longer messages are several.
    pub longest_write: u32,
    /// The code point of acknowledgements: network cards send them in the class of the data.
    pub ack_dscp: u8,
    /// The code point of congestion notifications, which have a class of their own.
    pub notification_dscp: u8,
    /// DCQCN; without it, packets are not ECN-capable and queue pairs send at the rate of the line.
    pub dcqcn: Option<Dcqcn>,
}

/// What becomes of packets that are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recovery {
    /// The receiver takes packets in their order only, and the sender begins again at the one that is missing.
    #[default]
    GoBackN,
    /// The receiver takes packets in any order and says which it has; the sender sends those that are missing (IRN:
    /// Mittal et al., SIGCOMM 2018).
    SelectiveRepeat,
}

/// The parameters of DCQCN (Zhu et al., SIGCOMM 2015), in that paper's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dcqcn {
    /// N: a receiver sends at most one notification for a queue pair in this time.
    pub notification_interval: Duration,
    /// 1/g: alpha moves by this part of what it has to go. At least 1.
    pub gain_divisor: u32,
    /// K: without a notification for so long, alpha falls. More than zero.
    pub alpha_timer: Duration,
    /// T: the rate is raised each time that so much time is over. More than zero.
    pub increase_timer: Duration,
    /// B: the rate is raised each time that so many bytes are sent. At least 1.
    pub byte_counter: u64,
    /// F: how often it is raised half way back to the target before that is raised, too.
    pub fast_recoveries: u32,
    /// R_AI, by which additive increase raises the target.
    pub additive: Rate,
    /// R_HAI, by which hyper increase raises it.
    pub hyper: Rate,
    /// No rate is lower.
    pub lowest: Rate,
}

impl Default for Dcqcn {
    /// The paper's, for lines of 40 Gb/s. R_HAI is from the sample configuration of its authors' simulator (github
    /// bobzhuyb/ns3-rdma, `mix/config.txt`), the lowest rate that simulator's default.
    fn default() -> Self {
        Self {
            notification_interval: Duration::from_microseconds(50),
            gain_divisor: 256,
            alpha_timer: Duration::from_microseconds(55),
            increase_timer: Duration::from_microseconds(55),
            byte_counter: 10_000_000,
            fast_recoveries: 5,
            additive: Rate::from_bits_per_second(40_000_000),
            hyper: Rate::from_bits_per_second(200_000_000),
            lowest: Rate::from_bits_per_second(100_000_000),
        }
    }
}

impl Parameters {
    /// The defaults for a host on `line`. With [`Recovery::GoBackN`] as network cards do it: no window, an
    /// acknowledgement every 16 packets, a timeout of 4.096 us x 2^10. With [`Recovery::SelectiveRepeat`] as in IRN: an
    /// acknowledgement for each packet, timeouts of 320 us, or 100 us while no more than 3 packets are under way, and a
    /// window, of 128 packets here.
    pub fn new(line: Line, recovery: Recovery) -> Self {
        let of_cards = Self {
            line,
            payload: 1024,
            recovery,
            window: Self::LARGEST_WINDOW,
            packets_per_ack: 16,
            timeout: Duration::from_nanoseconds(4096 << 10),
            short_timeout: Duration::from_nanoseconds(4096 << 10),
            few: 0,
            retries: 7,
            longest_write: 1 << 31,
            ack_dscp: dscp::DATA,
            notification_dscp: dscp::CONTROL,
            dcqcn: Some(Dcqcn::default()),
        };
        match recovery {
            Recovery::GoBackN => of_cards,
            Recovery::SelectiveRepeat => Self {
                window: 128,
                packets_per_ack: 1,
                timeout: Duration::from_microseconds(320),
                short_timeout: Duration::from_microseconds(100),
                few: 3,
                ..of_cards
            },
        }
    }

    /// More packets than this must not be unacknowledged: of two with numbers as far apart as half of all numbers nobody
    /// could say which is the later.
    pub const LARGEST_WINDOW: u32 = infiniband::NUMBERS / 2 - 1;

    /// The longest packet in bytes, from the first of Ethernet's: the only one of a message that is as long as a full
    /// packet.
    pub fn packet_bytes(&self) -> u32 {
        self.payload + HEADERS_OF_ANY as u32
    }

    /// What a packet between the first and the last of a message has beside its payload, in bytes.
    pub fn header_bytes(&self) -> u32 {
        let place = if self.recovery == Recovery::SelectiveRepeat { RETH } else { 0 };
        (HEADERS_OF_MOST + place) as u32
    }

    pub(super) fn timeout(&self, under_way: u64) -> Duration {
        if under_way <= u64::from(self.few) { self.short_timeout } else { self.timeout }
    }

    /// How many packets a single write has.
    pub(super) fn packets_per_write(&self) -> u64 {
        u64::from((self.longest_write / self.payload).max(1))
    }

    pub(super) fn check(&self) {
        assert!((64..=32_768).contains(&self.payload) && self.payload.is_multiple_of(4), "64 to 32768 bytes, in fours");
        assert!((1..=Self::LARGEST_WINDOW).contains(&self.window), "a window has 1 to 2^23 - 1 packets");
        assert!(self.packets_per_ack > 0, "an acknowledgement is for something");
        assert!(self.timeout > Duration::ZERO && self.short_timeout > Duration::ZERO, "a timeout takes time");
        assert!((1..=1 << 31).contains(&self.longest_write), "a write has 1 to 2^31 bytes");
        assert!(self.ack_dscp < 64 && self.notification_dscp < 64, "code points are 0 to 63");
        if let Some(dcqcn) = &self.dcqcn {
            assert!(dcqcn.gain_divisor > 0 && dcqcn.byte_counter > 0, "g is a number, and bytes are counted");
            assert!(dcqcn.alpha_timer > Duration::ZERO && dcqcn.increase_timer > Duration::ZERO, "a timer takes time");
        }
    }
}
