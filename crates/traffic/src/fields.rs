//! Records: packets made of field values, and where each value comes from.

use std::fmt;

use basis::{Instant, Random};
use runtime::arithmetic::truncate;
use runtime::binding::{FieldShape, Source, default_source};
use wire::{LinkLayer, Packet, Sidecar, Tail};

use crate::{Pattern, StatefulAccess};

/// Where a field's value comes from in generated records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldGenerator {
    /// Always this.
    Constant(i64),
    /// Every number from the first to the last is equally likely, in every packet anew.
    Uniform(i64, i64),
    /// 0 to below this number, as a pattern spreads them, in every packet anew.
    Spread(Pattern, u64),
    /// The packet's flow, or state.
    Flow,
    /// 0 to below this number, drawn once for each flow: a flow's packets agree.
    PerFlow(u64),
    /// The packet's place among all packets, from 0.
    Sequence,
    /// The packet's arrival in microseconds modulo 2^32.
    Arrival,
    /// The packet's length in bytes.
    Length,
    /// The port that the packet arrives on.
    Port,
    /// The index that the packet accesses in this stage, which a published trace says; -1 if none.
    Stage(u32),
}

/// What is known of a packet when its fields are made.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'f> {
    pub(crate) at: Instant,
    pub(crate) port: u16,
    pub(crate) size: u32,
    pub(crate) flow: u64,
    /// Its place among all packets, from 0.
    pub(crate) sequence: u64,
    /// How many payload bytes of its flow came before.
    pub(crate) offset: u32,
    /// What a published trace says that it accesses, in order of stage.
    pub(crate) accesses: &'f [StatefulAccess],
}

impl FieldGenerator {
    /// What a field's usual name stands for in every packet, whatever it is made of.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match default_source(name)? {
            Source::Arrival => Self::Arrival,
            Source::Length => Self::Length,
            Source::Port => Self::Port,
            _ => return None,
        })
    }

    /// What the name of a field, such as `stage_3`, stands for in the packets of a published trace.
    pub(crate) fn of_stage_name(name: &str) -> Option<Self> {
        stage(name.strip_prefix("stage_")?).map(Self::Stage)
    }

    /// A generator as a plan writes it; `None` if it is none.
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
                    // All numbers at once have no count in 64 bits.
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
                access.map_or(u64::MAX, |access| access.index.into()) // -1 in every width
            }
        }
    }
}

/// A stage's number, written as numbers are.
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

/// Makes packets of field values, as [`runtime::binding::Binding::record`] reads them.
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

    /// A packet of `size` bytes, or of as many as its fields need, with `value(i)` in field i.
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
