//! The construction of packets as headers or as records.

use basis::Random;
use diagnostics::{Diagnostic, Diagnostics, Severity};
use node::{Offered, Port};
use runtime::binding::{Binding, FieldShape};
use wire::Packet;

use crate::fields::{Facts, RecordMaker};
use crate::heads::{self, Content};
use crate::plan::Making;
use crate::{FieldGenerator, Form, Protocol};

/// Makes packets in one form.
pub(crate) enum Maker {
    Wire(Protocol),
    Record { maker: RecordMaker, fields: Vec<FieldGenerator>, random: Random },
}

/// The part of the seed for the values of fields. Ports use the parts from 0 on.
const PART_FIELDS: u64 = 2 << 32;

impl Maker {
    /// Returns a maker for the fields of a program; `generator` gives the source of each field by name.
    pub(crate) fn new<'a>(
        protocol: Protocol,
        form: Form,
        seed: u64,
        fields: impl Iterator<Item = FieldShape<'a>> + Clone,
        generator: impl Fn(&str) -> FieldGenerator,
    ) -> Self {
        match form {
            Form::Wire => Self::Wire(protocol),
            Form::Record => Self::Record {
                maker: RecordMaker::new(fields.clone()),
                fields: fields.map(|field| generator(field.name)).collect(),
                random: Random::for_part(seed, PART_FIELDS),
            },
        }
    }

    /// Returns the packet that `facts` describe, with its arrival.
    pub(crate) fn offered(&mut self, facts: &Facts<'_>) -> Offered {
        Offered { at: facts.at, port: Port(facts.port), packet: self.packet(facts) }
    }

    fn packet(&mut self, facts: &Facts<'_>) -> Packet {
        let &Facts { flow, size, offset, sequence, .. } = facts;
        match self {
            Self::Wire(protocol) => heads::packet(&Content { flow, size, offset, sequence }, *protocol),
            Self::Record { maker, fields, random } => {
                maker.packet(size, |field| fields[field].value(field, facts, random))
            }
        }
    }
}

/// The number of payload bytes of each flow that have been sent, modulo 2^32 as TCP counts them. Records need no such
/// count and no memory for it.
pub(crate) struct SentBytes(Vec<u32>);

impl SentBytes {
    pub(crate) fn new(flows: usize, form: Form) -> Self {
        Self(if form == Form::Wire { vec![0; flows] } else { Vec::new() })
    }

    /// Counts the payload of a packet. Returns the number of bytes before it.
    pub(crate) fn add(&mut self, flow: usize, payload: u32) -> u32 {
        self.0.get_mut(flow).map_or(0, |sent| std::mem::replace(sent, sent.wrapping_add(payload)))
    }
}

/// Chooses the form of the packets for a program, and reports what of the plan does not fit it.
pub(crate) fn form(making: &Making, program: &Binding, found: &mut Diagnostics) -> Form {
    for (name, _) in &making.fields {
        if !program.fields().any(|field| field.name == name) {
            let all = program.fields().map(|field| field.name).collect::<Vec<_>>().join(", ");
            let message = format!("traffic: the program has no field `{name}`");
            found.push(Diagnostic::without_place(message).hint(format!("its fields are {all}")));
        }
    }
    match making.form {
        Some(Form::Wire) if !making.fields.is_empty() => {
            let message = "traffic: `field.NAME` gives values to records, but `form=wire` asks for headers";
            found.push(Diagnostic::without_place(message).hint("leave one of them out"));
            Form::Wire
        }
        Some(form) => form,
        None if !making.fields.is_empty() => Form::Record,
        None if !program.reads_headers() => Form::Record,
        None if applies_to_generated(making.protocol, program) => Form::Wire,
        None => {
            let message = "traffic: the program does not apply to generated headers, so the packets are records";
            found.push(Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::without_place(message).hint("use a capture, `protocol=udp` or `form=wire` for headers")
            });
            Form::Record
        }
    }
}

/// Returns whether a program applies to a packet of any of the first flows, as it may require the port of some
/// service.
fn applies_to_generated(protocol: Protocol, program: &Binding) -> bool {
    let mut values = vec![0; program.fields().count()];
    (0..100).any(|flow| {
        let packet = heads::packet(&Content { flow, size: 1500, offset: 0, sequence: flow }, protocol);
        program.load(&packet, 0, &mut values)
    })
}
