//! What can be set of an MP5, and what it is if nothing is said.

use basis::Duration;

use crate::unsuitable::Unsuitable;

/// The parameters of an MP5. The defaults are those of the paper's evaluation (section 4.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many pipelines there are: 1 to 64.
    pub pipelines: usize,
    /// How many ports the pipelines serve; only [`Spraying::ByPort`] looks at it.
    pub ports: u16,
    /// How many entries each of the k FIFOs of a stage holds; `None` grows them as needed, as the paper's
    /// simulator does.
    pub fifo_depth: Option<u32>,
    /// How many cycles pass between moves of indices of one register; at least 1.
    pub remap_period: u64,
    /// What happens when the period has passed and the index to move is in flight.
    pub remap_hindered: Hindered,
    /// Where indices lie at first with [`Sharding::Dynamic`].
    pub first_map: FirstMap,
    /// Design principle D2: where registers lie.
    pub sharding: Sharding,
    /// Design principle D4: what keeps accesses in the order of arrival.
    pub ordering: Ordering,
    /// Design principle D3: how a packet gets to another pipeline.
    pub steering: Steering,
    /// Which pipeline a fresh packet enters.
    pub spraying: Spraying,
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
    /// As [`Parameters::first_map`] says at first; then the heuristic of Figure 6 moves them.
    Dynamic,
    /// At random.
    StaticRandom,
    /// Index i in pipeline i modulo k.
    StaticModulo,
    /// As these maps say, one for each access of the pipeline, in order: the pipeline of each index. The map of
    /// a pinned access is not looked at. [`super::sorted_worst_case`] makes the worst ones.
    Fixed(Vec<Vec<u8>>),
    /// Everything, also what is pinned, in pipeline 0: the naive design of section 3.1, D1.
    AllInOne,
}

/// What happens when an index should move but is in flight (section 3.4 says only that it does not).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindered {
    /// The heuristic runs again in every cycle, on counters that go on counting, until an index has moved: as the
    /// paper's published simulator does. Then the counters begin again, and so does the period.
    Retry,
    /// Nothing moves in this period: Figure 6 to the letter. Under load almost every busy index is in flight, and
    /// the map then hardly ever changes.
    Skip,
}

/// Where indices lie before any has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMap {
    /// At random, by the seed.
    Random,
    /// Index i in pipeline i modulo k, as in the paper's published simulator.
    Modulo,
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

/// Which pipeline a fresh packet enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spraying {
    /// The next one in turn (section 3.1, D1).
    RoundRobin,
    /// The one that its port belongs to, as in today's switches (section 2.3). Pipelines then queue fresh packets
    /// on their own, so that a packet of a quiet pipeline may enter before an earlier one of a busy pipeline:
    /// the order of arrival is kept only within a pipeline.
    ByPort,
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
            remap_hindered: Hindered::Skip,
            first_map: FirstMap::Random,
            sharding: Sharding::Dynamic,
            ordering: Ordering::Phantoms,
            steering: Steering::Crossbar,
            spraying: Spraying::RoundRobin,
            ecn_threshold: None,
            starvation_limit: None,
            seed: 0,
            period: Duration::from_nanoseconds(1),
            mutation: Mutation::None,
        }
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

    /// In which order pipelines are updated.
    pub(super) fn update_order(&self) -> Vec<usize> {
        match &self.mutation {
            Mutation::UpdateOrder(order) => order.clone(),
            _ => (0..self.pipelines).collect(),
        }
    }
}
