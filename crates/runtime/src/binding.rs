//! How a program's fields bind to packets: where a field's value comes from, and what becomes of it.

use wire::Packet;

/// What a program wants done with a packet when it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departure {
    /// The port to leave on; `None` is the port it came in on.
    pub port: Option<u16>,
    /// It goes no further.
    pub drop: bool,
}

/// How the fields of one program bind to packets.
///
/// Values are raw bits, by field in the order of the program, whose fields are its first variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The width in bits of each field.
    widths: Vec<u32>,
}

impl Binding {
    /// Fields as a record: big-endian 32-bit words at the front of the head, one a field, in order. The format of
    /// packets that were made from field values and stand for no protocol.
    pub fn record(widths: Vec<u32>) -> Self {
        Self { widths }
    }

    /// Reads the fields of a packet into the first places of `values`. False if the program does not apply to
    /// this packet, for a header that a field needs is not there; then `values` is not meaningful.
    pub fn load(&self, packet: &Packet, _port: u16, values: &mut [u64]) -> bool {
        let words = packet.head.bytes().chunks_exact(4);
        if words.len() < self.widths.len() {
            return false;
        }
        for ((value, word), &width) in values.iter_mut().zip(words).zip(&self.widths) {
            let word = u32::from_be_bytes([word[0], word[1], word[2], word[3]]);
            *value = crate::arithmetic::truncate(u64::from(word), width);
        }
        true
    }

    /// Writes the final values of the fields back into a packet, where they are bound to something on the way
    /// out, and says what becomes of it.
    pub fn store(&self, values: &[u64], packet: &mut Packet) -> Departure {
        let words = packet.head.bytes_mut().chunks_exact_mut(4);
        for ((word, &value), _) in words.zip(values).zip(&self.widths) {
            word.copy_from_slice(&(value as u32).to_be_bytes());
        }
        Departure::default()
    }
}
