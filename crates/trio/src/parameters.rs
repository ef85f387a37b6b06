//! What a word of a packet processing engine has.

use serde::Serialize;

use crate::execute::MOST_UNITS;
use crate::units::Unit;

/// The number of bits of an ALU's operands and results (section 2.2: "up to 32 bits").
pub(crate) const ALU_BITS: u32 = 32;

/// The units of one instruction word, and what a thread has for all of its instructions.
///
/// Section numbers are those of the paper. What it does not say is a default of ours, and marked so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parameters {
    /// The number of read slots. A register takes one, and an access to local memory two: "four registers or two local
    /// memory reads" (section 3.1).
    pub read_slots: u32,
    /// The number of places that are written, registers or local memory: "two registers or two local memory writes"
    /// (section 3.1).
    pub writes: u32,
    /// The number of condition ALUs, each of which computes a result of 32 bits or a condition of one bit (section 2.2).
    /// Their number is ours.
    pub condition_alus: u32,
    /// The number of move ALUs, each of which writes up to 32 bits (section 2.2). Their number is ours: two for each write,
    /// so that a whole register can be written.
    pub move_alus: u32,
    /// The number of constants of 32 bits in a word, other than 0, addresses, and what a transaction carries. Ours.
    pub constants: u32,
    /// The number of instructions among which a branch chooses: "a target block of one to eight micro-instructions"
    /// (section 2.2).
    pub targets: u32,
    /// The number of operands that a transaction carries. Ours.
    pub carried: u32,
    /// The number of registers of a thread (section 2.2: "32 64-bit general-purpose registers").
    pub registers: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            read_slots: 4,
            writes: 2,
            condition_alus: 4,
            move_alus: 4,
            constants: 4,
            targets: 8,
            carried: 16,
            registers: 32,
        }
    }
}

impl Parameters {
    /// The number of parameters.
    pub(crate) const COUNT: usize = 8;

    /// Returns the parameters in the order of their declaration.
    pub(crate) const fn numbers(&self) -> [u32; Self::COUNT] {
        [
            self.read_slots,
            self.writes,
            self.condition_alus,
            self.move_alus,
            self.constants,
            self.targets,
            self.carried,
            self.registers,
        ]
    }

    /// Returns the parameters with these numbers.
    pub(crate) const fn of_numbers(numbers: [u32; Self::COUNT]) -> Self {
        let [read_slots, writes, condition_alus, move_alus, constants, targets, carried, registers] = numbers;
        Self { read_slots, writes, condition_alus, move_alus, constants, targets, carried, registers }
    }

    /// Checks that a word can be encoded.
    ///
    /// # Errors
    /// Returns what there is too much of.
    pub fn check(&self) -> Result<(), String> {
        let most = MOST_UNITS as u32;
        for (name, number) in [
            ("read slots", self.read_slots),
            ("writes", self.writes),
            ("condition ALUs", self.condition_alus),
            ("move ALUs", self.move_alus),
            ("constants", self.constants),
            ("operands of a transaction", self.carried),
        ] {
            if number > most {
                return Err(format!("a word has at most {most} {name}, not {number}"));
            }
        }
        if self.targets > 8 {
            return Err(format!("a target block has at most 8 words, not {}", self.targets));
        }
        if self.registers > 256 {
            return Err(format!("a thread has at most 256 registers, not {}", self.registers));
        }
        Ok(())
    }

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
