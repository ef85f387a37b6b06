//! Lines of bounded length out of bytes that arrive in pieces.

/// The most bytes of a line.
pub const LONGEST_LINE: usize = 1 << 20;

/// Splits bytes that arrive in pieces into lines. It holds at most one line of [`LONGEST_LINE`] and what came behind it.
#[derive(Debug, Default)]
pub struct LineReader {
    bytes: Vec<u8>,
    /// The number of bytes that are known to hold no end of a line.
    searched: usize,
}

/// The error that a line is longer than [`LONGEST_LINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTooLong;

impl LineReader {
    /// Appends bytes that have arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next line without its end; `None` if none is complete.
    ///
    /// # Errors
    /// Fails if a line is too long. Nothing can be read then any more.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, LineTooLong> {
        let end = self.bytes[self.searched..].iter().position(|&byte| byte == b'\n').map(|at| at + self.searched);
        let length = end.unwrap_or(self.bytes.len());
        if length > LONGEST_LINE {
            return Err(LineTooLong);
        }
        let Some(end) = end else {
            self.searched = self.bytes.len();
            return Ok(None);
        };
        let rest = self.bytes.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.bytes, rest);
        self.searched = 0;
        line.truncate(end);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(line))
    }

    /// Returns the number of bytes that are held.
    pub fn held(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_however_they_are_cut() {
        let text = b"one\ntwo\r\n\nthree\nrest";
        for size in 1..text.len() {
            let mut reader = LineReader::default();
            let mut lines = Vec::new();
            for piece in text.chunks(size) {
                reader.push(piece);
                while let Some(line) = reader.next_line().expect("short lines") {
                    lines.push(String::from_utf8(line).expect("a text"));
                }
            }
            assert_eq!(lines, ["one", "two", "", "three"], "pieces of {size}");
            assert_eq!(reader.held(), 4);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_before_it_ends() {
        let mut reader = LineReader::default();
        reader.push(&vec![b'x'; LONGEST_LINE]);
        assert_eq!(reader.next_line(), Ok(None));
        reader.push(b"x");
        assert_eq!(reader.next_line(), Err(LineTooLong));
    }
}
