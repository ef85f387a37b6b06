//! Prepared traffic: a plan checked with its files, for one program and one machine.

use std::sync::Arc;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Findings, Severity, Sources};
use node::Offered;
use runtime::binding::Binding;

use crate::capture::{self, CaptureStream, Survey};
use crate::maker;
use crate::plan::{Generated, Making, Published};
use crate::published::{Limits, PublishedStream};
use crate::table::{self, Columns, TableStream};
use crate::{ArrivalOrder, Form, Generator, Input, LineRate, TrafficSource};
use crate::{PublishedShape, PublishedTrace, Replay, Traffic};

/// A plan that has been checked for one program.
#[derive(Clone, Debug)]
pub struct Prepared {
    source: Source,
    rate: LineRate,
    seed: u64,
    packets: u64,
    binding: Binding,
    warnings: (Sources, Diagnostics),
}

#[derive(Clone, Debug)]
enum Source {
    Generated(Generated, Form),
    Capture(Replay, Survey),
    Table(Input, Columns),
    Published(Arc<PublishedTrace>, Making, Form),
}

impl Traffic {
    /// Checks the plan and its files for a program whose fields are bound by `program`, as [`Binding::resolve`]
    /// returns it, and a machine of `pipelines` pipelines with a clock of `period`.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the plan and its files.
    pub fn prepare(&self, program: &Binding, pipelines: u16, period: Duration) -> Result<Prepared, Findings> {
        let (mut sources, mut found) = (Sources::new(), Diagnostics::new());
        let rate = LineRate {
            ports: self.ports.max(1),
            pipelines: self.pipelines.unwrap_or(pipelines).max(1),
            period: period.max(Duration::from_picoseconds(1)),
        };
        let most = self.packets.unwrap_or(u64::MAX);
        let prepared = match &self.source {
            TrafficSource::Generated(plan) => {
                check_active_flows(plan, rate.ports, &mut found);
                let form = maker::form(&plan.making, program, &mut found);
                Some((Source::Generated(plan.clone(), form), self.packets.unwrap_or(Self::PACKETS)))
            }
            TrafficSource::Capture(replay) => {
                let survey = capture::survey(replay, &mut found);
                let packets = survey.packets.saturating_mul(replay.repeat.into()).min(most);
                Some((Source::Capture(replay.clone(), survey), packets))
            }
            TrafficSource::Table(input) => {
                let survey = table::survey(input, program, rate.ports, &mut sources, &mut found);
                survey.map(|(columns, packets)| (Source::Table(input.clone(), columns), packets.min(most)))
            }
            TrafficSource::Published(published) => {
                let form = maker::form(&published.making, program, &mut found);
                warn_of_shape(published, rate, &mut found);
                let limits = Limits::of_packets(rate.ports, rate.period);
                let (flows, packets) = (&published.flows, &published.packets);
                let trace = PublishedTrace::read_within(flows, packets, limits, &mut sources, &mut found);
                trace.map(|trace| {
                    let packets = most.min(trace.len() as u64);
                    (Source::Published(Arc::new(trace), published.making.clone(), form), packets)
                })
            }
        };
        match prepared {
            Some((source, packets)) if !found.has_errors() => {
                let is_record = matches!(
                    source,
                    Source::Generated(_, Form::Record) | Source::Table(..) | Source::Published(_, _, Form::Record)
                );
                let binding = if is_record { program.for_records() } else { program.clone() };
                Ok(Prepared { source, rate, seed: self.seed, packets, binding, warnings: (sources, found) })
            }
            _ => Err((sources, found)),
        }
    }
}

/// The most active flows of all ports together: an active flow takes 24 bytes of memory, so this many take 96 MiB.
const MOST_ACTIVE_FLOWS: u64 = 1 << 22;

/// Checks the product of ports and active flows, which could exceed any memory although both are within their own
/// limits.
fn check_active_flows(plan: &Generated, ports: u16, found: &mut Diagnostics) {
    let active = u64::from(ports) * u64::from(plan.active_flows);
    if plan.flow_sizes.is_some() && active > MOST_ACTIVE_FLOWS {
        let message = format!("traffic: {} active flows on each of {ports} ports are too many", plan.active_flows);
        let hint = format!("on {ports} ports, `active` is at most {}", MOST_ACTIVE_FLOWS / u64::from(ports));
        found.push(Diagnostic::without_place(message).hint(hint));
    }
}

/// Warns if the name of a published trace says that it is for another switch.
fn warn_of_shape(published: &Published, rate: LineRate, found: &mut Diagnostics) {
    let Some(shape) = PublishedShape::from_name(&published.packets.file_name()) else { return };
    if (shape.ports, shape.pipelines) != (rate.ports.into(), rate.pipelines.into()) {
        let message = format!(
            "{}: by its name, this trace is for {} ports and {} pipelines, but the switch has {} and {}",
            published.packets, shape.ports, shape.pipelines, rate.ports, rate.pipelines
        );
        let hint = "the packets keep the times of the trace, so the load differs from that of the intended switch";
        found.push(Diagnostic { severity: Severity::Warning, ..Diagnostic::without_place(message).hint(hint) });
    }
}

impl Prepared {
    /// Returns how the program's fields bind to these packets: as the program specifies, or as records.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Returns the line rate at which packets arrive.
    pub fn rate(&self) -> LineRate {
        self.rate
    }

    /// Returns the number of packets.
    pub fn count(&self) -> u64 {
        self.packets
    }

    /// Returns warnings about what the author of the plan or of a file may not have intended.
    pub fn warnings(&self) -> &Findings {
        &self.warnings
    }

    /// Returns a stream of the packets from the first; every stream of a prepared plan is the same.
    pub fn packets(&self) -> Stream {
        let fields = self.binding.fields().collect::<Vec<_>>();
        let fields = fields.iter().copied();
        let packets = match &self.source {
            Source::Generated(plan, form) => {
                let generator = Generator::new(plan, *form, self.rate, self.packets, self.seed, fields);
                Packets::Generated(Box::new(generator))
            }
            Source::Capture(replay, survey) => {
                let stream = CaptureStream::new(replay.clone(), *survey, self.rate);
                Packets::Capture(Box::new(ArrivalOrder::new(stream)))
            }
            Source::Table(input, columns) => {
                let stream = TableStream::new(input.clone(), columns.clone(), &self.binding, self.rate);
                Packets::Table(Box::new(ArrivalOrder::new(stream)))
            }
            Source::Published(trace, making, form) => {
                let (trace, period) = (Arc::clone(trace), self.rate.period);
                Packets::Published(Box::new(PublishedStream::new(trace, making, *form, period, self.seed, fields)))
            }
        };
        Stream { packets, left: self.packets }
    }
}

/// A stream of packets in order of arrival: by time, and of equal times the smaller port first.
pub struct Stream {
    packets: Packets,
    left: u64,
}

enum Packets {
    Generated(Box<Generator>),
    Capture(Box<ArrivalOrder<CaptureStream>>),
    Table(Box<ArrivalOrder<TableStream>>),
    Published(Box<PublishedStream>),
}

impl Stream {
    /// Returns why the stream ended early: a file was removed or changed while it was read. Call this after the end of
    /// the stream.
    pub fn trouble(&self) -> Option<&str> {
        match &self.packets {
            Packets::Generated(_) | Packets::Published(_) => None,
            Packets::Capture(stream) => stream.inner().trouble.as_deref(),
            Packets::Table(stream) => stream.inner().trouble.as_deref(),
        }
    }
}

impl Iterator for Stream {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        match &mut self.packets {
            Packets::Generated(stream) => stream.next(),
            Packets::Capture(stream) => stream.next(),
            Packets::Table(stream) => stream.next(),
            Packets::Published(stream) => stream.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, usize::try_from(self.left).ok())
    }
}
