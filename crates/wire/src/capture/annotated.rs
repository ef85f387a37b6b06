//! A writer of pcapng blocks with several interfaces, directions and comments, for captures of live packets.

use std::io::{self, Write};

use super::writer::{lengths, write_block, write_bytes};
use super::{Timestamp, pcapng};
use crate::{LinkLayer, Packet};

/// The options of blocks that only this writer uses (draft-ietf-opsawg-pcapng, sections 3.5, 4.2 and 4.6).
const OPTION_COMMENT: u16 = 1;
const OPTION_NAME: u16 = 2;
const OPTION_FLAGS: u16 = 2;
const OPTION_DROPPED: u16 = 5;
const INTERFACE_STATISTICS: u32 = 5;
/// Times are in nanoseconds since 1970, which 64 bits hold until 2554.
const NANOSECONDS: u8 = 9;

/// The direction of a packet, seen from the one who captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The packet came in.
    Inbound,
    /// The packet went out.
    Outbound,
    /// The packet did neither, or it is not known.
    Unknown,
}

/// Writes the blocks of a pcapng file with several interfaces. Times are to the nanosecond.
pub struct AnnotatedWriter<W> {
    out: W,
    interfaces: u32,
}

impl<W: Write> AnnotatedWriter<W> {
    /// Writes a section header.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        let mut section = pcapng::BYTE_ORDER_MAGIC.to_le_bytes().to_vec();
        section.extend_from_slice(&[1, 0, 0, 0]);
        section.extend_from_slice(&u64::MAX.to_le_bytes()); // the section's length is not specified
        write_block(&mut out, pcapng::SECTION_HEADER, &section)?;
        Ok(Self { out, interfaces: 0 })
    }

    /// Describes an interface of Ethernet frames. Returns its number, by which packets refer to it.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn interface(&mut self, name: &str) -> io::Result<u32> {
        let mut body = u32::from(LinkLayer::Ethernet.link_type()).to_le_bytes().to_vec();
        body.extend_from_slice(&super::MOST_CAPTURED.to_le_bytes());
        option(&mut body, OPTION_NAME, name.as_bytes());
        option(&mut body, pcapng::OPTION_RESOLUTION, &[NANOSECONDS]);
        option(&mut body, pcapng::OPTION_END, &[]);
        write_block(&mut self.out, pcapng::INTERFACE_DESCRIPTION, &body)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes one packet of an interface, with a comment unless that is empty.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn write(
        &mut self,
        interface: u32,
        time: Timestamp,
        packet: &Packet,
        direction: Direction,
        comment: &str,
    ) -> io::Result<()> {
        let ticks = nanoseconds(time);
        let (captured, original) = lengths(packet);
        let mut body = Vec::with_capacity(captured as usize + comment.len() + 48);
        for field in [interface, (ticks >> 32) as u32, ticks as u32, captured, original] {
            body.extend_from_slice(&field.to_le_bytes());
        }
        write_bytes(&mut body, packet, captured)?;
        body.resize(body.len().next_multiple_of(4), 0);
        let direction: u32 = match direction {
            Direction::Unknown => 0,
            Direction::Inbound => 1,
            Direction::Outbound => 2,
        };
        option(&mut body, OPTION_FLAGS, &direction.to_le_bytes());
        if !comment.is_empty() {
            option(&mut body, OPTION_COMMENT, comment.as_bytes());
        }
        option(&mut body, pcapng::OPTION_END, &[]);
        write_block(&mut self.out, pcapng::ENHANCED_PACKET, &body)
    }

    /// Writes how many packets of an interface the capture has lost so far.
    ///
    /// # Errors
    /// Returns the error of the output if it cannot be written.
    pub fn lost(&mut self, interface: u32, time: Timestamp, packets: u64) -> io::Result<()> {
        let ticks = nanoseconds(time);
        let mut body = Vec::with_capacity(32);
        for field in [interface, (ticks >> 32) as u32, ticks as u32] {
            body.extend_from_slice(&field.to_le_bytes());
        }
        option(&mut body, OPTION_DROPPED, &packets.to_le_bytes());
        option(&mut body, pcapng::OPTION_END, &[]);
        write_block(&mut self.out, INTERFACE_STATISTICS, &body)
    }

    /// Returns the output for writing, for example to take what was written out of a buffer.
    pub fn out_mut(&mut self) -> &mut W {
        &mut self.out
    }
}

fn nanoseconds(time: Timestamp) -> u64 {
    let seconds = u64::try_from(time.seconds).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(time.picoseconds / 1000)
}

/// Appends an option, padded to four bytes.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    body.extend_from_slice(&code.to_le_bytes());
    body.extend_from_slice(&(value.len() as u16).to_le_bytes());
    body.extend_from_slice(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Reader;

    #[test]
    fn what_is_written_reads_back() {
        let mut writer = AnnotatedWriter::new(Vec::new()).expect("memory");
        let first = writer.interface("port 0 (veth0)").expect("memory");
        let second = writer.interface("port 1").expect("memory");
        assert_eq!([first, second], [0, 1]);
        let time = Timestamp::new(1_700_000_000, 123_456_000);
        let packets: Vec<Packet> = [60, 61, 1500].map(Packet::blank).into();
        for (number, packet) in packets.iter().enumerate() {
            let direction = [Direction::Inbound, Direction::Outbound, Direction::Unknown][number];
            writer.write(second, time, packet, direction, ["", "dropped: no route", "x"][number]).expect("memory");
            writer.lost(first, time, number as u64).expect("memory");
        }
        let bytes = std::mem::take(writer.out_mut());
        assert_eq!(bytes.len() % 4, 0);
        assert!(bytes.windows(17).any(|window| window == b"dropped: no route"));
        let read: Vec<_> = Reader::new(bytes.as_slice())
            .expect("a capture")
            .map(|record| record.expect("no fault"))
            .map(|captured| (captured.time, captured.packet.len()))
            .collect();
        assert_eq!(read, [60, 61, 1500].map(|length| (Some(time), length)));
    }
}
