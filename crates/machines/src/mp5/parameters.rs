//! The parameters of an MP5 and their defaults.

use basis::Duration;

use super::rules::Rules;
use crate::unsuitable::Unsuitable;

/// The parameters of an MP5. The defaults are those of the paper's evaluation (section 4.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mp5Parameters {
    /// The number of pipelines, from 1 to 64.
    pub pipelines: usize,
    /// The number of ports; used only with [`Departure::PortsFixed`](super::Departure).
    pub ports: u16,
    /// The number of entries that each of the k FIFOs of a stage holds; `None` grows them as needed, like the paper's
    /// simulator.
    pub fifo_depth: Option<u32>,
    /// The number of cycles between moves of indices of one register; at least 1.
    pub remap_period: u64,
    /// The placement of register state (design principle D2).
    pub sharding: Sharding,
    /// The mechanism that keeps accesses in the order of arrival (design principle D4).
    pub ordering: Ordering,
    /// The way in which a packet gets to another pipeline (design principle D3).
    pub steering: Steering,
    /// The entries of a queue that a packet has to wait for.
    pub blocking: Blocking,
    /// The departures from the paper's rules.
    pub rules: Rules,
    /// The length of a stage's queue, including phantoms and the packet itself, beyond which a packet that joins is
    /// marked for congestion (section 3.4, "Handling packet drops"); `None` never marks.
    pub ecn_threshold: Option<u32>,
    /// The number of cycles for which the head of a stage's queue may be ready without being served; beyond it,
    /// arriving stateless packets are discarded (section 3.4, "Handling starvation"). `None` never discards any.
    pub starvation_limit: Option<u64>,
    /// The seed of random placements.
    pub seed: u64,
    /// The clock period of one pipeline.
    pub period: Duration,
    /// A deliberate defect, for testing tests.
    pub mutation: Mutation,
}

/// The placement of the values of sharded registers. The pinned registers of stage s are in pipeline s modulo k, except
/// with [`Sharding::AllInOne`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sharding {
    /// Random at first; then the heuristic of Figure 6 moves indices.
    Dynamic,
    /// As in [`Sharding::Fixed`] at first; then the heuristic of Figure 6 moves indices.
    DynamicFrom(Vec<Vec<u8>>),
    /// Random.
    StaticRandom,
    /// Index i is in pipeline i modulo k.
    StaticModulo,
    /// Given by maps, one per access of the pipeline in order, which contain the pipeline of each index. The map of a
    /// pinned access is ignored. [`super::sorted_worst_case`] makes bad maps, [`super::packed`] good ones.
    Fixed(Vec<Vec<u8>>),
    /// Everything, including pinned registers, is in pipeline 0: the naive design of section 3.1, D1.
    AllInOne,
}

/// The mechanism that keeps accesses in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// Phantom packets reserve a place for each data packet.
    Phantoms,
    /// None.
    None,
}

/// The way in which a packet gets to another pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// Through a crossbar between any two stages.
    Crossbar,
    /// By recirculation: the packet continues to the end of its pipeline and enters the other one at the front.
    Recirculation(Recirculation),
}

/// The parameters of recirculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recirculation {
    /// The number of cycles between leaving the last stage and reaching the entrance.
    pub latency: u64,
    /// The maximum number of packets on their way to the entrance of one pipeline; `None` is unlimited.
    pub queue: Option<u32>,
    /// The maximum number of recirculations of a packet; `None` is unlimited.
    pub limit: Option<u32>,
}

/// The entries that a packet in the queue of a stage has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// All earlier entries: a phantom at the head blocks everything behind it (head-of-line blocking, section 3.5.2).
    HeadOfLine,
    /// Only earlier entries that access the same index, as if each index had its own queue, which no hardware can have.
    /// This is the paper's "ideal" baseline (section 4.3.3).
    PerIndex,
}

/// A deliberate defect. A checker of MP5 must detect each of them except the last, which is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// No defect.
    #[default]
    None,
    /// No phantoms are sent, as with [`Ordering::None`].
    NoPhantoms,
    /// Of two entries pushed in the same cycle, the later arrival gets the smaller timestamp.
    SwappedTimestamps,
    /// Indices move although packets are in flight to them.
    MoveWhileInFlight,
    /// One in fifty packets that a stage serves is lost, and whatever waits for it waits forever.
    LostPacket,
    /// Pipelines are updated in this order, a permutation of 0 to k-1, in every cycle. This is not a defect and must
    /// change nothing.
    UpdateOrder(Vec<usize>),
}

impl Default for Recirculation {
    /// No latency beyond the pipeline's own, and no limits.
    fn default() -> Self {
        Self { latency: 0, queue: None, limit: None }
    }
}

impl Default for Mp5Parameters {
    fn default() -> Self {
        Self {
            pipelines: 4,
            ports: 64,
            fifo_depth: None,
            remap_period: 100,
            sharding: Sharding::Dynamic,
            ordering: Ordering::Phantoms,
            steering: Steering::Crossbar,
            blocking: Blocking::HeadOfLine,
            rules: Rules::paper(),
            ecn_threshold: None,
            starvation_limit: None,
            seed: 0,
            period: Duration::from_nanoseconds(1),
            mutation: Mutation::None,
        }
    }
}

impl Sharding {
    /// Returns true if indices move.
    pub(super) fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dynamic | Self::DynamicFrom(_))
    }
}

impl Mp5Parameters {
    /// Adds everything that is wrong with the parameters to `unsuitable`.
    pub(super) fn check(&self, unsuitable: &mut Unsuitable) {
        let k = self.pipelines;
        unsuitable
            .unless((1..=64).contains(&k), || format!("{k} pipelines were requested, but the machine has 1 to 64"));
        unsuitable.unless(self.ports > 0, || "the machine needs at least one port".into());
        unsuitable.unless(self.fifo_depth != Some(0), || "a FIFO needs room for at least one entry".into());
        unsuitable.unless(self.remap_period > 0, || "the remapping period must be at least one cycle".into());
        unsuitable.unless(self.period > Duration::ZERO, || "the clock period must not be zero".into());
        if let Mutation::UpdateOrder(order) = &self.mutation {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            unsuitable.unless(sorted.into_iter().eq(0..k), || {
                format!("the update order must contain each pipeline from 0 to {} once", k.saturating_sub(1))
            });
        }
    }

    /// Returns true if phantoms are sent.
    pub(super) fn sends_phantoms(&self) -> bool {
        self.ordering == Ordering::Phantoms && self.mutation != Mutation::NoPhantoms
    }

    /// Returns true if packets reach other pipelines only by recirculation.
    pub(super) fn recirculates(&self) -> bool {
        matches!(self.steering, Steering::Recirculation(_))
    }

    /// Returns true if timestamps are swapped.
    pub(super) fn swaps_timestamps(&self) -> bool {
        self.mutation == Mutation::SwappedTimestamps
    }

    /// Returns true if packets are lost inside.
    pub(super) fn loses_packets(&self) -> bool {
        self.mutation == Mutation::LostPacket
    }

    /// Returns the order in which pipelines are updated.
    pub(super) fn update_order(&self) -> Vec<usize> {
        match &self.mutation {
            Mutation::UpdateOrder(order) => order.clone(),
            _ => (0..self.pipelines).collect(),
        }
    }
}
