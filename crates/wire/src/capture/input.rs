//! The bytes of a capture in order, with their offsets.

use std::io::{self, BufReader, Read};

use super::Fault;

/// A stream of bytes that counts how many it has delivered.
pub(super) struct Input<R> {
    inner: BufReader<R>,
    offset: u64,
}

/// The byte order of a file or section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Endian {
    pub(super) fn u16(self, bytes: &[u8]) -> u16 {
        let bytes = [bytes[0], bytes[1]];
        if self == Self::Little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
    }

    pub(super) fn u32(self, bytes: &[u8]) -> u32 {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if self == Self::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }
}

impl<R: Read> Input<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner: BufReader::with_capacity(1 << 16, inner), offset: 0 }
    }

    /// Returns how many bytes have been delivered.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills `buffer` as far as the file has bytes. Returns how many it had.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.inner.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::fatal(self.offset + filled as u64, format!("cannot read: {error}"))),
            }
        }
        self.offset += filled as u64;
        Ok(filled)
    }

    /// Fills `buffer` with a part of `what`, which started at `start`.
    pub(super) fn fill_all(&mut self, buffer: &mut [u8], start: u64, what: &str) -> Result<(), Fault> {
        match self.fill(buffer)? {
            filled if filled == buffer.len() => Ok(()),
            _ => Err(self.cut(start, what)),
        }
    }

    /// Skips `count` bytes of `what`, which started at `start`.
    pub(super) fn skip(&mut self, count: u64, start: u64, what: &str) -> Result<(), Fault> {
        let skipped = io::copy(&mut self.inner.by_ref().take(count), &mut io::sink());
        let skipped = skipped.map_err(|error| Fault::fatal(self.offset, format!("cannot read: {error}")))?;
        self.offset += skipped;
        if skipped == count { Ok(()) } else { Err(self.cut(start, what)) }
    }

    /// Returns the fault of a file that ends inside `what`.
    fn cut(&self, start: u64, what: &str) -> Fault {
        let there = self.offset - start;
        Fault::fatal(start, format!("the file ends inside {what}, of which it has only the first {there} bytes"))
            .hint("the capture was truncated, perhaps by a full disk or a killed tool: capture again or repair it")
    }
}
