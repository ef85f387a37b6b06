//! Packets that the switch reads and makes.

use wire::trio_ml::{JobRecord, PORT};
use wire::{Ethernet, Ipv4, Packet, Sidecar, Tail, TrioMl, Udp, ether_type, protocol};

/// The length of the headers before that of Trio-ML, and of all headers, in bytes.
const ENVELOPE: usize = 42;
pub(super) const HEADERS: usize = ENVELOPE + TrioMl::<&[u8]>::LENGTH;

/// The headers of a packet of Trio-ML.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    pub from: u32,
    pub to: u32,
    pub job: u8,
    pub block: u32,
    pub age: u8,
    pub flags: u8,
    pub source: u8,
    pub contributors: u32,
    pub generation: u16,
    pub gradients: u16,
}

/// Reads the headers of a packet; `None` if it is not one of Trio-ML in IPv4 without options or fragments.
pub(super) fn read(packet: &Packet) -> Option<Received> {
    let bytes = packet.head.bytes();
    let ip = Ipv4::new(bytes.get(14..)?)?;
    let udp = Udp::new(bytes.get(34..)?)?;
    let header = TrioMl::new(bytes.get(ENVELOPE..)?)?;
    let is_fragment = ip.fragmentation() & 0x3fff != 0;
    if ip.version_and_length() != 0x45
        || ip.protocol() != protocol::UDP
        || is_fragment
        || udp.destination_port() != PORT
    {
        return None;
    }
    Some(Received {
        from: ip.source_bits(),
        to: ip.destination_bits(),
        job: header.job(),
        block: header.block(),
        age: header.age_operation(),
        flags: header.flags(),
        source: header.source(),
        contributors: header.contributors().into(),
        generation: header.generation(),
        gradients: header.gradients(),
    })
}

/// Adds the gradients of a packet, which has as many bytes, to the sums. Numbers wrap around, as those of shared memory do.
pub(super) fn add(packet: &Packet, gradients: u16, scratch: &mut Vec<u8>, sums: &mut [i32]) {
    let end = HEADERS + 4 * usize::from(gradients);
    let bytes = match packet.head.bytes().get(HEADERS..end) {
        Some(bytes) => bytes,
        None => {
            scratch.clear();
            packet.append_to(scratch);
            &scratch[HEADERS..end]
        }
    };
    let (chunks, _) = bytes.as_chunks::<4>();
    for (sum, chunk) in sums.iter_mut().zip(chunks) {
        *sum = sum.wrapping_add(i32::from_be_bytes(*chunk));
    }
}

/// What the header of a packet that the switch makes says, beside what follows from its job.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    pub block: u32,
    /// The byte with the operation of age and the flags.
    pub flags: u8,
    pub source: u8,
    pub contributors: u8,
    pub generation: u16,
}

/// Returns the Ethernet address for an IPv4 address: that of a group by RFC 1112, section 6.4, or one that ends in it.
fn ethernet_address(address: u32) -> [u8; 6] {
    let [a, b, c, d] = address.to_be_bytes();
    if address >> 28 == 0b1110 { [1, 0, 0x5e, b & 0x7f, c, d] } else { [2, 0, a, b, c, d] }
}

/// Makes a packet of the switch with gradients, for `destination`.
pub(super) fn make(job: &JobRecord, destination: u32, said: Said, gradients: &[i32]) -> Packet {
    let length = HEADERS + 4 * gradients.len();
    let mut packet = Packet::blank(length);
    packet.sidecar = Sidecar { id: Sidecar::MADE, original_length: length as u32, ..Sidecar::default() };
    packet.tail = Tail::Length(0);
    let frame = packet.head.bytes_mut();
    frame[..HEADERS].fill(0);
    let mut ethernet = Ethernet::new(&mut frame[..]).expect("room for all headers");
    ethernet.set_destination(ethernet_address(destination));
    ethernet.set_source(ethernet_address(job.address));
    ethernet.set_ether_type(ether_type::IPV4);
    let mut ip = Ipv4::new(&mut frame[14..]).expect("room for all headers");
    ip.set_version_and_length(0x45);
    ip.set_total_length((length - 14) as u16);
    ip.set_fragmentation(0x4000);
    ip.set_time_to_live(64);
    ip.set_protocol(protocol::UDP);
    ip.set_source_bits(job.address);
    ip.set_destination_bits(destination);
    ip.fill_checksum();
    let mut udp = Udp::new(&mut frame[34..]).expect("room for all headers");
    udp.set_source_port(PORT);
    udp.set_destination_port(PORT);
    udp.set_length((length - 34) as u16);
    let mut header = TrioMl::new(&mut frame[ENVELOPE..]).expect("room for all headers");
    header.set_job(job.job);
    header.set_block(said.block);
    header.set_flags(said.flags);
    header.set_source(said.source);
    header.set_source_count(said.contributors);
    header.set_generation(said.generation);
    header.set_gradient_count(gradients.len() as u16);
    let (chunks, _) = frame[HEADERS..].as_chunks_mut::<4>();
    for (chunk, gradient) in chunks.iter_mut().zip(gradients) {
        *chunk = gradient.to_be_bytes();
    }
    packet
}
