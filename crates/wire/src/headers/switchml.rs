//! The header of SwitchML (Sapio et al., NSDI 2021) behind UDP, as the public program for Tofino has it (p4lang/p4app-switchML,
//! `dev_root/p4/headers.p4`), and as `docs/transports/switchml.md` describes it.

super::header! {
    /// A SwitchML header and the two exponents behind it; the values follow.
    SwitchMl, 10 bytes:
    /// The kind of the packet (high 4 bits; see [`crate::switchml::kind`]), an unused bit, and the number of values in it (low 3
    /// bits; see [`crate::switchml::size`]).
    kind_and_size, set_kind_and_size: u8 = 0;
    /// The number of the job.
    job, set_job: u8 = 1;
    /// What a worker knows its part of the tensors by. A switch returns it as it was.
    part, set_part: u32 = 2;
    /// The set (the highest bit) and the slot (the low 14 bits) of the switch's memory.
    place, set_place: u16 = 6;
    /// The two exponents of the values in the public program, which sums of integers leave 0.
    exponents, set_exponents: u16 = 8;
}

impl<T: AsRef<[u8]>> SwitchMl<T> {
    /// Returns the kind of the packet.
    pub fn kind(&self) -> u8 {
        self.kind_and_size() >> 4
    }

    /// Returns the number of values that the header announces.
    pub fn values(&self) -> usize {
        32 << (self.kind_and_size() & 7)
    }

    /// Returns the slot.
    pub fn slot(&self) -> u16 {
        self.place() & SLOTS_MASK
    }

    /// Returns the set, 0 or 1.
    pub fn set(&self) -> usize {
        usize::from(self.place() >> 15)
    }
}

/// The first of sixteen destination UDP ports of packets to a switch.
pub const PORT: u16 = 0xBEE0;
/// The bits of a UDP port that are those of [`PORT`] in all of them.
pub const PORT_MASK: u16 = 0xFFF0;
const SLOTS_MASK: u16 = 0x3FFF;
/// The most slots that a switch can have.
pub const MOST_SLOTS: u32 = 1 << 14;

/// The kinds of packets.
pub mod kind {
    /// A worker's contribution.
    pub const CONTRIBUTION: u8 = 0;
    /// The sum of all workers.
    pub const RESULT: u8 = 1;
}

/// The numbers of values of a packet.
pub mod size {
    /// 64 values, which one pipe of the chip adds.
    pub const VALUES_64: u8 = 1;
    /// 256 values, a quarter of them in each pipe.
    pub const VALUES_256: u8 = 3;
}

/// Returns the field [`SwitchMl::place`] for a slot and a set.
pub fn place(slot: u16, set: usize) -> u16 {
    slot & SLOTS_MASK | (set as u16 & 1) << 15
}
