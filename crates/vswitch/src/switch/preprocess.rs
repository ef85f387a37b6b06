//! The part of Triton's hardware: what is done with a packet before the software sees its headers, and when they come back.

use basis::Instant;
use wire::{Packet, Tail};

use super::VirtualSwitch;
use super::arrive::Parsed;
use crate::configuration::{Configuration, PathOptions};
use crate::metadata::Metadata;
use crate::preprocessor::headers::{HeaderCounts, HeaderReader, Mark, program};
use crate::preprocessor::{FlowIndex, PayloadPool};

/// The options of the path, with what each needs.
#[derive(Debug)]
pub(super) struct Hardware {
    pub(super) reader: HeaderReader,
    flow_index: Option<FlowIndex>,
    payloads: Option<PayloadPool>,
    options: PathOptions,
}

impl Hardware {
    pub(super) fn new(options: PathOptions, mark: Mark) -> Self {
        Self {
            reader: HeaderReader::new(mark, options.xdp),
            flow_index: (options.flow_index > 0).then(|| FlowIndex::new(options.flow_index as usize)),
            payloads: options.slicing.then(PayloadPool::default),
            options,
        }
    }

    /// Goes on with other options.
    pub(super) fn apply(&mut self, options: PathOptions) {
        if options != self.options {
            let counts = self.reader.counts;
            *self = Self::new(options, self.reader.mark());
            self.reader.counts = counts;
        }
    }

    /// Returns true if packets are sorted into vectors.
    pub(super) fn has_vectors(&self) -> bool {
        self.options.vectors
    }
}

impl VirtualSwitch {
    /// Returns the program that finds the headers of packets in front of AF_XDP sockets, if a configuration wants it. It writes
    /// [`crate::headers::LENGTH`] bytes in front of a frame, which only this switch believes.
    pub fn header_program(&self, configuration: &Configuration) -> Option<Vec<bpf::Instruction>> {
        configuration.path.xdp.then(|| program(self.hardware.reader.mark()))
    }

    /// Returns how the headers of packets were found that have passed the program.
    pub fn header_counts(&self) -> HeaderCounts {
        self.hardware.reader.counts
    }

    /// Writes into the metadata of a packet what the hardware knows, and keeps its payload.
    pub(super) fn preprocess(&mut self, now: Instant, parsed: &mut Parsed) {
        let Parsed { metadata, packet, .. } = parsed;
        metadata.flow = self.hardware.flow_index.as_ref().and_then(|index| index.find(metadata.hash));
        if let (Some(pool), Some(packet)) = (&mut self.hardware.payloads, packet) {
            metadata.payload = pool.store(now, &mut packet.tail);
        }
    }

    /// Carries out what the metadata of a packet says about the index of flows, when the packet has left.
    pub(super) fn postprocess(&mut self, metadata: &Metadata) {
        if let (Some(index), Some(update)) = (&mut self.hardware.flow_index, metadata.update) {
            index.update(metadata.hash, update);
        }
    }

    /// Joins a packet with its payload. Returns false if the payload is gone, because the headers come back late.
    pub(super) fn join(&mut self, now: Instant, metadata: &Metadata, packet: &mut Packet) -> bool {
        let (Some(pool), Some(id)) = (&mut self.hardware.payloads, metadata.payload) else {
            return metadata.payload.is_none();
        };
        // A tail of bytes says that the packet was joined before.
        if matches!(packet.tail, Tail::Length(_)) {
            let Some(payload) = pool.take(now, id) else { return false };
            packet.tail = payload;
        }
        true
    }
}
