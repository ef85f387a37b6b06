//! Numbers and texts in the bytes of an image.

use crate::encoding::Damage;

/// Appends numbers, the least significant byte first, and texts.
#[derive(Debug, Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn number(&mut self, number: usize) {
        self.0.extend((number as u32).to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }
}

/// Takes what was appended.
#[derive(Debug)]
pub(super) struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    pub fn bytes(&mut self, count: usize) -> Result<&'b [u8], Damage> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| Damage("it ends too early".to_owned()))?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<usize, Damage> {
        let bytes = self.bytes(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize)
    }

    /// Takes a number of elements, each of which takes at least one byte.
    pub fn count(&mut self) -> Result<usize, Damage> {
        let count = self.number()?;
        if count > self.0.len() { Err(Damage("it counts more elements than it has".to_owned())) } else { Ok(count) }
    }

    pub fn text(&mut self) -> Result<&'b str, Damage> {
        let length = self.number()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| Damage("a text in it is not UTF-8".to_owned()))
    }
}
