//! A position in a text that skips line splices.

/// A position in a text. A backslash at the end of a line joins it to the next line (C11 5.1.1.2, phase 2); the cursor
/// skips both characters.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub text: &'t str,
    /// The offset of the next byte, or of a line splice before it.
    pub at: usize,
}

impl Cursor<'_> {
    /// Skips line splices.
    pub fn skip_splices(&mut self) {
        self.at = self.after_splices();
    }

    fn after_splices(self) -> usize {
        let mut at = self.at;
        loop {
            match &self.text.as_bytes()[at..] {
                [b'\\', b'\n', ..] => at += 2,
                [b'\\', b'\r', b'\n', ..] => at += 3,
                _ => return at,
            }
        }
    }

    /// Returns the next byte without advancing.
    pub fn peek(self) -> Option<u8> {
        self.text.as_bytes().get(self.after_splices()).copied()
    }

    /// Advances by one byte.
    pub fn bump(&mut self) {
        self.at = (self.after_splices() + 1).min(self.text.len());
    }

    /// Advances by one character and returns it.
    pub fn character(&mut self) -> Option<char> {
        self.skip_splices();
        let character = self.text.get(self.at..)?.chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Skips `sign` if it comes next and returns whether it did.
    pub fn take(&mut self, sign: &str) -> bool {
        let mut ahead = *self;
        for byte in sign.bytes() {
            if ahead.peek() != Some(byte) {
                return false;
            }
            ahead.bump();
        }
        *self = ahead;
        true
    }

    /// Skips the bytes for which `wanted` holds, which must be ASCII, and returns them.
    pub fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> String {
        let mut text = String::new();
        while let Some(byte) = self.peek().filter(|&byte| wanted(byte)) {
            text.push(char::from(byte));
            self.bump();
        }
        text
    }
}
