//! A published trace as packets that programs run on.

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

/// A stream of a published trace's packets, in order of arrival; every stream of one plan shares one trace.
pub(crate) struct PublishedStream {
    trace: Arc<PublishedTrace>,
    /// The packet that comes next.
    next: usize,
    /// The clock period of one pipeline: the unit of the trace's times.
    period: Duration,
    /// By place of the flow.
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
        // A field that nothing is said of depends on the flow alone, as the trace's own states do: so it is as skewed
        // as the trace.
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
            // What time holds was seen to when the trace was read.
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
