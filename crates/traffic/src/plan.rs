//! A plan of traffic: what packets come, and how.

mod making;
mod parse;

use std::fmt;
use std::path::Path;

use demand::FlowSizes;
use diagnostics::Findings;

use crate::{FieldGenerator, Input, PacketSizes, Pattern};

pub use making::{Form, Making};

/// A plan of traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// What packets come.
    pub kind: Kind,
    /// How many at the most; `None` is 10,000 generated ones, or all of a file.
    pub packets: Option<u64>,
    /// How many ports the switch has.
    pub ports: u16,
    /// For how many pipelines line rate is meant; `None` is as many as the machine has.
    pub pipelines: Option<u16>,
    /// Where every random choice comes from.
    pub seed: u64,
}

/// What packets come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Generated ones.
    Generated(Generated),
    /// Those of a capture.
    Capture(Replay),
    /// Records, from a table of field values.
    Table(Input),
    /// Those of a trace of MP5's published artifact (github vishal1303/MP5).
    Published(Published),
}

/// How packets are generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How packets spread over flows that have no end, unless `flow_sizes` gives them one.
    pub pattern: Pattern,
    /// How long flows are, each on one port.
    pub flow_sizes: Option<FlowSizes>,
    /// With `flow_sizes`: how many flows each port has at a time.
    pub active_flows: u32,
    /// How many flows, or states, there are without `flow_sizes`; the range of fields that nothing else is said of.
    pub flows: u32,
    /// How long packets are.
    pub sizes: PacketSizes,
    /// What they are made of.
    pub making: Making,
}

/// How a capture is replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The capture.
    pub input: Input,
    /// How fast.
    pub pace: Pace,
    /// How many times, one after the other.
    pub repeat: u32,
    /// Whether a capture with faults is used as far as it can be read.
    pub accepts_faults: bool,
}

/// A published trace, whose times are cycles of one pipeline, as packets of the flows that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The file of packets.
    pub packets: Input,
    /// The file of flows.
    pub flows: Input,
    /// What the packets are made of.
    pub making: Making,
}

/// How fast a capture is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Without gaps, at the line rate of all ports together.
    LineRate,
    /// Without gaps, each packet as if it had 64 bytes: the most packets a second that the ports can bring, which is
    /// what switches are stressed with (MP5 section 4.3.1).
    LineRateOf64Bytes,
    /// By its timestamps, every time between two packets multiplied by `numerator / denominator`.
    Timestamps {
        /// Of the factor.
        numerator: u32,
        /// Of the factor.
        denominator: u32,
    },
}

impl Traffic {
    /// How many ports a switch has unless somebody says otherwise (MP5 section 4.3.1).
    pub const PORTS: u16 = 64;
    /// How many packets are generated unless somebody says otherwise.
    pub const PACKETS: u64 = 10_000;

    /// A plan with everything else as it is by default.
    pub fn new(kind: Kind) -> Self {
        Self { kind, packets: None, ports: Self::PORTS, pipelines: None, seed: 1 }
    }

    /// Reads a plan as a person writes it: `uniform`, `skewed:flows=512,size=64`, `websearch`, `capture.pcap`,
    /// `table.csv`, …; docs/traffic.md lists everything.
    ///
    /// # Errors
    /// Everything that is wrong with it, at its place.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        parse::plan(text)
    }

    /// The files that the plan's packets come from.
    pub fn inputs(&self) -> Vec<&Input> {
        match &self.kind {
            Kind::Generated(_) => Vec::new(),
            Kind::Capture(replay) => vec![&replay.input],
            Kind::Table(input) => vec![input],
            Kind::Published(published) => vec![&published.packets, &published.flows],
        }
    }
}

impl Generated {
    /// Packets of a pattern: 1024 flows without end, 64 bytes each packet, TCP.
    pub fn of_pattern(pattern: Pattern) -> Self {
        Self {
            pattern,
            flow_sizes: None,
            active_flows: 8,
            flows: 1024,
            sizes: PacketSizes::Fixed(64),
            making: Making::default(),
        }
    }

    /// Flows of a distribution: eight at a time on each port, packets of bimodal size.
    pub fn of_flow_sizes(sizes: FlowSizes) -> Self {
        Self { flow_sizes: Some(sizes), sizes: PacketSizes::Bimodal, ..Self::of_pattern(Pattern::Uniform) }
    }

    /// Where a field's value comes from in records: what the plan says, what the field's name stands for in every
    /// packet, or a number below `flows` that is drawn as the plan draws flows.
    pub(crate) fn field_generator(&self, name: &str) -> FieldGenerator {
        self.making.generator_of(name).unwrap_or(match self.flow_sizes {
            Some(_) => FieldGenerator::PerFlow(self.flows.into()),
            None => FieldGenerator::Spread(self.pattern, self.flows.into()),
        })
    }
}

impl Published {
    /// Where the flows of a trace lie whose packets lie at `packets`, if its name is as the artifact's are: beside
    /// it, with `flows_` instead of `uniform_` or `heavytail_`.
    pub fn flows_beside(packets: &Path) -> Option<Input> {
        let name = packets.file_name()?.to_str()?;
        let rest = name.strip_prefix("uniform_").or_else(|| name.strip_prefix("heavytail_"))?;
        Some(Input::Path(packets.with_file_name(format!("flows_{rest}"))))
    }
}

impl Replay {
    /// A capture once, at line rate.
    pub fn of(input: Input) -> Self {
        Self { input, pace: Pace::LineRate, repeat: 1, accepts_faults: false }
    }
}

/// The plan in full, as [`Traffic::parse`] reads it: what goes into the manifest of a result.
impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Generated(plan) => {
                match (plan.flow_sizes, plan.pattern) {
                    (Some(sizes), _) => write!(f, "{sizes}:active={}", plan.active_flows)?,
                    (None, Pattern::Uniform) => f.write_str("uniform:")?,
                    (None, Pattern::Skewed { hot, share }) => write!(f, "skewed:hot={hot},share={share}")?,
                }
                let comma = if matches!((plan.flow_sizes, plan.pattern), (None, Pattern::Uniform)) { "" } else { "," };
                write!(f, "{comma}flows={},size={},{}", plan.flows, plan.sizes, plan.making)?;
            }
            Kind::Capture(replay) => {
                write!(f, "capture:{}", replay.input)?;
                match replay.pace {
                    Pace::LineRate => f.write_str(",pace=line")?,
                    Pace::LineRateOf64Bytes => f.write_str(",pace=line-64")?,
                    Pace::Timestamps { numerator, denominator } => {
                        write!(f, ",pace=timestamps,scale={numerator}/{denominator}")?;
                    }
                }
                write!(f, ",repeat={}", replay.repeat)?;
                if replay.accepts_faults {
                    f.write_str(",faults=accept")?;
                }
            }
            Kind::Table(input) => write!(f, "table:{input}")?,
            Kind::Published(Published { packets, flows, making }) => {
                write!(f, "published:{packets},flows={flows},{making}")?;
            }
        }
        if let Some(packets) = self.packets {
            write!(f, ",packets={packets}")?;
        }
        write!(f, ",ports={}", self.ports)?;
        if let Some(pipelines) = self.pipelines {
            write!(f, ",pipelines={pipelines}")?;
        }
        write!(f, ",seed={}", self.seed)
    }
}
