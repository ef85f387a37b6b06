//! The header of Trio-ML (Yang et al., "Using Trio", SIGCOMM 2022, figure 8), behind UDP, and the two records that a
//! switch keeps (figures 17 and 18).

mod records;

pub use records::{BlockRecord, JobRecord, RECORD_WORDS, bit_of};

super::header! {
    /// A Trio-ML header. Gradients follow it, as integers of 32 bits.
    TrioMl, 12 bytes:
    /// The number of the job.
    job, set_job: u8 = 0;
    /// The number of the block: which gradients of the job these are.
    block, set_block: u32 = 1;
    /// The operation of age (high 4 bits), `final` and `degraded`; see [`TrioMl::age_operation`] and [`flag`].
    flags, set_flags: u8 = 5;
    /// Who sent the packet, among the sources of the job at the switch that it is for.
    source, set_source: u8 = 6;
    /// How many workers contributed to these gradients; 0 stands for 256 (see [`TrioMl::contributors`]).
    source_count, set_source_count: u8 = 7;
    /// The generation of the job.
    generation, set_generation: u16 = 8;
    /// The number of gradients in the low 12 bits; the high 4 are unused (see [`TrioMl::gradients`]).
    gradient_count, set_gradient_count: u16 = 10;
}

/// The destination UDP port of Trio-ML packets (section 4).
pub const PORT: u16 = 12000;

/// The greatest number of gradients in a packet (section 6.1).
pub const MOST_GRADIENTS: u16 = 1024;

/// Flags of a packet, in [`TrioMl::flags`].
pub mod flag {
    /// `final`: the last block of a tensor.
    pub const FINAL: u8 = 8;
    /// `degraded`: the gradients are sums over some of the workers only.
    pub const DEGRADED: u8 = 4;
}

/// Operations of age (`age_op`). The paper gives the field 4 bits and one meaning, that a block has aged out; the other
/// values are Polyplane's own.
pub mod age {
    /// Nothing has aged: a contribution, or the result of a complete block.
    pub const NONE: u8 = 0;
    /// The block aged out before all sources had contributed.
    pub const AGED: u8 = 1;
    /// Told to all workers: the source slows down for a while.
    pub const TEMPORARY_STRAGGLER: u8 = 2;
    /// Told to all workers: the source is out of service for a long time.
    pub const PERMANENT_STRAGGLER: u8 = 3;
    /// Told to all workers: the source is no straggler any more.
    pub const RECOVERED: u8 = 4;
    /// An answer to a packet for a block whose result is kept no longer: all blocks before that of the header are over.
    pub const OVER: u8 = 15;
}

impl<T: AsRef<[u8]>> TrioMl<T> {
    /// Returns the operation of age; see [`age`].
    #[inline]
    pub fn age_operation(&self) -> u8 {
        self.flags() >> 4
    }

    /// Returns true if a flag is set; see [`flag`].
    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags() & flag != 0
    }

    /// Returns how many workers contributed, 1 to 256: a field of 8 bits does not reach 256, and nothing comes from nobody.
    #[inline]
    pub fn contributors(&self) -> u16 {
        match self.source_count() {
            0 => 256,
            count => u16::from(count),
        }
    }

    /// Returns the number of gradients, 0 to 4,095.
    #[inline]
    pub fn gradients(&self) -> u16 {
        self.gradient_count() & 0xfff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure 8, bit for bit: 8 + 32 + 4 + 1 + 1 + 2 + 8 + 8 + 16 + 4 + 12 = 96.
    #[test]
    fn the_header_is_that_of_figure_8() {
        let mut bytes = [0; 12];
        let mut header = TrioMl::new(&mut bytes).expect("12 bytes");
        header.set_job(0xab);
        header.set_block(0x0123_4567);
        header.set_flags(age::AGED << 4 | flag::FINAL | flag::DEGRADED);
        header.set_source(0xcd);
        header.set_source_count(0xef);
        header.set_generation(0x89ab);
        header.set_gradient_count(0x0400);
        let bits: Vec<(u32, u32)> = vec![
            (8, 0xab),
            (32, 0x0123_4567),
            (4, 1),
            (1, 1),
            (1, 1),
            (2, 0),
            (8, 0xcd),
            (8, 0xef),
            (16, 0x89ab),
            (4, 0),
            (12, 0x400),
        ];
        let expected = bits.iter().fold(0_u128, |value, (width, field)| value << width | u128::from(*field));
        assert_eq!(bits.iter().map(|bit| bit.0).sum::<u32>(), 96);
        assert_eq!(bytes, expected.to_be_bytes()[4..]);
    }

    #[test]
    fn no_contributors_stand_for_256() {
        let header = TrioMl::new([0; 12]).expect("12 bytes");
        assert_eq!(header.contributors(), 256);
    }
}
