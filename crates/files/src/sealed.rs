//! Files that a later run can trust: each names its kind and format and carries a checksum, so that a damaged one is
//! rejected.
//!
//! The checksum is CRC-64/XZ (ECMA-182). It detects every change of up to three bits and every burst error of up to 64
//! bits anywhere in the file, and all but one in 2^64 of other changes. It does not protect against forgery.

use std::fmt;
use std::io::{self, Write};

use crc::{CRC_64_XZ, Crc, Digest, Table};

static CRC_64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// The size of the length and of the checksum, in bytes.
const WORD: usize = 8;

/// A checksum that is computed incrementally.
#[derive(Clone)]
pub struct Sum(Digest<'static, u64, Table<16>>);

impl Default for Sum {
    fn default() -> Self {
        Self::new()
    }
}

impl Sum {
    /// Returns the checksum of no bytes.
    pub fn new() -> Self {
        Self(CRC_64.digest())
    }

    /// Appends bytes to those that are summed.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the checksum of all bytes so far.
    pub fn value(&self) -> u64 {
        self.0.clone().finalize()
    }

    /// Returns the checksum of some bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        CRC_64.checksum(bytes)
    }
}

impl fmt::Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sum({:016x})", self.value())
    }
}

/// A writer that passes bytes on and computes their checksum.
#[derive(Debug)]
pub struct Summed<W> {
    out: W,
    sum: Sum,
}

impl<W> Summed<W> {
    /// Returns a writer that continues after bytes whose checksum is `sum`.
    pub fn new(out: W, sum: Sum) -> Self {
        Self { out, sum }
    }

    /// Returns the checksum of all bytes so far.
    pub fn sum(&self) -> u64 {
        self.sum.value()
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The reason why a sealed file is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The file does not begin with the name of its kind.
    OtherKind,
    /// The file has a format other than the one that this program reads.
    OtherFormat,
    /// The file ends too early.
    CutOff,
    /// The file has bytes after its end.
    TooLong,
    /// The checksum does not match the content.
    Damaged,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherKind => "it is a file of another kind, or its beginning is damaged",
            Self::OtherFormat => "its format is not the one that this program reads, or its beginning is damaged",
            Self::CutOff => "it is truncated: its end is missing",
            Self::TooLong => "there are extra bytes after its end",
            Self::Damaged => "it is damaged: its checksum does not match its content",
        })
    }
}

/// Returns the bytes of a file with some content: a line with the `kind` and the number of the `format`, the length of
/// the content, the content, and a checksum of everything before it. Length and checksum are little-endian.
pub fn seal(kind: &str, format: u32, content: &[u8]) -> Vec<u8> {
    let mut file = heading(kind, format).into_bytes();
    file.extend_from_slice(&(content.len() as u64).to_le_bytes());
    file.extend_from_slice(content);
    let sum = Sum::of(&file);
    file.extend_from_slice(&sum.to_le_bytes());
    file
}

/// Returns the content of a file that [`seal`] made for the same kind and format.
///
/// # Errors
/// If the file is of another kind or format, or has changed since it was written.
pub fn open<'f>(kind: &str, format: u32, file: &'f [u8]) -> Result<&'f [u8], Broken> {
    let heading = heading(kind, format);
    let Some(rest) = file.strip_prefix(heading.as_bytes()) else {
        return Err(match () {
            () if heading.as_bytes().starts_with(file) => Broken::CutOff,
            () if file.starts_with(kind.as_bytes()) => Broken::OtherFormat,
            () => Broken::OtherKind,
        });
    };
    let (length, rest) = rest.split_first_chunk::<WORD>().ok_or(Broken::CutOff)?;
    // A damaged length shows up as a truncated file: it cannot be checked before the checksum has been found.
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Broken::CutOff)?;
    let (content, rest) = rest.split_at_checked(length).ok_or(Broken::CutOff)?;
    let (sum, rest) = rest.split_first_chunk::<WORD>().ok_or(Broken::CutOff)?;
    if Sum::of(&file[..heading.len() + WORD + length]) != u64::from_le_bytes(*sum) {
        return Err(Broken::Damaged);
    }
    if rest.is_empty() { Ok(content) } else { Err(Broken::TooLong) }
}

fn heading(kind: &str, format: u32) -> String {
    format!("{kind}, format {format}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "polyplane thing";

    #[test]
    fn changed_truncated_and_extended_files_are_rejected() {
        let content: Vec<u8> = (0..=255).chain([0; 40]).collect();
        let file = seal(KIND, 3, &content);
        assert_eq!(open(KIND, 3, &file), Ok(&content[..]));
        for bit in 0..8 * file.len() {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open(KIND, 3, &flipped).is_err(), "bit {bit}");
        }
        for length in 0..file.len() {
            assert_eq!(open(KIND, 3, &file[..length]), Err(Broken::CutOff), "{length} bytes");
        }
        assert_eq!(open(KIND, 3, &[&file[..], &file[..]].concat()), Err(Broken::TooLong));
        assert_eq!(open(KIND, 3, &[&file[..], &[0]].concat()), Err(Broken::TooLong));
        assert_eq!(open(KIND, 4, &file), Err(Broken::OtherFormat));
        assert_eq!(open("polyplane other", 3, &file), Err(Broken::OtherKind));
    }

    #[test]
    fn the_checksum_has_the_published_check_value() {
        let mut sum = Sum::new();
        sum.add(b"12345");
        sum.add(b"6789");
        // The check value of CRC-64/XZ in the catalogue of parametrised CRC algorithms.
        assert_eq!((sum.value(), Sum::of(b"123456789")), (0x995d_c9bb_df19_39fa, 0x995d_c9bb_df19_39fa));
    }
}
