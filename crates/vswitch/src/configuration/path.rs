//! What the path of a packet does as Triton's hardware does it.

use basis::Duration;

/// The options of the path; by default there is one core, and all others are off. Those but congestion control change how a packet
/// finds its session, and not what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathOptions {
    /// The number of cores that the sessions are shared by, from 1 to 64.
    pub cores: u16,
    /// The number of places in the index from hashes to flow ids; 0 if there is none.
    pub flow_index: u32,
    /// Whether packets of a burst are sorted into vectors, with one match for each.
    pub vectors: bool,
    /// Whether payload waits in a pool while its headers are worked on.
    pub slicing: bool,
    /// Whether guests are slowed that send to guests that do not read.
    pub congestion: bool,
    /// Whether the headers of packets are found by a program in front of AF_XDP sockets.
    pub xdp: bool,
    /// The time for which the thread of the interfaces waits actively before it sleeps.
    pub spin: Duration,
    /// Whether the policy tables decide every packet, as a switch without sessions would let them.
    pub decide_each_packet: bool,
}

impl Default for PathOptions {
    fn default() -> Self {
        Self {
            cores: 1,
            flow_index: 0,
            vectors: false,
            slicing: false,
            congestion: false,
            xdp: false,
            spin: Duration::ZERO,
            decide_each_packet: false,
        }
    }
}
