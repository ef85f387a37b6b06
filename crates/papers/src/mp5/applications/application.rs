//! The four programs of Figure 8, and the packets that each of them is for.

use traffic::{PublishedShape, PublishedSizes, Traffic};

use diagnostics::Failure;
use workbench::LoadedProgram;
use workbench::shipped_program;

/// An application of MP5 section 4.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Application {
    /// Flowlet switching.
    Flowlet,
    /// CONGA's congestion-to-leaf table.
    Conga,
    /// The priorities of weighted fair queueing.
    Wfq,
    /// A network sequencer of many groups, as published: 1024 of them, which the program maps to its 256 counters.
    Sequencer,
    /// The same program with one group, as it is used: all packets need one counter. Not in the paper.
    SequencerOfOneGroup,
}

impl Application {
    /// Every application, in the paper's order.
    pub const ALL: [Self; 5] = [Self::Flowlet, Self::Conga, Self::Wfq, Self::Sequencer, Self::SequencerOfOneGroup];

    /// Those that the paper has.
    pub const PUBLISHED: [Self; 4] = [Self::Flowlet, Self::Conga, Self::Wfq, Self::Sequencer];

    /// The paper's name for it, and its key in the published results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flowlet => "flowlet",
            Self::Conga => "conga",
            Self::Wfq => "wfq",
            Self::Sequencer => "sequencer",
            Self::SequencerOfOneGroup => "sequencer-one-group",
        }
    }

    /// The application of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|application| application.name() == name)
    }

    /// Its program.
    ///
    /// # Errors
    /// None, as long as the programs of the project compile, which tests see to.
    pub fn load(self) -> Result<LoadedProgram, Failure> {
        shipped_program(match self {
            Self::Flowlet => "flowlet",
            Self::Conga => "conga",
            // What the paper calls WFQ is start-time fair queueing in the programs that it names (its reference 42).
            Self::Wfq => "stfq",
            Self::Sequencer | Self::SequencerOfOneGroup => "sequencer",
        })
    }

    /// Its packets: flows of web-search sizes, packets of two sizes, every port busy (section 4.4).
    ///
    /// Flowlet switching and WFQ read real headers. CONGA's feedback and the sequencer's group are records, for the
    /// paper does not say what they are: each flow's feedback is of one of the 256 leaves that the program keeps, and
    /// each flow is of one of 1024 groups, as many as the published traces have counters.
    pub fn traffic(self, ports: u16, packets: u64, seed: u64) -> Traffic {
        let fields = match self {
            Self::Flowlet | Self::Wfq => "",
            Self::Conga => ",field.leaf=per-flow(256),field.path=0..7,field.metric=0..255",
            Self::Sequencer => ",field.group=per-flow(1024)",
            Self::SequencerOfOneGroup => ",field.group=0",
        };
        let plan = format!("websearch:size=bimodal{fields},packets={packets},ports={ports},seed={seed}");
        Traffic::parse(&plan).unwrap_or_else(|(_, found)| unreachable!("a plan of our own is right: {found:?}"))
    }

    /// The published traces of it: their shape for so many pipelines, and which stages keep state. They stand for the
    /// program: a flow's packets access one or more of the stages, at an index that belongs to the flow alone.
    pub fn published_shape(self, pipelines: u32) -> (PublishedShape, &'static [u32]) {
        let (stages, stateful, register_size): (u32, &[u32], u32) = match self {
            Self::Flowlet => (6, &[1, 4], 8000),
            Self::Conga => (4, &[1, 2], 256),
            Self::Wfq => (4, &[1], 8000),
            Self::Sequencer => (2, &[0], 1024),
            Self::SequencerOfOneGroup => (2, &[0], 1),
        };
        let shape = PublishedShape {
            ports: ports(pipelines as usize).into(),
            pipelines,
            stages,
            stateful_stages: stateful.len() as u32,
            register_size,
            packet_size: PublishedSizes::Bimodal,
        };
        (shape, stateful)
    }
}

/// How many ports a switch of so many pipelines has: 64, or as many of them as divide evenly among the pipelines (60
/// for 12), as published.
pub const fn ports(pipelines: usize) -> u16 {
    PublishedShape::of_pipelines(pipelines as u32).ports as u16
}
