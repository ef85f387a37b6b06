//! The four programs of Figure 8, and the packets that each of them processes.

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
    /// The sequencer with one group, as it is used in practice: all packets need one counter. Not in the paper.
    SequencerOfOneGroup,
}

impl Application {
    /// Every application, in the paper's order.
    pub const ALL: [Self; 5] = [Self::Flowlet, Self::Conga, Self::Wfq, Self::Sequencer, Self::SequencerOfOneGroup];

    /// The applications of the paper.
    pub const PUBLISHED: [Self; 4] = [Self::Flowlet, Self::Conga, Self::Wfq, Self::Sequencer];

    /// Returns the paper's name for the application, which is its key in the published results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flowlet => "flowlet",
            Self::Conga => "conga",
            Self::Wfq => "wfq",
            Self::Sequencer => "sequencer",
            Self::SequencerOfOneGroup => "sequencer-one-group",
        }
    }

    /// Returns the application of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|application| application.name() == name)
    }

    /// Returns the program of the application.
    ///
    /// # Errors
    /// Fails if the program does not compile, which tests rule out for the programs of the project.
    pub fn load(self) -> Result<LoadedProgram, Failure> {
        shipped_program(match self {
            Self::Flowlet => "flowlet",
            Self::Conga => "conga",
            // The program that the paper calls WFQ is start-time fair queueing in its reference 42.
            Self::Wfq => "stfq",
            Self::Sequencer | Self::SequencerOfOneGroup => "sequencer",
        })
    }

    /// Returns its packets: flows of web-search sizes, packets of two sizes, every port busy (section 4.4).
    ///
    /// Flowlet switching and WFQ read real headers. CONGA's feedback and the sequencer's group are records, as the
    /// paper does not specify them: the feedback of each flow concerns one of the 256 leaves that the program keeps,
    /// and each flow belongs to one of 1024 groups, as many as the published traces have counters.
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

    /// Returns the shape of its published traces for a number of pipelines, and the stages that keep state. These
    /// traces represent the program: a flow's packets access one or more of the stages, at an index that belongs to the
    /// flow alone.
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

/// Returns the number of ports of a switch with a number of pipelines, as published: the largest multiple of the
/// pipelines up to 64 (60 for 12).
pub const fn ports(pipelines: usize) -> u16 {
    PublishedShape::of_pipelines(pipelines as u32).ports as u16
}
