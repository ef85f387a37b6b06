//! Packets of Trio-ML as workers send and read them.

use basis::Instant;
use wire::{Packet, TrioMl, trio_ml};

use super::tensors::Part;
use crate::frame::{ENVELOPE, Envelope, congestion};

/// The length of all headers of a packet in bytes.
const HEADERS: usize = ENVELOPE + TrioMl::<&[u8]>::LENGTH;

/// What the packets of a worker say of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct From {
    pub address: u32,
    pub switch: u32,
    pub job: u8,
    pub source: u8,
    pub generation: u16,
}

/// Makes the packet with the contribution to a block.
pub(super) fn contribution(
    now: Instant,
    from: &From,
    block: u32,
    part: Part,
    values: &[i32],
    frame: &mut Vec<u8>,
) -> Packet {
    frame.clear();
    frame.resize(HEADERS, 0);
    let mut header = TrioMl::new(&mut frame[ENVELOPE..]).expect("room for the header");
    header.set_job(from.job);
    header.set_block(block);
    header.set_flags(if part.is_final { trio_ml::flag::FINAL } else { 0 });
    header.set_source(from.source);
    header.set_source_count(1);
    header.set_generation(from.generation);
    header.set_gradient_count(part.length);
    frame.extend(values.iter().flat_map(|value| value.to_be_bytes()));
    let envelope = Envelope {
        source: from.address,
        destination: from.switch,
        dscp: 0,
        ecn: congestion::NOT_CAPABLE,
        source_port: trio_ml::PORT,
        destination_port: trio_ml::PORT,
    };
    envelope.seal(now, frame, 0)
}

/// Returns the envelope and the header of a packet of Trio-ML; `None` if it is another.
pub(super) fn open(packet: &Packet) -> Option<(Envelope, TrioMl<&[u8]>)> {
    let (envelope, rest) = Envelope::open(packet)?;
    let header = TrioMl::new(rest)?;
    (envelope.destination_port == trio_ml::PORT).then_some((envelope, header))
}

/// Appends the gradients of a packet to `values`. Returns false if it has not as many as its header says.
pub(super) fn gradients(packet: &Packet, count: u16, bytes: &mut Vec<u8>, values: &mut Vec<i32>) -> bool {
    bytes.clear();
    packet.append_known_to(bytes);
    let Some(gradients) = bytes.get(HEADERS..).and_then(|rest| rest.get(..4 * usize::from(count))) else {
        return false;
    };
    values.clear();
    let (chunks, _) = gradients.as_chunks::<4>();
    values.extend(chunks.iter().map(|chunk| i32::from_be_bytes(*chunk)));
    true
}
