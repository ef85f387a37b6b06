//! The plan of traffic: which packets arrive, and how fast.

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
    /// The source of the packets.
    pub source: TrafficSource,
    /// The most packets to offer; `None` means 10,000 generated ones, or all packets of a file.
    pub packets: Option<u64>,
    /// The number of ports of the switch.
    pub ports: u16,
    /// The number of pipelines that line rate is computed for; `None` means as many as the machine has.
    pub pipelines: Option<u16>,
    /// The seed of every random choice.
    pub seed: u64,
}

/// The source of the packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrafficSource {
    /// Generated packets.
    Generated(Generated),
    /// The packets of a capture.
    Capture(Replay),
    /// Records from a table of field values.
    Table(Input),
    /// The packets of a trace of MP5's published artifact (github vishal1303/MP5).
    Published(Published),
}

/// The way in which packets are generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The way in which packets are distributed over flows that do not end, unless `flow_sizes` is given.
    pub pattern: Pattern,
    /// The distribution of flow sizes; each flow uses one port.
    pub flow_sizes: Option<FlowSizes>,
    /// With `flow_sizes`: the number of flows that each port has at a time.
    pub active_flows: u32,
    /// Without `flow_sizes`: the number of flows, or states. It is also the range of fields without another source.
    pub flows: u32,
    /// The lengths of packets.
    pub sizes: PacketSizes,
    /// The contents of packets.
    pub making: Making,
}

/// The way in which a capture is replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The capture.
    pub input: Input,
    /// The pace of the packets.
    pub pace: Pace,
    /// The number of times that the capture is replayed, one after the other.
    pub repeat: u32,
    /// True if a capture with faults is used as far as it can be read.
    pub accepts_faults: bool,
}

/// A published trace, whose times are cycles of one pipeline, as packets of the flows that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The file of packets.
    pub packets: Input,
    /// The file of flows.
    pub flows: Input,
    /// The contents of packets.
    pub making: Making,
}

/// The pace at which a capture is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Without gaps, at the line rate of all ports together.
    LineRate,
    /// Without gaps, with each packet counted as 64 bytes: the highest packet rate that the ports can deliver, with
    /// which switches are stressed (MP5 section 4.3.1).
    LineRateOf64Bytes,
    /// By timestamps, with every gap between two packets multiplied by `numerator / denominator`.
    Timestamps {
        /// The numerator of the factor.
        numerator: u32,
        /// The denominator of the factor.
        denominator: u32,
    },
}

impl Traffic {
    /// The default number of ports (MP5 section 4.3.1).
    pub const PORTS: u16 = 64;
    /// The default number of generated packets.
    pub const PACKETS: u64 = 10_000;

    /// Returns a plan with the defaults for everything but its source.
    pub fn new(source: TrafficSource) -> Self {
        Self { source, packets: None, ports: Self::PORTS, pipelines: None, seed: 1 }
    }

    /// Parses a plan in its short notation: `uniform`, `skewed:flows=512,size=64`, `websearch`, `capture.pcap`,
    /// `table.csv`, …; `docs/traffic.md` lists everything.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the plan, at its position.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        parse::plan(text)
    }

    /// Returns the files that the packets come from.
    pub fn inputs(&self) -> Vec<&Input> {
        match &self.source {
            TrafficSource::Generated(_) => Vec::new(),
            TrafficSource::Capture(replay) => vec![&replay.input],
            TrafficSource::Table(input) => vec![input],
            TrafficSource::Published(published) => vec![&published.packets, &published.flows],
        }
    }
}

impl Generated {
    /// Returns a plan for packets of a pattern: 1024 flows that do not end, 64 bytes per packet, TCP.
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

    /// Returns a plan for flows of a distribution: eight at a time on each port, and packets of bimodal size.
    pub fn of_flow_sizes(sizes: FlowSizes) -> Self {
        Self { flow_sizes: Some(sizes), sizes: PacketSizes::Bimodal, ..Self::of_pattern(Pattern::Uniform) }
    }

    /// Returns the source of a field's value in records: the one that the plan gives, or the one that the field's name
    /// stands for in every packet, or a number below `flows` that is drawn as the plan draws flows.
    pub(crate) fn field_generator(&self, name: &str) -> FieldGenerator {
        self.making.generator_of(name).unwrap_or(match self.flow_sizes {
            Some(_) => FieldGenerator::PerFlow(self.flows.into()),
            None => FieldGenerator::Spread(self.pattern, self.flows.into()),
        })
    }
}

impl Published {
    /// Returns the file of flows that belongs to a file of packets if its name follows the artifact's convention: it
    /// is in the same directory, with `flows_` in place of `uniform_` or `heavytail_`.
    pub fn flows_beside(packets: &Path) -> Option<Input> {
        let name = packets.file_name()?.to_str()?;
        let rest = name.strip_prefix("uniform_").or_else(|| name.strip_prefix("heavytail_"))?;
        Some(Input::Path(packets.with_file_name(format!("flows_{rest}"))))
    }
}

impl Replay {
    /// Returns the plan of replaying a capture once, at line rate.
    pub fn of(input: Input) -> Self {
        Self { input, pace: Pace::LineRate, repeat: 1, accepts_faults: false }
    }
}

/// The full plan in the notation of [`Traffic::parse`], as it is recorded in the manifest of a result.
impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            TrafficSource::Generated(plan) => {
                match (plan.flow_sizes, plan.pattern) {
                    (Some(sizes), _) => write!(f, "{sizes}:active={}", plan.active_flows)?,
                    (None, Pattern::Uniform) => f.write_str("uniform:")?,
                    (None, Pattern::Skewed { hot, share }) => write!(f, "skewed:hot={hot},share={share}")?,
                }
                let comma = if matches!((plan.flow_sizes, plan.pattern), (None, Pattern::Uniform)) { "" } else { "," };
                write!(f, "{comma}flows={},size={},{}", plan.flows, plan.sizes, plan.making)?;
            }
            TrafficSource::Capture(replay) => {
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
            TrafficSource::Table(input) => write!(f, "table:{input}")?,
            TrafficSource::Published(Published { packets, flows, making }) => {
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
