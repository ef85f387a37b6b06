//! Packets as a network would hand them to members, and what members send, field by field.

use std::sync::Arc;

use basis::Instant;
use transports::aggregation::Setup;
use transports::frame::{ENVELOPE, Envelope, congestion};
use wire::{Atp, Packet, atp};

use super::plan::Job;

pub const SERVER: u32 = 0x0A00_0800;
/// The UDP source port of the first fragments in the first setup.
pub const FIRST_PORT: u16 = 0xC000;
const HEADERS: usize = 58;

/// The setup of a job of workers in these racks, whose server is in rack 0.
pub fn setup(job: &Job) -> Arc<Setup> {
    let workers: Vec<u32> = (0..job.workers.len() as u32).map(worker).collect();
    job.setup(0, &workers, &[SERVER])
}

pub fn worker(rank: u32) -> u32 {
    0x0A00_0000 + rank
}

/// The fields of a packet that tests look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    pub destination: u32,
    pub bitmaps: [u32; 2],
    pub flags: u16,
    pub sequence: u32,
    pub aggregator: u16,
    pub values: Vec<u32>,
}

impl Fields {
    /// A gradient packet with these bits, all of whose values are `value`.
    pub fn gradient(sequence: u32, bitmaps: [u32; 2], value: i32) -> Self {
        let values = vec![value.cast_unsigned(); atp::VALUES];
        Self { destination: SERVER, bitmaps, flags: 0, sequence, aggregator: Self::index(sequence), values }
    }

    /// The index that a fragment of job 1 has at first, among 64 aggregators with windows of up to 1,024 packets.
    pub fn index(sequence: u32) -> u16 {
        (atp::hash(atp::job_and_sequence(1, sequence % 1024)) % 64) as u16
    }

    /// The answer to a fragment.
    pub fn answer(group: u32, sequence: u32, value: i32) -> Self {
        Self { destination: group, flags: atp::flag::ACK, ..Self::gradient(sequence, [0, 0], value) }
    }

    pub fn flags(self, flags: u16) -> Self {
        Self { flags: self.flags | flags, ..self }
    }

    /// The packet, of job 1 in its first setup.
    pub fn packet(&self) -> Packet {
        let mut frame = vec![0; HEADERS];
        frame.extend(self.values.iter().flat_map(|value| value.to_be_bytes()));
        let mut header = Atp::new(&mut frame[ENVELOPE..]).unwrap();
        header.set_bitmap0(self.bitmaps[0]);
        header.set_bitmap1(self.bitmaps[1]);
        header.set_degrees_and_flags(self.flags);
        header.set_job_and_sequence(atp::job_and_sequence(1, self.sequence));
        header.set_aggregator(self.aggregator);
        let envelope = Envelope {
            source: 0x0A00_FFFF,
            destination: self.destination,
            dscp: 0,
            ecn: congestion::CAPABLE,
            source_port: FIRST_PORT,
            destination_port: atp::PORT,
        };
        envelope.seal(Instant::ZERO, &mut frame, 0)
    }

    pub fn of(packet: &Packet) -> Self {
        let (envelope, rest) = Envelope::open(packet).unwrap();
        let header = Atp::new(rest).unwrap();
        let values = packet.head.bytes()[HEADERS..].as_chunks().0;
        Self {
            destination: envelope.destination,
            bitmaps: [header.bitmap0(), header.bitmap1()],
            flags: header.degrees_and_flags() & 63,
            sequence: header.sequence(),
            aggregator: header.aggregator(),
            values: values.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect(),
        }
    }
}
