//! What the queues of a switch are to be.

mod check;
mod classes;
mod flow_control;
mod red;
mod trimming;

use basis::Rate;

pub use classes::{ClassMap, ClassPlan, DscpSet};
pub use flow_control::FlowControlPlan;
pub use red::{RedPlan, Spacing};
pub use trimming::{Marking, Returns, Service, ShortPackets, TrimmedQueue, TrimmingPlan, Victim};

/// The queues of one port.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// How fast its line takes packets away.
    pub rate: Rate,
    /// What a packet takes on the line beside its own bytes, in bytes; queues count it.
    pub framing: u32,
    /// True if a host is at the other end: the last hop of packets that go there.
    pub is_last_hop: bool,
    /// How packets wait.
    pub discipline: DisciplinePlan,
}

/// The queues of a switch and the lines behind them.
#[derive(Clone, Debug)]
pub struct OutputPlan {
    /// Its ports, from 0.
    pub ports: Vec<PortPlan>,
    /// What they share.
    pub buffer: BufferPlan,
    /// For disciplines that draw.
    pub seed: u64,
}

/// How packets wait for a line. All lengths are bytes on the wire: a packet's own and its framing.
#[derive(Clone, Debug, PartialEq)]
pub enum DisciplinePlan {
    /// First in, first out; what finds no room is dropped.
    DropTail {
        /// Room, in bytes on the wire.
        limit: u64,
    },
    /// As drop-tail, and what finds more than a threshold waiting is marked (RFC 3168, DCTCP).
    Ecn {
        /// Room, in bytes on the wire.
        limit: u64,
        /// A packet is marked if more bytes than this wait when it comes.
        threshold: u64,
    },
    /// Random early detection (Floyd and Jacobson, 1993).
    Red(RedPlan),
    /// What finds no room loses its payload instead of its life.
    Trimming(Box<TrimmingPlan>),
    /// Classes, each with its own discipline; a class waits while one with a greater number can go.
    StrictPriorities {
        /// Which class a packet is in.
        map: ClassMap,
        /// The classes from 0; packets of classes beyond are in the last.
        classes: Vec<DisciplinePlan>,
    },
    /// Classes that share the line in proportion to their weights, by bytes (start-time fair queueing).
    WeightedFair {
        /// Which class a packet is in.
        map: ClassMap,
        /// The classes from 0; packets of classes beyond are in the last.
        classes: Vec<ClassPlan>,
    },
}

impl DisciplinePlan {
    /// True if packets may wait or leave with other bytes than they came with: marked, or trimmed.
    pub fn changes_packets(&self) -> bool {
        match self {
            Self::DropTail { .. } => false,
            Self::Ecn { .. } | Self::Red(_) | Self::Trimming(_) => true,
            Self::StrictPriorities { classes, .. } => classes.iter().any(Self::changes_packets),
            Self::WeightedFair { classes, .. } => classes.iter().any(|class| class.discipline.changes_packets()),
        }
    }

    /// NDP's switch (Handley et al., SIGCOMM 2017, section 3.1) with room for `data` bytes of whole packets, and as
    /// much for trimmed and control packets; 8 packets of full size in the paper.
    pub fn trimming(data: u64) -> Self {
        Self::Trimming(Box::new(TrimmingPlan::ndp(data)))
    }

    /// Cut payload (Cheng et al., NSDI 2014): one queue, in which packets lose their payload above `threshold` bytes
    /// and their life above `limit`.
    pub fn cut_payload(threshold: u64, limit: u64) -> Self {
        Self::Trimming(Box::new(TrimmingPlan::cut_payload(threshold, limit)))
    }

    /// Source flow control: what comes while more than `watermark` bytes wait is cut and goes back to its sender.
    pub fn source_flow_control(watermark: u64, data: u64) -> Self {
        Self::Trimming(Box::new(TrimmingPlan::source_flow_control(watermark, data)))
    }
}

/// What the ports of a switch share.
#[derive(Clone, Debug)]
pub struct BufferPlan {
    /// All memory for packets, in bytes on the wire; `None` if each port has its own.
    pub total: Option<u64>,
    /// The part of the free shared memory that one queue may hold: alpha of dynamic thresholds (Choudhury and Hahne,
    /// 1998). Chips offer powers of two from 1/128 to 8. Means nothing if no memory is shared.
    pub alpha: f64,
    /// Priorities that lose nothing, if there are any.
    pub flow_control: Option<FlowControlPlan>,
}

impl Default for BufferPlan {
    /// Each port has its own memory, and everything may be lost.
    fn default() -> Self {
        Self { total: None, alpha: 1.0, flow_control: None }
    }
}
