//! The pcap format (draft-ietf-opsawg-pcap): a header, then records.

use std::io::Read;

use super::input::{Endian, Input};
use super::reader::{Assembler, Captured, Record};
use super::{Fault, MOST_CAPTURED, MOST_ON_WIRE, Timestamp};
use crate::LinkLayer;

/// The magic number of a file with times in microseconds.
pub(super) const MICROSECONDS: u32 = 0xA1B2_C3D4;
/// The magic number of a file with times in nanoseconds.
pub(super) const NANOSECONDS: u32 = 0xA1B2_3C4D;
/// The magic number of a patched libpcap of the 1990s, whose records have another header.
const KUZNETZOV: u32 = 0xA1B2_CD34;

/// The contents of a file's header.
pub(super) struct Pcap {
    endian: Endian,
    picoseconds_per_tick: u64,
    link: LinkLayer,
}

impl Pcap {
    /// Reads the rest of the header, whose first four bytes are `magic`.
    pub(super) fn open<R: Read>(magic: [u8; 4], input: &mut Input<R>) -> Result<Self, Fault> {
        let (endian, magic) = [Endian::Little, Endian::Big]
            .map(|endian| (endian, endian.u32(&magic)))
            .into_iter()
            .find(|(_, magic)| matches!(*magic, MICROSECONDS | NANOSECONDS | KUZNETZOV))
            .ok_or_else(|| unknown_magic(magic))?;
        if magic == KUZNETZOV {
            return Err(Fault::fatal(0, "the modified pcap format (magic a1b2cd34) is not supported")
                .hint("convert it: `editcap -F pcapng in.pcap out.pcapng`"));
        }
        let mut rest = [0; 20];
        input.fill_all(&mut rest, 0, "the header of 24 bytes")?;
        let version = (endian.u16(&rest), endian.u16(&rest[2..]));
        if version.0 != 2 {
            let message = format!("pcap version {}.{} is not supported", version.0, version.1);
            return Err(Fault::fatal(4, message).hint("tools write version 2.4"));
        }
        // The upper bits describe frame check sequences; the link type is in the lower 16 (section 4 of the draft).
        let number = endian.u32(&rest[16..]) & 0xFFFF;
        let link = LinkLayer::from_link_type(number)
            .ok_or_else(|| Fault::fatal(20, format!("link type {number} is not supported")).hint(READABLE_LINKS))?;
        let picoseconds_per_tick = if magic == NANOSECONDS { 1_000 } else { 1_000_000 };
        Ok(Self { endian, picoseconds_per_tick, link })
    }

    pub(super) fn next<R: Read>(
        &mut self,
        input: &mut Input<R>,
        assembler: &mut Assembler,
    ) -> Result<Option<Captured>, Fault> {
        const WHAT: &str = "a packet record";
        let start = input.offset();
        let mut header = [0; 16];
        match input.fill(&mut header)? {
            0 => return Ok(None),
            16 => {}
            there => {
                let message = format!("the file ends inside a packet record's header, after {there} of its 16 bytes");
                return Err(Fault::fatal(start, message).hint("the capture was truncated: capture again or repair it"));
            }
        }
        let field = |at: usize| self.endian.u32(&header[at..]);
        let (captured, original) = (field(8), field(12));
        if captured > MOST_CAPTURED {
            let message = format!("a record claims {captured} captured bytes; the most is {MOST_CAPTURED}");
            return Err(Fault::fatal(start, message).hint("the file is damaged at or before this byte"));
        }
        if original > MOST_ON_WIRE {
            // The start of the next record is known all the same.
            input.skip(captured.into(), start, WHAT)?;
            return Err(super::fault::too_long(start, original));
        }
        let time = Timestamp::new(i64::from(field(0)), u64::from(field(4)) * self.picoseconds_per_tick);
        let packet = assembler.packet(input, Record { start, what: WHAT, captured, original, link: self.link })?;
        Ok(Some(Captured { time: Some(time), interface: 0, packet }))
    }
}

/// The link types that [`LinkLayer::from_link_type`] supports, for hints.
pub(super) const READABLE_LINKS: &str =
    "supported are Ethernet (1), raw IP (101, 228, 229), Linux cooked (113, 276) and loopback (0, 108)";

fn unknown_magic(magic: [u8; 4]) -> Fault {
    let [a, b, c, d] = magic;
    let hint = match magic {
        [0x1F, 0x8B, ..] => "this is gzip: unpack it first",
        [0x28, 0xB5, 0x2F, 0xFD] => "this is zstd: unpack it first",
        _ => "expected pcap or pcapng, not compressed",
    };
    Fault::fatal(0, format!("this is not a capture: it starts with {a:02x} {b:02x} {c:02x} {d:02x}")).hint(hint)
}
