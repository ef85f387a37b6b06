//! A plan made ready: checked with its files, for one program and one machine.

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Severity, Sources};
use node::Offered;
use runtime::binding::Binding;

use crate::capture::{self, CaptureStream, Survey};
use crate::heads::{self, Content};
use crate::plan::Generated;
use crate::table::{self, Columns, TableStream};
use crate::{ArrivalOrder, Findings, Form, Generator, Input, Kind, LineRate, Replay, Traffic};

/// A plan that is known to be right, for one program.
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
}

impl Traffic {
    /// Checks the plan, with its files, for a program whose fields are bound by `program`, as
    /// [`Binding::resolve`] gives it, and a machine of `pipelines` pipelines with a clock of `period`.
    ///
    /// # Errors
    /// Everything that is wrong with the plan and its files.
    pub fn prepare(&self, program: &Binding, pipelines: u16, period: Duration) -> Result<Prepared, Findings> {
        let (mut sources, mut found) = (Sources::new(), Diagnostics::new());
        let rate = LineRate {
            ports: self.ports.max(1),
            pipelines: self.pipelines.unwrap_or(pipelines).max(1),
            period: period.max(Duration::from_picoseconds(1)),
        };
        let most = self.packets.unwrap_or(u64::MAX);
        let prepared = match &self.kind {
            Kind::Generated(plan) => {
                let form = form(plan, program, &mut found);
                Some((Source::Generated(plan.clone(), form), self.packets.unwrap_or(Self::PACKETS)))
            }
            Kind::Capture(replay) => {
                let survey = capture::survey(replay, &mut found);
                let packets = survey.packets.saturating_mul(replay.repeat.into()).min(most);
                Some((Source::Capture(replay.clone(), survey), packets))
            }
            Kind::Table(input) => {
                let survey = table::survey(input, program, rate.ports, &mut sources, &mut found);
                survey.map(|(columns, packets)| (Source::Table(input.clone(), columns), packets.min(most)))
            }
        };
        match prepared {
            Some((source, packets)) if !found.has_errors() => {
                let is_record = matches!(source, Source::Generated(_, Form::Record) | Source::Table(..));
                let binding = if is_record { program.for_records() } else { program.clone() };
                Ok(Prepared { source, rate, seed: self.seed, packets, binding, warnings: (sources, found) })
            }
            _ => Err((sources, found)),
        }
    }
}

/// What generated packets are made of, and whether the plan fits that.
fn form(plan: &Generated, program: &Binding, found: &mut Diagnostics) -> Form {
    for (name, _) in &plan.fields {
        if !program.fields().any(|field| field.name == name) {
            let all = program.fields().map(|field| field.name).collect::<Vec<_>>().join(", ");
            let message = format!("traffic: the program has no field `{name}`");
            found.push(Diagnostic::without_place(message).hint(format!("its fields are {all}")));
        }
    }
    match plan.form {
        Some(Form::Wire) if !plan.fields.is_empty() => {
            let message = "traffic: `field.NAME` gives values to records, and `form=wire` asks for headers";
            found.push(Diagnostic::without_place(message).hint("leave one of them out"));
            Form::Wire
        }
        Some(form) => form,
        None if !plan.fields.is_empty() => Form::Record,
        None if !program.reads_headers() => Form::Record,
        None if applies_to_generated(plan, program) => Form::Wire,
        None => {
            let message = "traffic: the program does not apply to generated headers, so the packets are records";
            found.push(Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::without_place(message).hint("a capture, `protocol=udp` or `form=wire` gives it headers")
            });
            Form::Record
        }
    }
}

/// Whether a program applies to any of the first flows' packets: what it waits for may be a service's port.
fn applies_to_generated(plan: &Generated, program: &Binding) -> bool {
    let mut values = vec![0; program.fields().count()];
    (0..100).any(|flow| {
        let packet = heads::packet(&Content { flow, size: 1500, offset: 0, sequence: flow }, plan.protocol);
        program.load(&packet, 0, &mut values)
    })
}

impl Prepared {
    /// How the program's fields bind to these packets: as the program says, or as records.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// At which rate packets come.
    pub fn rate(&self) -> LineRate {
        self.rate
    }

    /// How many packets come.
    pub fn count(&self) -> u64 {
        self.packets
    }

    /// What the author of the plan or a file may not have meant.
    pub fn warnings(&self) -> &Findings {
        &self.warnings
    }

    /// The packets, from the first; every stream of one plan is the same.
    pub fn packets(&self) -> Stream {
        let packets = match &self.source {
            Source::Generated(plan, form) => {
                let fields = self.binding.fields().collect::<Vec<_>>();
                let generator = Generator::new(plan, *form, self.rate, self.packets, self.seed, fields.iter().copied());
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
        };
        Stream { packets, left: self.packets }
    }
}

/// Packets in order of arrival: by time, of equal times the smaller port first.
pub struct Stream {
    packets: Packets,
    left: u64,
}

enum Packets {
    Generated(Box<Generator>),
    Capture(Box<ArrivalOrder<CaptureStream>>),
    Table(Box<ArrivalOrder<TableStream>>),
}

impl Stream {
    /// Why the stream ended too early: a file was taken away or changed while it was read. Ask after the end.
    pub fn trouble(&self) -> Option<&str> {
        match &self.packets {
            Packets::Generated(_) => None,
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
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, usize::try_from(self.left).ok())
    }
}
