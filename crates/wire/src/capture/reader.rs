//! A stream of captured packets in either format.

use std::io::Read;

use super::input::Input;
use super::pcap::Pcap;
use super::pcapng::Pcapng;
use super::{Fault, Timestamp};
use crate::{LinkLayer, Packet, Sidecar, Tail};

/// The default for how many bytes of a packet its head keeps: enough for every header that programs bind to, including
/// tags and options, and for the start of a payload.
pub const DEFAULT_HEAD_LIMIT: usize = 256;

/// A packet as it was captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The time of capture; `None` in a pcapng Simple Packet Block, which has none.
    pub time: Option<Timestamp>,
    /// The interface of the section, from 0; always 0 in pcap.
    pub interface: u32,
    /// The packet: its first bytes as head, a tail of length only, and its length on the wire in the sidecar.
    pub packet: Packet,
}

/// The progress of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of packets that were returned.
    pub packets: u64,
    /// The number of packets that were left out because the link type of their interface is not supported; a fault
    /// reports each such interface once.
    pub of_unknown_links: u64,
    /// The number of blocks without a packet (names, statistics, comments and the like).
    pub other_blocks: u64,
}

/// Reads a capture packet by packet, in memory that does not depend on the size of the file.
///
/// This is an iterator over packets and faults. It continues after a fault that is not fatal and ends after a fatal
/// one.
pub struct Reader<R> {
    input: Input<R>,
    format: Format,
    assembler: Assembler,
    ended: bool,
}

enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

/// Makes packets from records and counts them.
pub(super) struct Assembler {
    buffer: Vec<u8>,
    pub(super) tally: Tally,
}

impl<R: Read> Reader<R> {
    /// Reads the start of a capture and detects its format.
    ///
    /// # Errors
    /// Returns a fatal fault if the input is not a capture or of an unsupported format.
    pub fn new(input: R) -> Result<Self, Fault> {
        Self::with_head_limit(input, DEFAULT_HEAD_LIMIT)
    }

    /// Like [`Reader::new`], with heads of at most `head_limit` bytes.
    ///
    /// # Errors
    /// Returns a fatal fault if the input is not a capture or of an unsupported format.
    pub fn with_head_limit(input: R, head_limit: usize) -> Result<Self, Fault> {
        let mut input = Input::new(input);
        let mut magic = [0; 4];
        let found = input.fill(&mut magic)?;
        let format = if found < magic.len() {
            let message = if found == 0 { "the file is empty" } else { "the file is too short for a capture" };
            return Err(Fault::fatal(0, message).hint("expected pcap or pcapng, not compressed"));
        } else if magic == super::pcapng::SECTION_HEADER.to_le_bytes() {
            Format::Pcapng(Pcapng::open(&mut input)?)
        } else {
            Format::Pcap(Pcap::open(magic, &mut input)?)
        };
        // A record never holds more than the limit on captured bytes, so a larger buffer would never be filled.
        let buffer = vec![0; head_limit.min(super::MOST_CAPTURED as usize)];
        Ok(Self { input, format, assembler: Assembler { buffer, tally: Tally::default() }, ended: false })
    }

    /// Returns the counts so far.
    pub fn tally(&self) -> Tally {
        self.assembler.tally
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Captured, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match &mut self.format {
            Format::Pcap(pcap) => pcap.next(&mut self.input, &mut self.assembler),
            Format::Pcapng(pcapng) => pcapng.next(&mut self.input, &mut self.assembler),
        };
        self.ended = match &next {
            Ok(Some(_)) => false,
            Ok(None) => true,
            Err(fault) => fault.is_fatal,
        };
        next.transpose()
    }
}

impl Assembler {
    /// Reads the bytes of a record, the first of which become the packet's head.
    pub(super) fn packet<R: Read>(&mut self, input: &mut Input<R>, record: Record<'_>) -> Result<Packet, Fault> {
        let kept = self.buffer.len().min(record.captured as usize);
        let head = &mut self.buffer[..kept];
        input.fill_all(head, record.start, record.what)?;
        input.skip(u64::from(record.captured) - kept as u64, record.start, record.what)?;
        self.tally.packets += 1;
        // Some writers put more bytes into a record than the stated length on the wire; the longer of the two counts.
        let original_length = record.original.max(record.captured);
        let tail = Tail::Length(original_length - kept as u32);
        Ok(Packet::new(head, tail, Sidecar { original_length, link: record.link, ..Sidecar::default() }))
    }
}

/// The known facts about a packet before its bytes are read.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) start: u64,
    pub(super) what: &'a str,
    pub(super) captured: u32,
    pub(super) original: u32,
    pub(super) link: LinkLayer,
}
