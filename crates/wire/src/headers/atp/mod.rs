//! The header of ATP (Lao et al., NSDI 2021) as Polyplane puts it on the wire, behind UDP, and the values behind it.
//!
//! The paper names the fields and gives the length of all headers together, 58 bytes, but not the widths of all fields;
//! `docs/transports/atp.md` says which widths are Polyplane's own.

mod levels;

use crc::{CRC_32_ISO_HDLC, Crc, Table};

pub use levels::{AtpLevels, LEVELS, Tree};

super::header! {
    /// An ATP header.
    Atp, 16 bytes:
    /// In gradient packets: one bit for each worker below its first edge switch. In parameter packets: the aggregator
    /// index that takes the place of [`Atp::aggregator`], if [`flag::COLLISION`] is set.
    bitmap0, set_bitmap0: u32 = 0;
    /// In gradient packets: one bit for each first edge switch, or each worker, below the second edge switch.
    bitmap1, set_bitmap1: u32 = 4;
    /// Both fan-in degrees (5 bits each, from the most significant one) and the flags (6 bits).
    degrees_and_flags, set_degrees_and_flags: u16 = 8;
    /// The job (8 bits) and the sequence number of the fragment (24 bits): jobIDAndSequenceNumber.
    job_and_sequence, set_job_and_sequence: u32 = 10;
    /// The index of the aggregator for the fragment, in every switch: aggregatorIndex.
    aggregator, set_aggregator: u16 = 14;
}

/// The destination UDP port of ATP packets; to our knowledge not registered at IANA.
pub const PORT: u16 = 0xA7F0;
/// The number of values in a packet of full length (section 3.6: 248 bytes).
pub const VALUES: usize = 62;
/// The number of values in a packet that a switch processes in one pass (section 4).
pub const VALUES_OF_ONE_PASS: usize = 31;
/// The bits of a sequence number.
pub const SEQUENCE_BITS: u32 = 24;
/// The largest fan-in degree; a degree of 32 is written as 0.
pub const LARGEST_DEGREE: u8 = 32;

/// The flags of a packet, as bits of [`Atp::degrees_and_flags`].
pub mod flag {
    /// In gradient packets: the values are not for switches to add up. In parameter packets: the workers are asked for
    /// the fragment in this form.
    pub const OVERFLOW: u16 = 1 << 5;
    /// In gradient packets: the fragment may be in part in switches, which must not keep it any longer. In parameter
    /// packets: the workers are asked for the fragment again.
    pub const RESEND: u16 = 1 << 4;
    /// A switch could not aggregate the fragment because the aggregator was in use.
    pub const COLLISION: u16 = 1 << 3;
    /// The packet, or one that is part of its sum, has met congestion.
    pub const ECN: u16 = 1 << 2;
    /// The packet has left the first edge switch, or begins behind it.
    pub const SECOND_EDGE: u16 = 1 << 1;
    /// A parameter packet.
    pub const ACK: u16 = 1;
}

impl<T: AsRef<[u8]>> Atp<T> {
    /// Returns true if a flag is set.
    #[inline]
    pub fn has(&self, flag: u16) -> bool {
        self.degrees_and_flags() & flag != 0
    }

    /// Returns the number of workers below the first edge switch, 1 to 32.
    #[inline]
    pub fn fan_in0(&self) -> u8 {
        degree(self.degrees_and_flags() >> 11)
    }

    /// Returns the number of switches and workers below the second edge switch, 1 to 32.
    #[inline]
    pub fn fan_in1(&self) -> u8 {
        degree(self.degrees_and_flags() >> 6 & 31)
    }

    /// Returns the job.
    #[inline]
    pub fn job(&self) -> u8 {
        (self.job_and_sequence() >> SEQUENCE_BITS) as u8
    }

    /// Returns the sequence number of the fragment, of 24 bits.
    #[inline]
    pub fn sequence(&self) -> u32 {
        self.job_and_sequence() & ((1 << SEQUENCE_BITS) - 1)
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Atp<T> {
    /// Sets some flags and leaves the others.
    #[inline]
    pub fn set(&mut self, flags: u16) {
        self.set_degrees_and_flags(self.degrees_and_flags() | flags);
    }

    /// Sets the fan-in degrees, each 1 to 32, and leaves the flags.
    pub fn set_fan_in(&mut self, degrees: [u8; 2]) {
        let [first, second] = degrees.map(|degree| u16::from(degree % LARGEST_DEGREE));
        self.set_degrees_and_flags(self.degrees_and_flags() & 63 | first << 11 | second << 6);
    }
}

fn degree(written: u16) -> u8 {
    if written == 0 { LARGEST_DEGREE } else { written as u8 }
}

/// Returns what the job and the sequence number are together in a packet. Only the lowest 24 bits of the number count.
pub const fn job_and_sequence(job: u8, sequence: u32) -> u32 {
    (job as u32) << SEQUENCE_BITS | sequence & ((1 << SEQUENCE_BITS) - 1)
}

/// Returns the hash of a word that chooses an aggregator, before the remainder by the number of aggregators: CRC-32 of
/// its four bytes in network order (CRC-32/ISO-HDLC, which P4 calls CRC32).
pub fn hash(word: u32) -> u32 {
    static CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
    CRC.checksum(&word.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_flags_job_and_sequence_do_not_touch_each_other() {
        let mut atp = Atp::new([0; 16]).expect("long enough");
        atp.set_job_and_sequence(job_and_sequence(7, 0x12_345678));
        for degrees in [[1, 32], [32, 1], [17, 5]] {
            atp.set(flag::RESEND | flag::ACK);
            atp.set_fan_in(degrees);
            assert_eq!([atp.fan_in0(), atp.fan_in1()], degrees);
            let set = [flag::OVERFLOW, flag::RESEND, flag::COLLISION, flag::ECN, flag::SECOND_EDGE, flag::ACK];
            assert_eq!(set.map(|flag| atp.has(flag)), [false, true, false, false, false, true]);
        }
        assert_eq!((atp.job(), atp.sequence()), (7, 0x34_5678));
        // As Python's zlib.crc32 computes it.
        assert_eq!(hash(0x3132_3334), 0x9BE3_E0A3, "the CRC-32 of \"1234\"");
    }
}
