//! Writers of captures: little-endian, with one interface.

use std::io::{self, Write};

use super::{Timestamp, pcap, pcapng};
use crate::{LinkLayer, Packet, Tail};

/// The resolution of the times in a pcap file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Microseconds, which every tool reads.
    Microseconds,
    /// Nanoseconds, which most present tools read.
    Nanoseconds,
}

/// Writes pcap. The unknown bytes of a packet (a tail of length only) are not written, but the record states the
/// packet's full length.
pub struct PcapWriter<W> {
    out: W,
    resolution: Resolution,
}

impl<W: Write> PcapWriter<W> {
    /// Writes the header of the file.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn new(mut out: W, link: LinkLayer, resolution: Resolution) -> io::Result<Self> {
        let magic = match resolution {
            Resolution::Microseconds => pcap::MICROSECONDS,
            Resolution::Nanoseconds => pcap::NANOSECONDS,
        };
        out.write_all(&magic.to_le_bytes())?;
        out.write_all(&[2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
        out.write_all(&super::MOST_CAPTURED.to_le_bytes())?;
        out.write_all(&u32::from(link.link_type()).to_le_bytes())?;
        Ok(Self { out, resolution })
    }

    /// Writes one packet. The format holds times from 1970 to 2106; other times wrap around.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn write(&mut self, time: Timestamp, packet: &Packet) -> io::Result<()> {
        let fraction = match self.resolution {
            Resolution::Microseconds => time.picoseconds / 1_000_000,
            Resolution::Nanoseconds => time.picoseconds / 1_000,
        };
        let (captured, original) = lengths(packet);
        for field in [time.seconds as u32, fraction as u32, captured, original] {
            self.out.write_all(&field.to_le_bytes())?;
        }
        write_bytes(&mut self.out, packet, captured)
    }

    /// Flushes the output and returns it.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Writes pcapng with times to the picosecond. As in pcap, unknown bytes are not written.
///
/// Ticks of 64 bits hold 213 days in picoseconds, so the clock of the interface (if_tsoffset) starts a day before the
/// second of the first packet, but not before 1970. A time outside its range is written as the nearest one inside.
pub struct PcapngWriter<W> {
    out: W,
    link: LinkLayer,
    /// The time at which the interface's clock starts; `None` until the interface has been described.
    clock: Option<Timestamp>,
}

const A_DAY: i64 = 86_400;

impl<W: Write> PcapngWriter<W> {
    /// Writes a section header. The only interface is described when its first packet is written.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn new(mut out: W, link: LinkLayer) -> io::Result<Self> {
        let mut section = pcapng::BYTE_ORDER_MAGIC.to_le_bytes().to_vec();
        section.extend_from_slice(&[1, 0, 0, 0]);
        section.extend_from_slice(&u64::MAX.to_le_bytes()); // the section's length is not specified
        write_block(&mut out, pcapng::SECTION_HEADER, &section)?;
        Ok(Self { out, link, clock: None })
    }

    /// Continues a file that another writer has begun, whose clock is given ([`PcapngWriter::clock`]).
    pub fn going_on(out: W, link: LinkLayer, clock: Option<Timestamp>) -> Self {
        Self { out, link, clock }
    }

    /// Returns the time at which the interface's clock starts, or `None` before the first packet.
    pub fn clock(&self) -> Option<Timestamp> {
        self.clock
    }

    /// Returns the output.
    pub fn out(&self) -> &W {
        &self.out
    }

    /// Returns the output for writing.
    pub fn out_mut(&mut self) -> &mut W {
        &mut self.out
    }

    fn describe_interface(&mut self, first: Timestamp) -> io::Result<Timestamp> {
        let seconds = first.seconds.saturating_sub(A_DAY).max(0);
        let mut interface = u32::from(self.link.link_type()).to_le_bytes().to_vec();
        interface.extend_from_slice(&super::MOST_CAPTURED.to_le_bytes());
        interface.extend_from_slice(&pcapng::OPTION_RESOLUTION.to_le_bytes());
        interface.extend_from_slice(&[1, 0, 12, 0, 0, 0]); // one byte, 10^-12 seconds, padding
        interface.extend_from_slice(&pcapng::OPTION_OFFSET.to_le_bytes());
        interface.extend_from_slice(&[8, 0]);
        interface.extend_from_slice(&seconds.to_le_bytes());
        interface.extend_from_slice(&pcapng::OPTION_END.to_le_bytes());
        interface.extend_from_slice(&[0, 0]);
        write_block(&mut self.out, pcapng::INTERFACE_DESCRIPTION, &interface)?;
        let clock = Timestamp::new(seconds, 0);
        self.clock = Some(clock);
        Ok(clock)
    }

    /// Writes one packet.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn write(&mut self, time: Timestamp, packet: &Packet) -> io::Result<()> {
        let clock = match self.clock {
            Some(clock) => clock,
            None => self.describe_interface(time)?,
        };
        let ticks = time.picoseconds_since(clock).clamp(0, i128::from(u64::MAX)) as u64;
        let (captured, original) = lengths(packet);
        let padding = captured.next_multiple_of(4) - captured;
        let length = 32 + captured + padding;
        for field in [pcapng::ENHANCED_PACKET, length, 0, (ticks >> 32) as u32, ticks as u32, captured, original] {
            self.out.write_all(&field.to_le_bytes())?;
        }
        write_bytes(&mut self.out, packet, captured)?;
        self.out.write_all(&[0; 4][..padding as usize])?;
        self.out.write_all(&length.to_le_bytes())
    }

    /// Flushes the output and returns it.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Returns how many bytes of a packet are written, and how long it is.
pub(super) fn lengths(packet: &Packet) -> (u32, u32) {
    let known = match &packet.tail {
        Tail::Bytes(bytes) => packet.head.len() + bytes.len(),
        Tail::Length(_) => packet.head.len(),
    };
    let captured = known.min(super::MOST_CAPTURED as usize) as u32;
    (captured, u32::try_from(packet.len()).unwrap_or(u32::MAX))
}

pub(super) fn write_bytes(out: &mut impl Write, packet: &Packet, captured: u32) -> io::Result<()> {
    let head = packet.head.bytes();
    let head = &head[..head.len().min(captured as usize)];
    out.write_all(head)?;
    match &packet.tail {
        Tail::Bytes(bytes) => out.write_all(&bytes[..captured as usize - head.len()]),
        Tail::Length(_) => Ok(()),
    }
}

pub(super) fn write_block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = body.len() as u32 + 12;
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(body)?;
    out.write_all(&length.to_le_bytes())
}
