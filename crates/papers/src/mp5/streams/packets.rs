//! The packets of a stream, in the form that its program reads.

use basis::{Duration, Instant};
use node::{Offered, Port};
use wire::{LinkLayer, Packet, Sidecar, Tail};

use super::program::{VALUE, field_count, index_field};
use super::stream::{Arrivals, Stream};

/// The packets of a stream in order of arrival.
#[derive(Clone, Debug)]
pub struct StreamPackets<'s> {
    arrivals: Arrivals<'s>,
    period: Duration,
    /// The records of all flows, one after the other, with the accesses of the flow and the value of its latest packet.
    records: Vec<u8>,
    /// The length of a record in bytes.
    length: usize,
    sequence: u64,
}

/// The length of a field in bytes (`runtime::binding::Binding::record`).
const FIELD: usize = 4;

impl Stream {
    /// Makes the packets for a clock period of one pipeline. Each carries a different value, so that any exchange of
    /// two accesses to one index changes the result.
    pub fn packets(&self, period: Duration) -> StreamPackets<'_> {
        let length = FIELD * field_count(self.stateful_stages().len());
        let mut records = vec![0; length * self.flows().len()];
        for (record, accesses) in records.chunks_exact_mut(length).zip(self.flows()) {
            for access in accesses {
                let field = index_field(self.place_of(access.stage));
                let words = [access.index, 1].map(u32::to_be_bytes);
                record[FIELD * field..][..2 * FIELD].copy_from_slice(words.as_flattened());
            }
        }
        StreamPackets { arrivals: self.arrivals(), period, records, length, sequence: 0 }
    }
}

/// Returns the value of the packet at a place in the order of arrival. The values of 2^32 packets in a row are
/// different, as the factor is odd, and unlike those of its neighbours.
fn value(sequence: u64) -> u32 {
    (sequence as u32).wrapping_add(1).wrapping_mul(0x9E37_79B1)
}

impl Iterator for StreamPackets<'_> {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        let arrival = self.arrivals.next()?;
        let at = Instant::from_picoseconds(arrival.cycle.saturating_mul(self.period.picoseconds()));
        // A record that is longer than the packet it stands for has no tail.
        let tail = Tail::Length(arrival.size.saturating_sub(self.length as u32));
        let sidecar = Sidecar { original_length: arrival.size, link: LinkLayer::Record, ..Sidecar::default() };
        let record = &mut self.records[arrival.place() * self.length..][..self.length];
        if let Some(word) = record[FIELD * VALUE..].first_chunk_mut::<FIELD>() {
            *word = value(self.sequence).to_be_bytes();
        }
        self.sequence += 1;
        Some(Offered { at, port: Port(arrival.port), packet: Packet::new(record, tail, sidecar) })
    }
}
