//! Cyclic redundancy checks whose parameters are known only at run time. Those known at compile time use the crate
//! `crc`.

/// The parameters of a CRC of 8 to 64 bits, in the terms of Williams, "A painless guide to CRC error detection
/// algorithms" (1993), which BMv2 uses too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CyclicParameters {
    /// The width in bits, 8 to 64.
    pub width: u32,
    /// The polynomial without its highest term, the most significant bit first.
    pub polynomial: u64,
    /// The initial value of the shift register.
    pub initial: u64,
    /// The value that is combined with the result at the end, by exclusive or.
    pub final_xor: u64,
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

    /// CRC-8/SMBUS: what Tofino's compiler takes for `CRC8`.
    pub const CRC8: Self =
        Self { width: 8, polynomial: 0x07, initial: 0, final_xor: 0, reflected_input: false, reflected_output: false };

    /// CRC-64/ECMA-182: what Tofino's compiler takes for `CRC64`.
    pub const CRC64: Self = Self {
        width: 64,
        polynomial: 0x42F0_E1EB_A9EA_3693,
        initial: 0,
        final_xor: 0,
        reflected_input: false,
        reflected_output: false,
    };

    /// CRC-16/ARC, the initial parameters of `crc16_custom`.
    pub const CRC16: Self =
        Self { width: 16, polynomial: 0x8005, initial: 0, final_xor: 0, reflected_input: true, reflected_output: true };

    /// Returns the name of the CRC in the text of the IR, which has all parameters in hexadecimal digits.
    pub fn name(&self) -> String {
        let Self { width, polynomial, initial, final_xor, .. } = self;
        let reflected = u8::from(self.reflected_input) << 1 | u8::from(self.reflected_output);
        format!("crc_{width}_{polynomial:x}_{initial:x}_{final_xor:x}_{reflected}")
    }

    /// Returns the CRC of a name that [`CyclicParameters::name`] returned.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix("crc_")?.split('_');
        let width = parts.next()?.parse().ok().filter(|width| (8..=64).contains(width))?;
        let mut value =
            || u64::from_str_radix(parts.next()?, 16).ok().filter(|value| width == 64 || value >> width == 0);
        let (polynomial, initial, final_xor) = (value()?, value()?, value()?);
        let reflected: u8 = parts.next()?.parse().ok().filter(|reflected| *reflected < 4)?;
        let (reflected_input, reflected_output) = (reflected & 2 != 0, reflected & 1 != 0);
        let own = Self { width, polynomial, initial, final_xor, reflected_input, reflected_output };
        // Each CRC has one name.
        (own.name() == name).then_some(own)
    }
}

/// A CRC with the table that computes it one byte at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CyclicCode {
    parameters: CyclicParameters,
    /// For each byte at the top of the shift register, the value that it becomes after eight shifts. The register is
    /// held in the high bits of a word.
    table: Box<[u64; 256]>,
}

impl CyclicCode {
    /// Prepares the CRC with these parameters. Bits above the width are ignored.
    ///
    /// # Panics
    /// If the width is not in the range of 8 to 64. That is an error of the caller: the width belongs to the algorithm,
    /// and the control plane cannot choose it.
    pub fn new(parameters: CyclicParameters) -> Self {
        assert!((8..=64).contains(&parameters.width), "a CRC of 8 to 64 bits");
        let polynomial = parameters.polynomial << (64 - parameters.width);
        let remainder = |byte: usize| {
            let step = |register: u64, _| register << 1 ^ if register >> 63 == 1 { polynomial } else { 0 };
            (0..8).fold((byte as u64) << 56, step)
        };
        Self { parameters, table: Box::new(std::array::from_fn(remainder)) }
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> CyclicParameters {
        self.parameters
    }

    /// Returns the CRC of `bytes` followed by `zeros` zero bytes.
    pub fn checksum(&self, bytes: &[u8], zeros: usize) -> u64 {
        let of = self.parameters;
        let unused = 64 - of.width;
        let register =
            bytes.iter().chain(std::iter::repeat_n(&0, zeros)).fold(of.initial << unused, |register, &byte| {
                let byte = if of.reflected_input { byte.reverse_bits() } else { byte };
                register << 8 ^ self.table[usize::from((register >> 56) as u8 ^ byte)]
            });
        // The register is in the high bits, so reversing the word moves it to the low ones.
        let register = if of.reflected_output { register.reverse_bits() } else { register >> unused };
        register ^ (of.final_xor << unused >> unused)
    }
}
