//! A trace of the published format with its shape, read or generated.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use basis::Duration;
use traffic::StatefulAccess;
use traffic::{Input, PublishedPacket, PublishedPackets, PublishedPlan, PublishedShape, PublishedTrace};

use diagnostics::Failure;

/// The clock period of one pipeline in every run of a stream. Streams count time in cycles, so it changes no result.
pub const PERIOD: Duration = Duration::from_nanoseconds(1);

/// A trace of the published format with its shape.
///
/// A generated stream makes its packets anew whenever they are read, and stores them only if [`Stream::trace`] is
/// called.
#[derive(Clone, Debug)]
pub struct Stream {
    shape: PublishedShape,
    /// The accesses of each flow's packets, in order of stage.
    flows: Vec<Vec<StatefulAccess>>,
    /// The stages that a flow accesses, ascending.
    stateful: Vec<u32>,
    /// The plan by which packets are generated; `None` if they were read.
    made: Option<(PublishedPlan, u64)>,
    trace: OnceLock<PublishedTrace>,
    packets: u64,
    /// The time of the last arrival, in cycles of one pipeline.
    last_arrival: u64,
}

impl Stream {
    /// Generates a stream like the published ones, which depends only on the plan and the seed.
    pub fn generate(plan: &PublishedPlan, seed: u64) -> Self {
        let flows = plan.flows(&plan.stateful_stages(seed), seed);
        Self::new(plan.shape, flows, Some((*plan, seed)), OnceLock::new())
    }

    /// Generates a stream with the given stateful stages, as those of the published applications have. The stages must
    /// be ascending, below the depth of the shape, and as many as the shape has.
    pub fn generate_in(plan: &PublishedPlan, stages: &[u32], seed: u64) -> Self {
        Self::new(plan.shape, plan.flows(stages, seed), Some((*plan, seed)), OnceLock::new())
    }

    /// Reads a stream; the name of the file of packets says its shape. Of equal times the smaller port is first.
    ///
    /// # Errors
    /// Fails if the name gives no shape, and with diagnostics if the files are invalid.
    pub fn read(flows: &Path, packets: &Path) -> Result<Self, Failure> {
        let name = packets.file_name().unwrap_or_default().to_string_lossy();
        let Some(shape) = PublishedShape::from_name(&name) else {
            return Err(Failure::plain(format!(
                "{}: this name says no shape; a published one is like uniform_64_4_16_4_512_64.csv: ports, pipelines, \
                 stages, stateful stages, values of a register, bytes of a packet",
                packets.display()
            )));
        };
        if let Some(fault) = shape.faults().first() {
            return Err(Failure::plain(format!("{}: by its name it is for {fault}", packets.display())));
        }
        let (flows, packets) = (Input::Path(flows.to_owned()), Input::Path(packets.to_owned()));
        let trace = PublishedTrace::read_for(&shape, &flows, &packets);
        let trace = trace.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
        Ok(Self::of_trace(shape, trace))
    }

    /// A stream of a trace, whose stages and indices are those of `shape`.
    pub fn of_trace(shape: PublishedShape, trace: PublishedTrace) -> Self {
        let flows = trace.flows().map(<[StatefulAccess]>::to_vec).collect();
        Self::new(shape, flows, None, OnceLock::from(trace))
    }

    fn new(
        shape: PublishedShape,
        mut flows: Vec<Vec<StatefulAccess>>,
        made: Option<(PublishedPlan, u64)>,
        trace: OnceLock<PublishedTrace>,
    ) -> Self {
        let stateful: BTreeSet<u32> = flows.iter().flatten().map(|access| access.stage).collect();
        if flows.is_empty() {
            // Flow 0, which accesses nothing.
            flows.push(Vec::new());
        }
        let stateful = stateful.into_iter().collect();
        let mut stream = Self { shape, flows, stateful, made, trace, packets: 0, last_arrival: 0 };
        let (packets, last) = stream.arrivals().fold((0, 0), |(packets, _), last| (packets + 1, last.cycle));
        (stream.packets, stream.last_arrival) = (packets, last);
        stream
    }

    /// Returns the shape of the switch that the stream is for.
    pub fn shape(&self) -> PublishedShape {
        self.shape
    }

    /// Returns the trace. All packets of a generated stream are made now and stored.
    pub fn trace(&self) -> &PublishedTrace {
        self.trace.get_or_init(|| {
            let packets = self.arrivals().collect();
            let flows = if self.stateful.is_empty() { Vec::new() } else { self.flows.clone() };
            PublishedTrace::of_parts(flows, packets).unwrap_or_else(|| unreachable!("packets are of these flows"))
        })
    }

    /// Returns the number of packets.
    pub fn len(&self) -> u64 {
        self.packets
    }

    /// Returns whether there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// Returns the time of the last arrival, in cycles of one pipeline.
    pub fn last_arrival(&self) -> u64 {
        self.last_arrival
    }

    /// The stages in which packets can access state, ascending. The program's accesses and [`Stream::loads`] are in
    /// this order.
    pub fn stateful_stages(&self) -> &[u32] {
        &self.stateful
    }

    /// Returns the number of packets that access each index, by stateful stage in order and by index.
    pub fn loads(&self) -> Vec<Vec<u64>> {
        let mut of_flows = vec![0; self.flows.len()];
        self.arrivals().for_each(|packet| of_flows[packet.place()] += 1);
        let mut loads = vec![vec![0; self.shape.register_size.max(1) as usize]; self.stateful.len()];
        for (accesses, packets) in self.flows.iter().zip(of_flows) {
            for access in accesses {
                let place = self.place_of(access.stage);
                loads[place][access.index as usize] += packets;
            }
        }
        loads
    }

    /// Returns the position of a stage among the stateful ones.
    pub(super) fn place_of(&self, stage: u32) -> usize {
        self.stateful.partition_point(|&stateful| stateful < stage)
    }

    /// Returns the accesses of each flow's packets.
    pub(super) fn flows(&self) -> &[Vec<StatefulAccess>] {
        &self.flows
    }

    /// Returns the packets in the published format, in order of arrival.
    pub(super) fn arrivals(&self) -> Arrivals<'_> {
        match (self.trace.get(), &self.made) {
            (None, Some((plan, seed))) => {
                let flows = if self.stateful.is_empty() { 0 } else { self.flows.len() };
                Arrivals::Made(Box::new(plan.packets(flows, *seed)))
            }
            (trace, _) => Arrivals::Kept(trace.map_or(&[][..], PublishedTrace::arrivals).iter()),
        }
    }
}

/// The packets of a stream in the published format, in order of arrival.
#[derive(Clone, Debug)]
pub(super) enum Arrivals<'s> {
    Kept(std::slice::Iter<'s, PublishedPacket>),
    Made(Box<PublishedPackets>),
}

impl Iterator for Arrivals<'_> {
    type Item = PublishedPacket;

    #[inline]
    fn next(&mut self) -> Option<PublishedPacket> {
        match self {
            Self::Kept(packets) => packets.next().copied(),
            Self::Made(packets) => packets.next(),
        }
    }
}
