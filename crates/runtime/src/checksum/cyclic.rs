//! Cyclic redundancy checks whose parameters are known only when the program runs. The crate `crc` has those that are
//! known before.

/// What defines a CRC of 8 to 32 bits, in the terms of Williams, "A painless guide to CRC error detection algorithms"
/// (1993), which BMv2 uses too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CyclicParameters {
    /// The width in bits, 8 to 32.
    pub width: u32,
    /// The polynomial without its highest term, most significant bit first.
    pub polynomial: u32,
    /// What the register holds at the start.
    pub initial: u32,
    /// What the result is combined with at the end, by exclusive or.
    pub final_xor: u32,
    /// The least significant bit of each byte comes first.
    pub reflected_input: bool,
    /// The result is turned round, before the last exclusive or.
    pub reflected_output: bool,
}

impl CyclicParameters {
    /// CRC-32/ISO-HDLC: what `crc32_custom` is at the start.
    pub const CRC32: Self = Self {
        width: 32,
        polynomial: 0x04C1_1DB7,
        initial: 0xFFFF_FFFF,
        final_xor: 0xFFFF_FFFF,
        reflected_input: true,
        reflected_output: true,
    };

    /// CRC-16/ARC: what `crc16_custom` is at the start.
    pub const CRC16: Self =
        Self { width: 16, polynomial: 0x8005, initial: 0, final_xor: 0, reflected_input: true, reflected_output: true };
}

/// A CRC ready to be computed, a byte at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CyclicCode {
    parameters: CyclicParameters,
    /// What each byte at the top of the register becomes after eight shifts; registers are held in the high bits.
    table: Box<[u32; 256]>,
}

impl CyclicCode {
    /// The CRC of these parameters. Panics if the width is not one of 8 to 32, which is a fault of the caller: the
    /// width is that of the algorithm and not the control plane's to choose. Bits above the width are ignored.
    pub fn new(parameters: CyclicParameters) -> Self {
        assert!((8..=32).contains(&parameters.width), "a CRC of 8 to 32 bits");
        let polynomial = parameters.polynomial << (32 - parameters.width);
        let remainder = |byte: usize| {
            let step = |register: u32, _| register << 1 ^ if register >> 31 == 1 { polynomial } else { 0 };
            (0..8).fold((byte as u32) << 24, step)
        };
        Self { parameters, table: Box::new(std::array::from_fn(remainder)) }
    }

    /// Its parameters.
    pub fn parameters(&self) -> CyclicParameters {
        self.parameters
    }

    /// The CRC of bytes and of so many zeros behind them.
    pub fn checksum(&self, bytes: &[u8], zeros: usize) -> u32 {
        let of = self.parameters;
        let unused = 32 - of.width;
        let register =
            bytes.iter().chain(std::iter::repeat_n(&0, zeros)).fold(of.initial << unused, |register, &byte| {
                let byte = if of.reflected_input { byte.reverse_bits() } else { byte };
                register << 8 ^ self.table[usize::from((register >> 24) as u8 ^ byte)]
            });
        // The register lies in the high bits, so that turning the word round puts it into the low ones.
        let register = if of.reflected_output { register.reverse_bits() } else { register >> unused };
        register ^ (of.final_xor << unused >> unused)
    }
}
