//! The pcapng format (draft-ietf-opsawg-pcapng): sections of blocks.

use std::io::Read;

use super::fault::{LEFT_OUT, too_long_message};
use super::input::{Endian, Input};
use super::pcap::READABLE_LINKS;
use super::reader::{Assembler, Captured, Record};
use super::{Fault, MOST_CAPTURED, MOST_ON_WIRE, Timestamp};
use crate::LinkLayer;

/// The type of the block that starts a section, which reads the same in both byte orders.
pub(super) const SECTION_HEADER: u32 = 0x0A0D_0D0A;
pub(super) const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
pub(super) const INTERFACE_DESCRIPTION: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
pub(super) const ENHANCED_PACKET: u32 = 6;

pub(super) const OPTION_END: u16 = 0;
pub(super) const OPTION_RESOLUTION: u16 = 9;
pub(super) const OPTION_OFFSET: u16 = 14;

/// The longest interface description that is accepted. Names and filters take a few hundred bytes; more is an attack.
const LARGEST_DESCRIPTION: u32 = 1 << 20;
/// The most interfaces of a section that are accepted.
const MOST_INTERFACES: usize = 1 << 16;

/// The state of the current section.
pub(super) struct Pcapng {
    endian: Endian,
    interfaces: Vec<Interface>,
}

#[derive(Clone, Copy)]
struct Interface {
    /// `None` if the link type is not supported.
    link: Option<LinkLayer>,
    /// The most bytes that the interface captures of a packet; 0 means all.
    limit: u32,
    resolution: u8,
    offset: i64,
}

/// A block whose type and length have been read.
#[derive(Clone, Copy)]
struct Block {
    start: u64,
    length: u32,
}

impl Block {
    /// Returns how many bytes are left before the length field at the block's end after `taken` bytes from its start.
    fn left(self, taken: u32) -> u64 {
        u64::from(self.length - taken - 4)
    }
}

impl Pcapng {
    /// Reads the first section header, whose block type has been read.
    pub(super) fn open<R: Read>(input: &mut Input<R>) -> Result<Self, Fault> {
        let mut section = Self { endian: Endian::Little, interfaces: Vec::new() };
        section.start_section(input, 0)?;
        Ok(section)
    }

    pub(super) fn next<R: Read>(
        &mut self,
        input: &mut Input<R>,
        assembler: &mut Assembler,
    ) -> Result<Option<Captured>, Fault> {
        loop {
            let start = input.offset();
            let mut kind = [0; 4];
            if input.fill(&mut kind)? == 0 {
                return Ok(None);
            }
            if kind == SECTION_HEADER.to_le_bytes() {
                self.start_section(input, start)?;
                continue;
            }
            let mut length = [0; 4];
            input.fill_all(&mut length, start, "a block's header")?;
            let block = Block { start, length: self.endian.u32(&length) };
            check_length(block, 12)?;
            let found = match self.endian.u32(&kind) {
                ENHANCED_PACKET => self.timed_packet(input, block, assembler, false)?,
                OBSOLETE_PACKET => self.timed_packet(input, block, assembler, true)?,
                SIMPLE_PACKET => self.simple_packet(input, block, assembler)?,
                INTERFACE_DESCRIPTION => {
                    self.describe_interface(input, block)?;
                    None
                }
                _ => {
                    assembler.tally.other_blocks += 1;
                    self.finish(input, block, 8)?;
                    None
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Section Header Block (section 4.1): byte order, version, length, options.
    fn start_section<R: Read>(&mut self, input: &mut Input<R>, start: u64) -> Result<(), Fault> {
        const WHAT: &str = "a section header";
        let mut rest = [0; 12];
        input.fill_all(&mut rest, start, WHAT)?;
        let found = [Endian::Little, Endian::Big].into_iter().find(|order| order.u32(&rest[4..]) == BYTE_ORDER_MAGIC);
        self.endian = found.ok_or_else(|| {
            Fault::fatal(start + 8, "a section header without a byte-order magic: this is not a pcapng file")
        })?;
        self.interfaces.clear();
        let block = Block { start, length: self.endian.u32(&rest) };
        check_length(block, 28)?;
        let major = self.endian.u16(&rest[8..]);
        if major != 1 {
            return Err(Fault::fatal(start + 12, format!("pcapng version {major} is not supported")));
        }
        self.finish(input, block, 16)
    }

    /// Interface Description Block (section 4.2): link type, snapshot length, options.
    fn describe_interface<R: Read>(&mut self, input: &mut Input<R>, block: Block) -> Result<(), Fault> {
        const WHAT: &str = "an interface description";
        check_length(block, 20)?;
        if block.length > LARGEST_DESCRIPTION || self.interfaces.len() == MOST_INTERFACES {
            return Err(Fault::fatal(
                block.start,
                "more interfaces, or a longer description of one, than any real capture has",
            ));
        }
        let mut body = vec![0; block.left(8) as usize];
        input.fill_all(&mut body, block.start, WHAT)?;
        let number = u32::from(self.endian.u16(&body));
        let limit = self.endian.u32(&body[4..]);
        let mut interface = Interface { link: LinkLayer::from_link_type(number), limit, resolution: 6, offset: 0 };
        let mut options = &body[8..];
        let mut is_cut = false;
        while options.len() >= 4 {
            let (code, length) = (self.endian.u16(options), usize::from(self.endian.u16(&options[2..])));
            let Some(value) = options.get(4..4 + length) else {
                is_cut = true;
                break;
            };
            match (code, value) {
                (OPTION_END, _) => break,
                (OPTION_RESOLUTION, &[resolution]) => interface.resolution = resolution,
                (OPTION_OFFSET, &[_, _, _, _, _, _, _, _]) => {
                    let (first, second) = (self.endian.u32(value), self.endian.u32(&value[4..]));
                    let halves = if self.endian == Endian::Big { (first, second) } else { (second, first) };
                    interface.offset = (u64::from(halves.0) << 32 | u64::from(halves.1)) as i64;
                }
                (OPTION_RESOLUTION | OPTION_OFFSET, _) => is_cut = true,
                _ => {}
            }
            options = options.get(4 + length.next_multiple_of(4)..).unwrap_or(&[]);
        }
        let id = self.interfaces.len();
        self.interfaces.push(interface);
        self.finish(input, block, block.length - 4)?;
        if is_cut {
            let message = format!("an option of interface {id} has a length that cannot be right");
            return Err(Fault::passing(block.start, message).hint("the times of its packets may be wrong"));
        }
        if interface.link.is_none() {
            let message =
                format!("interface {id} has link type {number}, which is not supported: its packets are left out");
            return Err(Fault::passing(block.start + 8, message).hint(READABLE_LINKS));
        }
        Ok(())
    }

    /// Enhanced Packet Block (section 4.3): interface, time, lengths, bytes, options. The Packet Block (appendix A),
    /// which old tools wrote, differs only in its interface of 16 bits, followed by a count of drops.
    fn timed_packet<R: Read>(
        &self,
        input: &mut Input<R>,
        block: Block,
        assembler: &mut Assembler,
        is_obsolete: bool,
    ) -> Result<Option<Captured>, Fault> {
        check_length(block, 32)?;
        let mut fields = [0; 20];
        input.fill_all(&mut fields, block.start, WHAT_PACKET)?;
        let id = if is_obsolete { self.endian.u16(&fields).into() } else { self.endian.u32(&fields) };
        let [upper, lower, captured, original] = [4, 8, 12, 16].map(|at| self.endian.u32(&fields[at..]));
        let left = block.left(28);
        if u64::from(captured) > left || captured > MOST_CAPTURED {
            let message = format!("a packet claims {captured} captured bytes; its block has {left}");
            return Err(self.unusable(input, block, 28, message));
        }
        let Some(interface) = self.interfaces.get(id as usize) else {
            let message = format!("a packet of interface {id}, which its section does not describe");
            return Err(self.unusable(input, block, 28, message));
        };
        let ticks = u64::from(upper) << 32 | u64::from(lower);
        let time = Timestamp::from_ticks(ticks, interface.resolution, interface.offset);
        self.packet(input, block, assembler, 28, (id, Some(time)), (captured, original))
    }

    /// Simple Packet Block (section 4.4): the length on the wire and the bytes of a packet of the section's first
    /// interface.
    fn simple_packet<R: Read>(
        &self,
        input: &mut Input<R>,
        block: Block,
        assembler: &mut Assembler,
    ) -> Result<Option<Captured>, Fault> {
        check_length(block, 16)?;
        let mut original = [0; 4];
        input.fill_all(&mut original, block.start, WHAT_PACKET)?;
        let original = self.endian.u32(&original);
        let Some(interface) = self.interfaces.first() else {
            return Err(self.unusable(input, block, 12, "a packet in a section that has no interface".to_owned()));
        };
        let limit = if interface.limit == 0 { u32::MAX } else { interface.limit };
        let captured = original.min(limit);
        let left = block.left(12);
        if u64::from(captured) > left || captured > MOST_CAPTURED {
            let message = format!("a packet has {captured} captured bytes by its length; its block has {left}");
            return Err(self.unusable(input, block, 12, message));
        }
        self.packet(input, block, assembler, 12, (0, None), (captured, original))
    }

    fn packet<R: Read>(
        &self,
        input: &mut Input<R>,
        block: Block,
        assembler: &mut Assembler,
        taken: u32,
        (id, time): (u32, Option<Timestamp>),
        (captured, original): (u32, u32),
    ) -> Result<Option<Captured>, Fault> {
        if original > MOST_ON_WIRE {
            return Err(self.unusable(input, block, taken, too_long_message(original)));
        }
        let Some(link) = self.interfaces[id as usize].link else {
            assembler.tally.of_unknown_links += 1;
            return self.finish(input, block, taken).map(|()| None);
        };
        let record = Record { start: block.start, what: WHAT_PACKET, captured, original, link };
        let packet = assembler.packet(input, record)?;
        match self.finish(input, block, taken + captured) {
            Ok(()) => Ok(Some(Captured { time, interface: id, packet })),
            Err(fault) => {
                assembler.tally.packets -= 1;
                Err(fault)
            }
        }
    }

    /// Returns a fault of a block that can be skipped because its own length is valid, or else the graver fault.
    fn unusable<R: Read>(&self, input: &mut Input<R>, block: Block, taken: u32, message: String) -> Fault {
        match self.finish(input, block, taken) {
            Ok(()) => Fault::passing(block.start, message).hint(LEFT_OUT),
            Err(worse) => worse,
        }
    }

    /// Skips the rest of a block after `taken` bytes and checks the length field at its end.
    fn finish<R: Read>(&self, input: &mut Input<R>, block: Block, taken: u32) -> Result<(), Fault> {
        const WHAT: &str = "a block";
        input.skip(block.left(taken), block.start, WHAT)?;
        let mut trailer = [0; 4];
        input.fill_all(&mut trailer, block.start, WHAT)?;
        let (length, trailer) = (block.length, self.endian.u32(&trailer));
        if trailer == length {
            return Ok(());
        }
        let message = format!("a block's length is {length} at its start and {trailer} at its end");
        Err(Fault::fatal(block.start, message).hint("the file is damaged at or before this byte"))
    }
}

const WHAT_PACKET: &str = "a packet block";

/// Checks a block's length, which counts the whole block and is a multiple of 4 (section 3.1).
fn check_length(block: Block, least: u32) -> Result<(), Fault> {
    let length = block.length;
    if length >= least && length.is_multiple_of(4) {
        return Ok(());
    }
    let message = format!("a block claims a length of {length} bytes; it must be a multiple of 4 and at least {least}");
    Err(Fault::fatal(block.start, message).hint("the file is damaged at or before this byte"))
}
