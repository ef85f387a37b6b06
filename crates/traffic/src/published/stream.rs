//! The packets of a published trace, for programs to run on.

use std::sync::Arc;

use basis::{Duration, Instant};
use node::Offered;
use runtime::binding::FieldShape;

use super::PublishedTrace;
use crate::fields::Facts;
use crate::heads;
use crate::maker::{Maker, SentBytes};
use crate::plan::Making;
use crate::{FieldGenerator, Form};

/// A stream of the packets of a published trace in order of arrival. All streams of a plan share one trace.
pub(crate) struct PublishedStream {
    trace: Arc<PublishedTrace>,
    /// The index of the next packet.
    next: usize,
    /// The clock period of one pipeline, which is the unit of the trace's times.
    period: Duration,
    /// The payload bytes sent by each flow, by the flow's position.
    sent: SentBytes,
    overhead: u32,
    maker: Maker,
}

impl PublishedStream {
    pub(crate) fn new<'a>(
        trace: Arc<PublishedTrace>,
        making: &Making,
        form: Form,
        period: Duration,
        seed: u64,
        fields: impl Iterator<Item = FieldShape<'a>> + Clone,
    ) -> Self {
        // A field without another source depends on the flow alone, like the trace's own states, and is therefore as
        // skewed as the trace.
        let flows = trace.flows.len().max(1) as u64;
        let generator = |name: &str| {
            let of_stage = FieldGenerator::of_stage_name(name);
            making.generator_of(name).or(of_stage).unwrap_or(FieldGenerator::PerFlow(flows))
        };
        let sent = SentBytes::new(trace.flows.len(), form);
        let maker = Maker::new(making.protocol, form, seed, fields, generator);
        Self { next: 0, period, sent, overhead: heads::overhead(making.protocol), maker, trace }
    }
}

impl Iterator for PublishedStream {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        let packet = *self.trace.packets.get(self.next)?;
        let place = packet.place as usize;
        let facts = Facts {
            // Reading the trace has ensured that this fits.
            at: Instant::from_picoseconds(packet.cycle.saturating_mul(self.period.picoseconds())),
            port: packet.port,
            size: packet.size,
            flow: packet.flow.into(),
            sequence: self.next as u64,
            offset: self.sent.add(place, packet.size - self.overhead),
            accesses: &self.trace.flows[place],
        };
        self.next += 1;
        Some(self.maker.offered(&facts))
    }
}
