//! What can be set of an MP5, and what it is if nothing is said.

use basis::Duration;

use super::rules::Rules;
use crate::unsuitable::Unsuitable;

/// The parameters of an MP5. The defaults are those of the paper's evaluation (section 4.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many pipelines there are: 1 to 64.
    pub pipelines: usize,
    /// How many ports the pipelines serve; only [`Departure::PortsFixed`](super::Departure) looks at it.
    pub ports: u16,
    /// How many entries each of the k FIFOs of a stage holds; `None` grows them as needed, as the paper's
    /// simulator does.
    pub fifo_depth: Option<u32>,
    /// How many cycles pass between moves of indices of one register; at least 1.
    pub remap_period: u64,
    /// Design principle D2: where registers lie.
    pub sharding: Sharding,
    /// Design principle D4: what keeps accesses in the order of arrival.
    pub ordering: Ordering,
    /// Design principle D3: how a packet gets to another pipeline.
    pub steering: Steering,
    /// What a packet waits for that is not served yet.
    pub blocking: Blocking,
    /// Where the machine departs from the paper's rules.
    pub rules: Rules,
    /// A packet that joins a stage's queue and finds it longer than this (phantoms included, itself included) is
    /// marked for congestion (section 3.4, "Handling packet drops").
    pub ecn_threshold: Option<u32>,
    /// An arriving stateless packet is discarded if the head of its stage's queue could have been served for more
    /// than this many cycles (section 3.4, "Handling starvation").
    pub starvation_limit: Option<u64>,
    /// What random maps are drawn from.
    pub seed: u64,
    /// The clock period of one pipeline.
    pub period: Duration,
    /// A defect put in on purpose, for testing tests.
    pub mutation: Mutation,
}

/// Where the values of a sharded register lie. Pinned registers of stage s lie in pipeline s modulo k, but for
/// [`Sharding::AllInOne`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sharding {
    /// At random at first; then the heuristic of Figure 6 moves them.
    Dynamic,
    /// As [`Sharding::Fixed`] says at first; then the heuristic of Figure 6 moves them.
    DynamicFrom(Vec<Vec<u8>>),
    /// At random.
    StaticRandom,
    /// Index i in pipeline i modulo k.
    StaticModulo,
    /// As these maps say, one for each access of the pipeline, in order: the pipeline of each index. The map of
    /// a pinned access is not looked at. [`super::sorted_worst_case`] makes bad ones, [`super::packed`] good ones.
    Fixed(Vec<Vec<u8>>),
    /// Everything, also what is pinned, in pipeline 0: the naive design of section 3.1, D1.
    AllInOne,
}

/// What keeps accesses in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// Phantom packets keep a place for each data packet.
    Phantoms,
    /// Nothing does.
    None,
}

/// How a packet gets to another pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// A crossbar between any two stages.
    Crossbar,
    /// It runs on to the end of its pipeline and enters the other one at the front.
    Recirculation(Recirculation),
}

/// How packets are recirculated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recirculation {
    /// Cycles between leaving the last stage and being at the entrance again.
    pub latency: u64,
    /// How many packets may be on their way to one pipeline's entrance; `None` is any number.
    pub queue: Option<u32>,
    /// How often a packet may be recirculated; `None` is any number.
    pub limit: Option<u32>,
}

/// What a packet in the queue of a stage waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// Everything before it: a phantom at the head holds up all that is behind it (section 3.5.2).
    HeadOfLine,
    /// Only what accesses the same index: as if each had a queue of its own, which no hardware can have. The
    /// paper's "ideal" baseline (section 4.3.3).
    PerIndex,
}

/// A defect put in on purpose: whoever checks an MP5 must find each, except the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// None.
    #[default]
    None,
    /// No phantoms are sent, as with [`Ordering::None`].
    NoPhantoms,
    /// Of two entries pushed in one cycle the later arrival has the smaller timestamp.
    SwappedTimestamps,
    /// An index moves although packets are on their way to it.
    MoveWhileInFlight,
    /// Of fifty packets that a stage serves one is not let go: it is nowhere then, and whoever waits for it waits for ever.
    LostPacket,
    /// Pipelines are updated in this order, a permutation of 0 to k-1, in every cycle. Not a defect: changes nothing.
    UpdateOrder(Vec<usize>),
}

impl Default for Recirculation {
    /// No latency beyond the pipeline's own, and no bounds.
    fn default() -> Self {
        Self { latency: 0, queue: None, limit: None }
    }
}

impl Default for Parameters {
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
    /// True if indices move.
    pub(super) fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dynamic | Self::DynamicFrom(_))
    }
}

impl Parameters {
    /// Adds what is wrong with them to `unsuitable`.
    pub(super) fn check(&self, unsuitable: &mut Unsuitable) {
        let k = self.pipelines;
        unsuitable.unless((1..=64).contains(&k), || format!("{k} pipelines asked for, the machine has 1 to 64"));
        unsuitable.unless(self.ports > 0, || "the machine needs a port".into());
        unsuitable.unless(self.fifo_depth != Some(0), || "a FIFO needs room for an entry".into());
        unsuitable.unless(self.remap_period > 0, || "the remapping period must be a cycle or more".into());
        unsuitable.unless(self.period > Duration::ZERO, || "the clock period must not be zero".into());
        if let Mutation::UpdateOrder(order) = &self.mutation {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            unsuitable.unless(sorted.into_iter().eq(0..k), || {
                format!("the update order must name 0 to {} once", k.saturating_sub(1))
            });
        }
    }

    /// Whether phantoms are sent.
    pub(super) fn sends_phantoms(&self) -> bool {
        self.ordering == Ordering::Phantoms && self.mutation != Mutation::NoPhantoms
    }

    /// Whether packets get to other pipelines at the front only.
    pub(super) fn recirculates(&self) -> bool {
        matches!(self.steering, Steering::Recirculation(_))
    }

    /// Whether timestamps are swapped.
    pub(super) fn swaps_timestamps(&self) -> bool {
        self.mutation == Mutation::SwappedTimestamps
    }

    /// Whether packets are lost inside.
    pub(super) fn loses_packets(&self) -> bool {
        self.mutation == Mutation::LostPacket
    }

    /// In which order pipelines are updated.
    pub(super) fn update_order(&self) -> Vec<usize> {
        match &self.mutation {
            Mutation::UpdateOrder(order) => order.clone(),
            _ => (0..self.pipelines).collect(),
        }
    }
}
