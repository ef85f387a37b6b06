//! What can be set about what a host costs.

use basis::{Duration, Rate};

use super::pace::Slow;

/// What it costs a host to receive and to send packets.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Cores that receive and send; at least 1. A hash of addresses, protocol and ports says which of them a packet
    /// goes to, as with receive-side scaling.
    pub cores: u16,
    /// What a core has to do with a packet that has come.
    pub receive: Work,
    /// What a core has to do with a packet that is to leave.
    pub send: Work,
    /// How fast bytes go between network card and memory, each way at once; at once if there is no such rate. It is the
    /// rate for the bytes of packets: what headers of PCIe and descriptors take is to be subtracted.
    pub pcie: Option<Rate>,
    /// How a core learns that packets have come.
    pub attention: Attention,
    /// Packets that wait for one core, having come; at least 1. More are discarded.
    pub receive_ring: u32,
    /// Packets that are made before they can leave, times the number of cores; at least 1. A transport is asked for no more.
    pub transmit_ring: u32,
    /// When the processor is slower than usual.
    pub slow: Vec<Slow>,
}

/// What a core has to do with a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// For each.
    pub per_packet: Duration,
    /// For each of its bytes, from the first of Ethernet's.
    pub per_byte: Duration,
}

/// How a core that has nothing to do learns that packets have come. One that is at work goes on with what has come
/// meanwhile, without being told (as with Linux's NAPI).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// By an interrupt, which the network card raises when so many packets wait for it, or the first of them has waited
    /// so long.
    Interrupt {
        /// From the interrupt until the core begins.
        latency: Duration,
        /// Packets that raise an interrupt at once; at least 1, which is to say that each does.
        packets: u32,
        /// How long the first waits for others.
        time: Duration,
    },
    /// It looks, at all multiples of this time; at once if that is zero.
    Polling {
        /// The time.
        period: Duration,
    },
}

impl Work {
    /// For a packet of so many bytes.
    #[inline]
    pub(super) fn of(&self, bytes: usize) -> Duration {
        self.per_packet + self.per_byte.times(bytes as u64)
    }
}

impl Default for Parameters {
    /// One core that does everything at once.
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

impl Parameters {
    pub(super) fn check(&self) {
        assert!(self.cores > 0, "somebody has to do it");
        assert!(self.receive_ring > 0 && self.transmit_ring > 0, "nothing would ever come or leave");
        let ends = |slow: &Slow| slow.from < slow.until;
        assert!(self.slow.iter().all(ends), "a time ends after it begins");
    }
}
