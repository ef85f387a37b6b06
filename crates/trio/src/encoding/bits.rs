//! Numbers in the bits of a word, written and read by one description of the word.

use super::Damage;

/// Writes or reads the bits of a word. The description of a word calls it for each of its fields in order; what it returns is what
/// was written, or what was read.
pub(super) trait Bits {
    /// Whether bits are written; what is given when they are read does not matter.
    const WRITES: bool;

    /// Writes a number of `bits` bits, or reads one.
    fn number(&mut self, value: u64, bits: u32) -> Result<u64, Damage>;

    /// Writes or reads a number of up to 8 bits.
    fn small(&mut self, value: u8, bits: u32) -> Result<u8, Damage> {
        self.number(value.into(), bits).map(|number| number as u8)
    }

    /// Writes or reads one bit.
    fn flag(&mut self, value: bool) -> Result<bool, Damage> {
        self.number(value.into(), 1).map(|number| number != 0)
    }
}

/// Writes bits, the most significant one of each byte first.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    bits: usize,
}

impl Writer {
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Bits for Writer {
    const WRITES: bool = true;

    fn number(&mut self, value: u64, bits: u32) -> Result<u64, Damage> {
        if bits < 64 && value >> bits != 0 {
            return Err(Damage(format!("{value} does not fit in {bits} bits")));
        }
        for bit in (0..bits).rev() {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            self.bytes[self.bits / 8] |= ((value >> bit & 1) as u8) << (7 - self.bits % 8);
            self.bits += 1;
        }
        Ok(value)
    }
}

/// Reads bits that were written.
#[derive(Debug)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    bits: usize,
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, bits: 0 }
    }
}

impl Bits for Reader<'_> {
    const WRITES: bool = false;

    fn number(&mut self, _: u64, bits: u32) -> Result<u64, Damage> {
        let mut value = 0;
        for _ in 0..bits {
            let byte = self.bytes.get(self.bits / 8).ok_or_else(|| Damage("a word ends too early".to_owned()))?;
            value = value << 1 | u64::from(byte >> (7 - self.bits % 8) & 1);
            self.bits += 1;
        }
        Ok(value)
    }
}
