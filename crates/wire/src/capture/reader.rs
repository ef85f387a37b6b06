//! A stream of captured packets, whichever format they are in.

use std::io::Read;

use super::input::Input;
use super::pcap::Pcap;
use super::pcapng::Pcapng;
use super::{Fault, Timestamp};
use crate::{LinkLayer, Packet, Sidecar, Tail};

/// How many bytes of a packet its head keeps unless somebody says otherwise: enough for every header that programs
/// bind to, under tags and options, and for the start of a payload.
pub const DEFAULT_HEAD_LIMIT: usize = 256;

/// A packet as it was captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// When; `None` in a pcapng Simple Packet Block, which does not say.
    pub time: Option<Timestamp>,
    /// On which interface of its section; 0 in pcap.
    pub interface: u32,
    /// The packet: its first bytes as head, a tail of length only, and its length on the wire in the sidecar.
    pub packet: Packet,
}

/// What a reader has met so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets that were given.
    pub packets: u64,
    /// Packets that were left out because their interface's link type is not one that we read; a fault tells each
    /// such interface once.
    pub of_unknown_links: u64,
    /// Blocks that hold no packet (names, statistics, comments and the like).
    pub other_blocks: u64,
}

/// Reads a capture, packet by packet, in memory that does not depend on the file.
///
/// An iterator of packets and faults. After a fault that is not fatal it goes on; after a fatal one it ends.
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

/// Makes packets of records, and counts.
pub(super) struct Assembler {
    buffer: Vec<u8>,
    pub(super) tally: Tally,
}

impl<R: Read> Reader<R> {
    /// Reads the start of a capture and tells its format.
    ///
    /// # Errors
    /// A fatal fault if it is no capture, or one of a kind that we do not read.
    pub fn new(input: R) -> Result<Self, Fault> {
        Self::with_head_limit(input, DEFAULT_HEAD_LIMIT)
    }

    /// Like [`Reader::new`], with packets' heads of at most `head_limit` bytes.
    ///
    /// # Errors
    /// A fatal fault if it is no capture, or one of a kind that we do not read.
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
        // No record holds more than the limit on captured bytes, so a larger buffer is never filled.
        let buffer = vec![0; head_limit.min(super::MOST_CAPTURED as usize)];
        Ok(Self { input, format, assembler: Assembler { buffer, tally: Tally::default() }, ended: false })
    }

    /// What has been met so far.
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
    /// Takes `captured` bytes of a packet out of the input, of which the first become its head.
    pub(super) fn packet<R: Read>(&mut self, input: &mut Input<R>, record: Record<'_>) -> Result<Packet, Fault> {
        let kept = self.buffer.len().min(record.captured as usize);
        let head = &mut self.buffer[..kept];
        input.fill_all(head, record.start, record.what)?;
        input.skip(u64::from(record.captured) - kept as u64, record.start, record.what)?;
        self.tally.packets += 1;
        // A few writers put more bytes into a record than the packet had on the wire; what is there, was there.
        let original_length = record.original.max(record.captured);
        let tail = Tail::Length(original_length - kept as u32);
        Ok(Packet::new(head, tail, Sidecar { original_length, link: record.link, ..Sidecar::default() }))
    }
}

/// What is known of a packet when its bytes come next.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) start: u64,
    pub(super) what: &'a str,
    pub(super) captured: u32,
    pub(super) original: u32,
    pub(super) link: LinkLayer,
}
