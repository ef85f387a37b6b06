//! The plan of the queues of a switch.

mod check;
mod classes;
mod flow_control;
mod red;
mod scheduler;
mod trimming;

use std::sync::Arc;

use basis::Rate;

use crate::DisciplineParameters;

pub(crate) use check::NO_ROOM;
pub use classes::{ClassMap, ClassPlan, DscpSet};
pub use flow_control::FlowControlPlan;
pub use red::{RedPlan, Spacing};
pub(crate) use scheduler::{MOST_QUEUES, PRIORITIES};
pub use scheduler::{QueuePlan, RoomPlan, SchedulerPlan, ShaperPlan};
pub use trimming::{Marking, Returns, Service, ShortPackets, TrimmedQueue, TrimmingPlan, Victim};

/// The plan of the queues of one port.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// The rate of the port's link.
    pub rate: Rate,
    /// The bytes that a packet takes on the link beside its own; they count towards the length of the queue.
    pub framing: u32,
    /// True if a host is at the other end, so that this is the last hop of packets that go there.
    pub is_last_hop: bool,
    /// The discipline of the queue.
    pub discipline: DisciplinePlan,
}

/// The plan of the queues of a switch and the links that drain them.
#[derive(Clone, Debug)]
pub struct OutputPlan {
    /// The ports, numbered from 0.
    pub ports: Vec<PortPlan>,
    /// The memory that the ports share.
    pub buffer: BufferPlan,
    /// The seed of the random generator of disciplines that draw.
    pub seed: u64,
}

/// The way in which packets wait for a link. All lengths are bytes on the wire: a packet's own bytes and its framing.
#[derive(Clone, Debug)]
pub enum DisciplinePlan {
    /// First in, first out; a packet that finds no room is dropped.
    DropTail {
        /// The room in bytes on the wire.
        limit: u64,
    },
    /// Drop-tail that also marks packets which find more than a threshold waiting (RFC 3168, DCTCP).
    Ecn {
        /// The room in bytes on the wire.
        limit: u64,
        /// A packet is marked if more bytes than this are waiting when it arrives.
        threshold: u64,
    },
    /// A packet that finds no room loses its payload instead of being dropped.
    Trimming(Box<TrimmingPlan>),
    /// A discipline that decides about packets without holding them, such as random early detection ([`RedPlan`]) or one
    /// from outside.
    Decided(Arc<dyn DisciplineParameters>),
    /// Classes, each with its own discipline; a class waits while one with a greater number has a packet to send.
    StrictPriorities {
        /// The map from code points to classes.
        map: ClassMap,
        /// The classes, numbered from 0; packets of classes beyond are put into the last.
        classes: Vec<DisciplinePlan>,
    },
    /// Classes that share the link in proportion to their weights, by bytes (start-time fair queueing).
    WeightedFair {
        /// The map from code points to classes.
        map: ClassMap,
        /// The classes, numbered from 0; packets of classes beyond are put into the last.
        classes: Vec<ClassPlan>,
    },
    /// Queues that the sender of a packet names, with priorities, weights, shapers and memory. It cannot be the discipline
    /// of a class.
    Scheduler(Arc<SchedulerPlan>),
}

impl DisciplinePlan {
    /// Returns true if the discipline may change the bytes of packets, by marking or trimming them.
    pub fn changes_packets(&self) -> bool {
        match self {
            Self::DropTail { .. } | Self::Scheduler(_) => false,
            Self::Ecn { .. } | Self::Trimming(_) => true,
            Self::Decided(parameters) => parameters.changes_packets(),
            Self::StrictPriorities { classes, .. } => classes.iter().any(Self::changes_packets),
            Self::WeightedFair { classes, .. } => classes.iter().any(|class| class.discipline.changes_packets()),
        }
    }

    /// Returns the plan of a discipline with these parameters, which decides about packets without holding them.
    pub fn of(parameters: impl DisciplineParameters + 'static) -> Self {
        Self::Decided(Arc::new(parameters))
    }

    /// Returns the plan of NDP's switch (Handley et al., SIGCOMM 2017, section 3.1) with room for `data` bytes of
    /// whole packets, and as much for trimmed and control packets. The paper uses 8 packets of full size.
    pub fn trimming(data: u64) -> Self {
        Self::Trimming(Box::new(TrimmingPlan::ndp(data)))
    }

    /// Returns the plan of cut payload (Cheng et al., NSDI 2014): one queue, in which packets lose their payload above
    /// `threshold` bytes and are dropped above `limit`.
    pub fn cut_payload(threshold: u64, limit: u64) -> Self {
        Self::Trimming(Box::new(TrimmingPlan::cut_payload(threshold, limit)))
    }

    /// Returns the plan of source flow control: a packet that arrives while more than `watermark` bytes wait is
    /// trimmed and goes back to its sender.
    pub fn source_flow_control(watermark: u64, data: u64) -> Self {
        Self::Trimming(Box::new(TrimmingPlan::source_flow_control(watermark, data)))
    }
}

/// The plan of what the ports of a switch share.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferPlan {
    /// The size of the shared packet memory, in bytes on the wire; `None` if each port has its own.
    pub total: Option<u64>,
    /// The fraction of the free shared memory that one queue may hold: alpha of dynamic thresholds (Choudhury and
    /// Hahne, 1998). Chips offer powers of two from 1/128 to 8. It has no effect if no memory is shared.
    pub alpha: f64,
    /// Priority-based flow control for lossless priorities, if there are any.
    pub flow_control: Option<FlowControlPlan>,
    /// The memory of schedulers, if it is divided into cells. Otherwise they share `total` with all others, byte by byte.
    pub cells: Option<CellPlan>,
}

/// The plan of memory in cells. A packet occupies whole cells; its framing is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPlan {
    /// The bytes of a cell; at least 1.
    pub size: u32,
    /// The cells of each pool, numbered from 0, those that queues reserve included.
    pub pools: Vec<u64>,
}

impl Default for CellPlan {
    /// Returns the plan of one pool of 275,000 cells of 80 bytes, which are 22 MB.
    fn default() -> Self {
        Self { size: 80, pools: vec![275_000] }
    }
}

impl Default for BufferPlan {
    /// Returns the plan in which each port has its own memory and no priority is lossless.
    fn default() -> Self {
        Self { total: None, alpha: 1.0, flow_control: None, cells: None }
    }
}
