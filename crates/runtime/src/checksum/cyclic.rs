//! Cyclic redundancy checks whose parameters are known only at run time. Those known at compile time use the crate
//! `crc`.

/// The parameters of a CRC of 8 to 32 bits, in the terms of Williams, "A painless guide to CRC error detection
/// algorithms" (1993), which BMv2 uses too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CyclicParameters {
    /// The width in bits, 8 to 32.
    pub width: u32,
    /// The polynomial without its highest term, the most significant bit first.
    pub polynomial: u32,
    /// The initial value of the shift register.
    pub initial: u32,
    /// The value that is combined with the result at the end, by exclusive or.
    pub final_xor: u32,
    /// Whether the bits of each input byte are processed from the least significant one.
    pub reflected_input: bool,
    /// Whether the bits of the result are reversed, before the final exclusive or.
    pub reflected_output: bool,
}

impl CyclicParameters {
    /// CRC-32/ISO-HDLC, the initial parameters of `crc32_custom`.
    pub const CRC32: Self = Self {
        width: 32,
        polynomial: 0x04C1_1DB7,
        initial: 0xFFFF_FFFF,
        final_xor: 0xFFFF_FFFF,
        reflected_input: true,
        reflected_output: true,
    };

    /// CRC-16/ARC, the initial parameters of `crc16_custom`.
    pub const CRC16: Self =
        Self { width: 16, polynomial: 0x8005, initial: 0, final_xor: 0, reflected_input: true, reflected_output: true };
}

/// A CRC with the table that computes it one byte at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CyclicCode {
    parameters: CyclicParameters,
    /// For each byte at the top of the shift register, the value that it becomes after eight shifts. The register is
    /// held in the high bits of a word.
    table: Box<[u32; 256]>,
}

impl CyclicCode {
    /// Prepares the CRC with these parameters. Bits above the width are ignored.
    ///
    /// # Panics
    /// If the width is not in the range of 8 to 32. That is an error of the caller: the width belongs to the algorithm,
    /// and the control plane cannot choose it.
    pub fn new(parameters: CyclicParameters) -> Self {
        assert!((8..=32).contains(&parameters.width), "a CRC of 8 to 32 bits");
        let polynomial = parameters.polynomial << (32 - parameters.width);
        let remainder = |byte: usize| {
            let step = |register: u32, _| register << 1 ^ if register >> 31 == 1 { polynomial } else { 0 };
            (0..8).fold((byte as u32) << 24, step)
        };
        Self { parameters, table: Box::new(std::array::from_fn(remainder)) }
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> CyclicParameters {
        self.parameters
    }

    /// Returns the CRC of `bytes` followed by `zeros` zero bytes.
    pub fn checksum(&self, bytes: &[u8], zeros: usize) -> u32 {
        let of = self.parameters;
        let unused = 32 - of.width;
        let register =
            bytes.iter().chain(std::iter::repeat_n(&0, zeros)).fold(of.initial << unused, |register, &byte| {
                let byte = if of.reflected_input { byte.reverse_bits() } else { byte };
                register << 8 ^ self.table[usize::from((register >> 24) as u8 ^ byte)]
            });
        // The register is in the high bits, so reversing the word moves it to the low ones.
        let register = if of.reflected_output { register.reverse_bits() } else { register >> unused };
        register ^ (of.final_xor << unused >> unused)
    }
}
