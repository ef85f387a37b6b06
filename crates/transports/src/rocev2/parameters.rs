//! The parameters of RoCEv2.

use basis::{Duration, Rate};
use node::Link;
use serde::{Deserialize, Serialize};
use wire::{dscp, infiniband};

use super::format::{HEADERS_OF_ANY, HEADERS_OF_MOST, RETH};

/// The parameters of a RoCEv2 host. Communicating hosts must agree on [`RoceV2Parameters::recovery`], as queue pairs do
/// when they are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoceV2Parameters {
    /// The sending end of the host's link, whose rate is the maximum rate of a queue pair.
    pub link: Link,
    /// The payload of a full packet in bytes, the path MTU in InfiniBand's sense. InfiniBand allows 256, 512, 1024,
    /// 2048 and 4096; here it is any multiple of 4 from 64 to 32,768.
    pub payload: u32,
    /// The recovery of lost packets.
    pub recovery: Recovery,
    /// The maximum number of unacknowledged packets of a queue pair, 1 to [`RoceV2Parameters::LARGEST_WINDOW`].
    pub window: u32,
    /// The number of packets after which an acknowledgement is requested, 1 to 255; one is always requested with the
    /// last packet of a message.
    pub packets_per_ack: u8,
    /// The time for which the oldest packet may remain unacknowledged; more than zero.
    pub timeout: Duration,
    /// The time for which the oldest packet may remain unacknowledged while at most [`RoceV2Parameters::few`] packets
    /// are in flight; more than zero.
    pub short_timeout: Duration,
    /// The number of packets in flight up to which [`RoceV2Parameters::short_timeout`] applies.
    pub few: u32,
    /// The number of consecutive retries, after a timeout or a sequence error, without a new acknowledgement in
    /// between; the next one makes the queue pair fail. InfiniBand has 3 bits for it.
    pub retries: u8,
    /// The maximum length of a single write in bytes, at most 2^31 (InfiniBand's limit); longer messages are split into
    /// several writes.
    pub longest_write: u32,
    /// The longest content of a message that is sent or received, in bytes; it is kept in memory until the message is
    /// complete. Messages that have only a length may be longer, and longer content arrives as a length.
    pub longest_content: u64,
    /// The code point of acknowledgements; network cards send them in the class of the data.
    pub ack_dscp: u8,
    /// The code point of congestion notifications, which have a class of their own.
    pub notification_dscp: u8,
    /// The parameters of DCQCN; `None` if packets are not ECN-capable and queue pairs send at the link rate.
    pub dcqcn: Option<Dcqcn>,
}

/// A recovery scheme for lost packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recovery {
    /// The receiver accepts packets only in order, and the sender restarts from the first missing one.
    #[default]
    GoBackN,
    /// The receiver accepts packets in any order and reports which ones it has, and the sender retransmits those that
    /// are missing (IRN: Mittal et al., SIGCOMM 2018).
    SelectiveRepeat,
}

/// The parameters of DCQCN (Zhu et al., SIGCOMM 2015), with the symbols of that paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dcqcn {
    /// N: the minimum time between two notifications for a queue pair.
    pub notification_interval: Duration,
    /// 1/g: the divisor of alpha's steps; each step covers this fraction of the remaining distance. At least 1.
    pub gain_divisor: u32,
    /// K: the time without a notification after which alpha decreases; more than zero.
    pub alpha_timer: Duration,
    /// T: the period of the timer that raises the rate; more than zero.
    pub increase_timer: Duration,
    /// B: the number of bytes sent after which the rate is raised; at least 1.
    pub byte_counter: u64,
    /// F: the number of fast recovery steps, each half way to the target rate, before the target itself is raised.
    pub fast_recoveries: u32,
    /// R_AI: the step of the target rate in additive increase.
    pub additive: Rate,
    /// R_HAI: the step of the target rate in hyper increase.
    pub hyper: Rate,
    /// The minimum rate.
    pub lowest: Rate,
}

impl Default for Dcqcn {
    /// Returns the parameters of the paper, for links of 40 Gb/s. R_HAI is from the sample configuration of its
    /// authors' simulator (github bobzhuyb/ns3-rdma, `mix/config.txt`), and the minimum rate is that simulator's
    /// default.
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

impl RoceV2Parameters {
    /// Returns the defaults for a host on `link`. With [`Recovery::GoBackN`] they are those of network cards: no
    /// window, an acknowledgement every 16 packets, and a timeout of 4.096 us x 2^10. With
    /// [`Recovery::SelectiveRepeat`] they are those of IRN: an acknowledgement for each packet, a timeout of 320 us, or
    /// of 100 us while at most 3 packets are in flight, and a window, which is 128 packets here.
    pub fn new(link: Link, recovery: Recovery) -> Self {
        let of_cards = Self {
            link,
            payload: 1024,
            recovery,
            window: Self::LARGEST_WINDOW,
            packets_per_ack: 16,
            timeout: Duration::from_nanoseconds(4096 << 10),
            short_timeout: Duration::from_nanoseconds(4096 << 10),
            few: 0,
            retries: 7,
            longest_write: 1 << 31,
            longest_content: 1 << 30,
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

    /// The maximum window in packets. The later of two sequence numbers could not be determined if they were half of
    /// the number space apart.
    pub const LARGEST_WINDOW: u32 = infiniband::NUMBERS / 2 - 1;

    /// Returns the length of the longest packet in bytes, from the Ethernet header on: the only packet of a message
    /// that fills a packet exactly.
    pub fn packet_bytes(&self) -> u32 {
        self.payload + HEADERS_OF_ANY as u32
    }

    /// Returns the length of all headers and trailers of a packet between the first and the last of a message, in
    /// bytes.
    pub fn header_bytes(&self) -> u32 {
        let place = if self.recovery == Recovery::SelectiveRepeat { RETH } else { 0 };
        (HEADERS_OF_MOST + place) as u32
    }

    pub(super) fn timeout(&self, under_way: u64) -> Duration {
        if under_way <= u64::from(self.few) { self.short_timeout } else { self.timeout }
    }

    /// Returns the number of packets in a write of maximum length.
    pub(super) fn packets_per_write(&self) -> u64 {
        u64::from((self.longest_write / self.payload).max(1))
    }

    pub(super) fn check(&self) {
        assert!(
            (64..=32_768).contains(&self.payload) && self.payload.is_multiple_of(4),
            "a payload is a multiple of 4 from 64 to 32768"
        );
        assert!((1..=Self::LARGEST_WINDOW).contains(&self.window), "a window has 1 to 2^23 - 1 packets");
        assert!(self.packets_per_ack > 0, "an acknowledgement is for at least one packet");
        assert!(self.timeout > Duration::ZERO && self.short_timeout > Duration::ZERO, "timeouts are longer than zero");
        assert!((1..=1 << 31).contains(&self.longest_write), "a write has 1 to 2^31 bytes");
        assert!(self.ack_dscp < 64 && self.notification_dscp < 64, "code points are 0 to 63");
        if let Some(dcqcn) = &self.dcqcn {
            assert!(
                dcqcn.gain_divisor > 0 && dcqcn.byte_counter > 0,
                "the gain divisor and the byte counter are at least 1"
            );
            assert!(
                dcqcn.alpha_timer > Duration::ZERO && dcqcn.increase_timer > Duration::ZERO,
                "timers are longer than zero"
            );
        }
    }
}
