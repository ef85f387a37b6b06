//! A place in a text that sees no continued lines.

/// A backslash before a line's end joins it to the next line (C11 5.1.1.2, phase 2): the cursor passes over both.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub text: &'t str,
    /// The byte that comes next, if no backslash and line end come first.
    pub at: usize,
}

impl Cursor<'_> {
    /// Passes over joined line ends.
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

    /// The byte that comes next.
    pub fn peek(self) -> Option<u8> {
        self.text.as_bytes().get(self.after_splices()).copied()
    }

    /// Passes over one byte.
    pub fn bump(&mut self) {
        self.at = (self.after_splices() + 1).min(self.text.len());
    }

    /// Passes over the character that comes next.
    pub fn character(&mut self) -> Option<char> {
        self.skip_splices();
        let character = self.text.get(self.at..)?.chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Passes over `sign` if it comes next.
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

    /// Passes over the bytes that are `wanted`, which must be ASCII, and gives them.
    pub fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> String {
        let mut text = String::new();
        while let Some(byte) = self.peek().filter(|&byte| wanted(byte)) {
            text.push(char::from(byte));
            self.bump();
        }
        text
    }
}
