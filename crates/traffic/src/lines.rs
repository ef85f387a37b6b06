//! Tables of numbers, read line by line: cells with their positions.
//!
//! Tables have names in the first line and numbers in all others. A cell is therefore simply the text between two
//! commas, and quotes around it are removed. A CSV library would do no more than that, and would not give the column
//! at which a cell starts.

use std::io::{self, BufRead, BufReader, Read};

use crate::input::TextPosition;

/// The longest line in bytes that is read whole.
const LONGEST: usize = 1 << 16;

/// The lines of a text, except for empty ones and for comments, which start with `#`.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: TextLine,
    offset: u64,
}

/// A line and its position.
#[derive(Default)]
pub(crate) struct TextLine {
    bytes: Vec<u8>,
    offset: u64,
    number: u64,
    pub(crate) is_too_long: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { reader: BufReader::with_capacity(LONGEST, inner), line: TextLine::default(), offset: 0 }
    }

    /// Returns the next line. A line that is too long is truncated and marked.
    pub(crate) fn next(&mut self) -> io::Result<Option<&TextLine>> {
        loop {
            let line = &mut self.line;
            line.bytes.clear();
            line.offset = self.offset;
            line.number += 1;
            let taken = self.reader.by_ref().take(LONGEST as u64).read_until(b'\n', &mut line.bytes)?;
            self.offset += taken as u64;
            if taken == 0 {
                return Ok(None);
            }
            line.is_too_long = taken == LONGEST && line.bytes.last() != Some(&b'\n');
            if line.is_too_long {
                self.offset += self.reader.skip_until(b'\n')? as u64;
            }
            while matches!(line.bytes.last(), Some(b'\n' | b'\r')) {
                line.bytes.pop();
            }
            // A byte-order mark, which some spreadsheets write, is replaced by blanks, so that positions stay the
            // same.
            if line.number == 1 && line.bytes.starts_with(b"\xEF\xBB\xBF") {
                line.bytes[..3].fill(b' ');
            }
            let is_blank = line.bytes.iter().all(u8::is_ascii_whitespace);
            if !is_blank && line.bytes.trim_ascii_start()[0] != b'#' {
                return Ok(Some(&self.line));
            }
        }
    }
}

/// The text between two commas, without blanks and quotes around it.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'l> {
    pub(crate) bytes: &'l [u8],
    /// The offset in the line.
    start: usize,
}

impl TextLine {
    /// Returns the cells of the line, of which there is at least one.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let mut start = 0;
        self.bytes.split(|&byte| byte == b',').map(move |whole| {
            let mut first = start + (whole.len() - whole.trim_ascii_start().len());
            let mut bytes = whole.trim_ascii();
            if let [b'"', inner @ .., b'"'] = bytes {
                (bytes, first) = (inner, first + 1);
            }
            start += whole.len() + 1;
            Cell { bytes, start: first }
        })
    }

    /// Returns the position of the whole line.
    pub(crate) fn position(&self) -> TextPosition {
        self.part(0, self.bytes.len())
    }

    /// Returns the position of a cell.
    pub(crate) fn position_of(&self, cell: Cell<'_>) -> TextPosition {
        self.part(cell.start, cell.bytes.len())
    }

    fn part(&self, start: usize, length: usize) -> TextPosition {
        let first = self.offset + start as u64;
        TextPosition { bytes: first..first + length as u64, line: self.number, column: start as u64 + 1 }
    }
}

impl Cell<'_> {
    /// Returns the beginning of the cell as text, for messages.
    pub(crate) fn text(&self) -> String {
        let shown = &self.bytes[..self.bytes.len().min(40)];
        String::from_utf8_lossy(shown).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
    }

    /// Parses the cell as a number: decimal or hexadecimal (0x…), with or without a sign.
    pub(crate) fn number(&self) -> Option<i128> {
        let (digits, negative) = match self.bytes {
            [b'-', digits @ ..] => (digits, true),
            [b'+', digits @ ..] => (digits, false),
            digits => (digits, false),
        };
        let (digits, radix) = match digits {
            [b'0', b'x' | b'X', digits @ ..] => (digits, 16u8),
            digits => (digits, 10),
        };
        if digits.is_empty() || digits.len() > 24 {
            return None;
        }
        let mut number = 0i128;
        for &byte in digits {
            let digit = char::from(byte).to_digit(u32::from(radix))?;
            number = number * i128::from(radix) + i128::from(digit);
        }
        Some(if negative { -number } else { number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_text_and_position() {
        let text = "\u{feff}a, b\r\n\n# no\n \"7\" ,,0x1F\n-2";
        let mut lines = Lines::new(text.as_bytes());
        let line = lines.next().unwrap().unwrap();
        assert_eq!(line.cells().map(|cell| cell.text()).collect::<Vec<_>>(), ["a", "b"]);
        let line = lines.next().unwrap().unwrap();
        let cells: Vec<_> = line.cells().collect();
        assert_eq!(cells.iter().map(Cell::number).collect::<Vec<_>>(), [Some(7), None, Some(31)]);
        let position = line.position_of(cells[2]);
        assert_eq!((position.line, position.column), (4, 8));
        assert_eq!(&text.as_bytes()[position.bytes.start as usize..position.bytes.end as usize], b"0x1F");
        let line = lines.next().unwrap().unwrap();
        assert_eq!(line.cells().next().unwrap().number(), Some(-2));
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn truncates_a_long_line_and_reads_the_next() {
        let text = [vec![b'7'; 3 * LONGEST], b"\n8\n".to_vec()].concat();
        let mut lines = Lines::new(&text[..]);
        assert!(lines.next().unwrap().unwrap().is_too_long);
        let line = lines.next().unwrap().unwrap();
        assert_eq!((line.is_too_long, line.position().bytes.start), (false, 3 * LONGEST as u64 + 1));
    }
}
