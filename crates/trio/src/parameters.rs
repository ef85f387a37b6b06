//! What a word of a packet processing engine has.

use crate::units::Unit;

/// The units of one instruction word, and what a thread has for all of its instructions.
///
/// Section numbers are those of the paper. What it does not say is a default of ours, and marked so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The number of read slots. A register takes one, and an access to local memory two: "four registers or two local
    /// memory reads" (section 3.1).
    pub read_slots: u32,
    /// The number of places that are written, registers or local memory: "two registers or two local memory writes"
    /// (section 3.1).
    pub writes: u32,
    /// The number of bytes of one access to local memory, from any byte on. Ours: as many as a register has.
    pub access_bytes: u32,
    /// The number of condition ALUs, each of which computes a result of 32 bits or a condition of one bit (section 2.2).
    /// Their number is ours.
    pub condition_alus: u32,
    /// The number of move ALUs, each of which writes up to 32 bits (section 2.2). Their number is ours: two for each write,
    /// so that a whole register can be written.
    pub move_alus: u32,
    /// The number of constants of 32 bits in a word, other than 0, addresses, and what a transaction carries. Ours.
    pub constants: u32,
    /// The number of bits of an ALU's operands and results (section 2.2: "up to 32 bits").
    pub alu_bits: u32,
    /// The number of instructions among which a branch chooses: "a target block of one to eight micro-instructions"
    /// (section 2.2).
    pub targets: u32,
    /// The number of registers of a thread (section 2.2: "32 64-bit general-purpose registers").
    pub registers: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            read_slots: 4,
            writes: 2,
            access_bytes: 8,
            condition_alus: 4,
            move_alus: 4,
            constants: 4,
            alu_bits: 32,
            targets: 8,
            registers: 32,
        }
    }
}

impl Parameters {
    /// Returns how many of a unit a word has.
    pub const fn of(&self, unit: Unit) -> u32 {
        match unit {
            Unit::Reads => self.read_slots,
            Unit::Writes => self.writes,
            Unit::ConditionAlus => self.condition_alus,
            Unit::MoveAlus => self.move_alus,
            Unit::Constants => self.constants,
            Unit::Targets => self.targets,
        }
    }
}
