//! Records: packets that consist of field values, and the sources of those values.

use std::fmt;

use basis::{Instant, Random};
use runtime::arithmetic::truncate;
use runtime::binding::{FieldShape, Source, default_source};
use wire::{LinkLayer, Packet, Sidecar, Tail};

use crate::{Pattern, StatefulAccess};

/// The source of a field's value in generated records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldGenerator {
    /// This constant.
    Constant(i64),
    /// A number from the first to the last, drawn uniformly for each packet.
    Uniform(i64, i64),
    /// A number from 0 to below this one, drawn according to the pattern for each packet.
    Spread(Pattern, u64),
    /// The number of the packet's flow, or state.
    Flow,
    /// A number from 0 to below this one, drawn once for each flow, so that all packets of a flow have the same value.
    PerFlow(u64),
    /// The packet's position among all packets, from 0.
    Sequence,
    /// The packet's arrival in microseconds modulo 2^32.
    Arrival,
    /// The packet's length in bytes.
    Length,
    /// The port on which the packet arrives.
    Port,
    /// The index that the packet accesses in this stage according to a published trace; -1 if it accesses none.
    Stage(u32),
}

/// The known facts about a packet when its fields are made.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'f> {
    pub(crate) at: Instant,
    pub(crate) port: u16,
    pub(crate) size: u32,
    pub(crate) flow: u64,
    /// The packet's position among all packets, from 0.
    pub(crate) sequence: u64,
    /// The number of payload bytes of the flow before this packet.
    pub(crate) offset: u32,
    /// The accesses that a published trace names, in order of stage.
    pub(crate) accesses: &'f [StatefulAccess],
}

impl FieldGenerator {
    /// Returns what a well-known field name stands for in every kind of packet.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match default_source(name)? {
            Source::Arrival => Self::Arrival,
            Source::Length => Self::Length,
            Source::Port => Self::Port,
            _ => return None,
        })
    }

    /// Returns what a field name such as `stage_3` stands for in the packets of a published trace.
    pub(crate) fn of_stage_name(name: &str) -> Option<Self> {
        stage(name.strip_prefix("stage_")?).map(Self::Stage)
    }

    /// Parses a generator in the notation of plans; `None` if the text is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let argument = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        let call = |name: &str| argument(name)?.parse().ok();
        Some(match text {
            "flow" => Self::Flow,
            "sequence" => Self::Sequence,
            "arrival" => Self::Arrival,
            "length" => Self::Length,
            "port" => Self::Port,
            _ => match text.split_once("..") {
                Some((first, last)) => {
                    let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
                    // The range of all 64-bit numbers is refused, because its count does not fit into 64 bits.
                    (first <= last && last.abs_diff(first) < u64::MAX).then_some(Self::Uniform(first, last))?
                }
                None => match text.parse() {
                    Ok(number) => Self::Constant(number),
                    Err(_) => match (call("skewed"), call("per-flow")) {
                        (Some(count @ 1..), _) => Self::Spread(Pattern::SKEWED, count),
                        (_, Some(count @ 1..)) => Self::PerFlow(count),
                        _ => Self::Stage(stage(argument("stage")?)?),
                    },
                },
            },
        })
    }

    pub(crate) fn value(self, field: usize, facts: &Facts<'_>, random: &mut Random) -> u64 {
        match self {
            Self::Constant(number) => number as u64,
            Self::Uniform(first, last) => first.wrapping_add_unsigned(random.below(last.abs_diff(first) + 1)) as u64,
            Self::Spread(pattern, count) => pattern.draw(count, random),
            Self::Flow => facts.flow,
            Self::PerFlow(count) => Random::for_part(facts.flow, field as u64).below(count),
            Self::Sequence => facts.sequence,
            Self::Arrival => Source::value_of_arrival(facts.at),
            Self::Length => u64::from(facts.size),
            Self::Port => u64::from(facts.port),
            Self::Stage(stage) => {
                let access = facts.accesses.iter().find(|access| access.stage == stage);
                access.map_or(u64::MAX, |access| access.index.into()) // -1 at every width
            }
        }
    }
}

/// Parses the number of a stage, which must be written in its usual form.
fn stage(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

impl fmt::Display for FieldGenerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(number) => write!(f, "{number}"),
            Self::Uniform(first, last) => write!(f, "{first}..{last}"),
            Self::Spread(Pattern::Uniform, count) => write!(f, "0..{}", count.saturating_sub(1)),
            Self::Spread(Pattern::Skewed { .. }, count) => write!(f, "skewed({count})"),
            Self::Flow => f.write_str("flow"),
            Self::PerFlow(count) => write!(f, "per-flow({count})"),
            Self::Sequence => f.write_str("sequence"),
            Self::Arrival => f.write_str("arrival"),
            Self::Length => f.write_str("length"),
            Self::Port => f.write_str("port"),
            Self::Stage(stage) => write!(f, "stage({stage})"),
        }
    }
}

/// Makes packets of field values in the form that [`runtime::binding::Binding::record`] reads.
pub(crate) struct RecordMaker {
    widths: Vec<u32>,
    /// The head of the packet that is being made.
    bytes: Vec<u8>,
}

impl RecordMaker {
    pub(crate) fn new<'a>(fields: impl Iterator<Item = FieldShape<'a>>) -> Self {
        let widths: Vec<u32> = fields.map(|field| field.width).collect();
        Self { bytes: Vec::with_capacity(4 * widths.len()), widths }
    }

    /// Returns a packet of `size` bytes, or of as many as its fields need, with `value(i)` in field i.
    pub(crate) fn packet(&mut self, size: u32, mut value: impl FnMut(usize) -> u64) -> Packet {
        self.bytes.clear();
        for (field, &width) in self.widths.iter().enumerate() {
            self.bytes.extend_from_slice(&(truncate(value(field), width) as u32).to_be_bytes());
        }
        let tail = Tail::Length(size.saturating_sub(self.bytes.len() as u32));
        let sidecar = Sidecar { original_length: size, link: LinkLayer::Record, ..Sidecar::default() };
        Packet::new(&self.bytes, tail, sidecar)
    }
}
