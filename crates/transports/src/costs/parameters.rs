//! The parameters of a host's costs.

use basis::{Duration, Rate};

use super::pace::Slow;

/// The costs of receiving and sending packets on a host.
#[derive(Clone, Debug, PartialEq)]
pub struct CostParameters {
    /// The number of cores that receive and send; at least 1. As with receive-side scaling, a hash of addresses,
    /// protocol and ports selects the core of a packet.
    pub cores: u16,
    /// The work for each received packet.
    pub receive: Work,
    /// The work for each packet to send.
    pub send: Work,
    /// The rate between network card and memory in each direction; `None` if transfers take no time. It applies to the
    /// bytes of packets: the overhead of PCIe headers and descriptors must be subtracted beforehand.
    pub pcie: Option<Rate>,
    /// The way in which a core is notified of received packets.
    pub attention: Attention,
    /// The number of received packets that can wait for one core; at least 1. Further packets are discarded.
    pub receive_ring: u32,
    /// The number of packets per core that can be made before they leave; at least 1. The transport is asked for no
    /// more.
    pub transmit_ring: u32,
    /// The periods in which the processor is slower than usual.
    pub slow: Vec<Slow>,
}

/// The work of a core for one packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The time for each packet.
    pub per_packet: Duration,
    /// The time for each byte, from the Ethernet header on.
    pub per_byte: Duration,
}

/// The way in which an idle core is notified of received packets. A busy core continues with packets that have arrived
/// in the meantime without being notified (as with Linux's NAPI).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// The network card raises an interrupt when enough packets wait, or when the first of them has waited long enough.
    Interrupt {
        /// The time from the interrupt until the core begins.
        latency: Duration,
        /// The number of waiting packets that raise an interrupt at once; at least 1, with which each packet raises
        /// one.
        packets: u32,
        /// The time for which the first packet waits for others.
        time: Duration,
    },
    /// The core polls at all multiples of a period; continuously if it is zero.
    Polling {
        /// The polling period.
        period: Duration,
    },
}

impl Work {
    /// Returns the time for a packet of `bytes` bytes.
    #[inline]
    pub(super) fn of(&self, bytes: usize) -> Duration {
        self.per_packet + self.per_byte.times(bytes as u64)
    }
}

impl Default for CostParameters {
    /// Returns one core whose work takes no time.
    fn default() -> Self {
        Self {
            cores: 1,
            receive: Work::default(),
            send: Work::default(),
            pcie: None,
            attention: Attention::Polling { period: Duration::ZERO },
            receive_ring: 1024,
            transmit_ring: 16,
            slow: Vec::new(),
        }
    }
}

impl CostParameters {
    pub(super) fn check(&self) {
        assert!(self.cores > 0, "a host needs at least one core");
        assert!(self.receive_ring > 0 && self.transmit_ring > 0, "rings hold at least one packet");
        let ends = |slow: &Slow| slow.from < slow.until;
        assert!(self.slow.iter().all(ends), "a slow period ends after it begins");
    }
}
