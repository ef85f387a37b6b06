//! What an instruction uses of its word.

use serde::Serialize;

/// A unit of a word, of which there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Read slots.
    Reads,
    /// Places that are written.
    Writes,
    /// Condition ALUs.
    ConditionAlus,
    /// Move ALUs.
    MoveAlus,
    /// Constants.
    Constants,
    /// Targets of the branch.
    Targets,
}

impl Unit {
    /// All units, in the order of listings.
    pub const ALL: [Self; 6] =
        [Self::Reads, Self::Writes, Self::ConditionAlus, Self::MoveAlus, Self::Constants, Self::Targets];

    /// Returns what several of them are called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "read slots",
            Self::Writes => "writes",
            Self::ConditionAlus => "condition ALUs",
            Self::MoveAlus => "move ALUs",
            Self::Constants => "constants",
            Self::Targets => "targets",
        }
    }

    /// Returns what an author can do about an instruction that needs too many.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Reads => "read some of it in an instruction before, and keep it in a register",
            Self::Writes | Self::MoveAlus => "write some of it in another instruction",
            Self::ConditionAlus => "compute or compare some of it in an instruction before",
            Self::Constants => "use some of the constants in another instruction",
            Self::Targets => "branch in two steps",
        }
    }
}

/// How many of each unit an instruction uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Units {
    /// Registers that are operands.
    pub register_reads: u32,
    /// Accesses to local memory that read.
    pub memory_reads: u32,
    /// Registers that give addresses.
    pub pointers: u32,
    /// Registers that are written.
    pub register_writes: u32,
    /// Accesses to local memory that write.
    pub memory_writes: u32,
    /// Condition ALUs.
    pub condition_alus: u32,
    /// Move ALUs.
    pub move_alus: u32,
    /// Constants of 32 bits.
    pub constants: u32,
    /// Targets of the branch.
    pub targets: u32,
}

impl Units {
    /// Returns how many of a unit are used.
    pub const fn of(&self, unit: Unit) -> u32 {
        match unit {
            Unit::Reads => self.register_reads + 2 * self.memory_reads,
            Unit::Writes => self.register_writes + self.memory_writes,
            Unit::ConditionAlus => self.condition_alus,
            Unit::MoveAlus => self.move_alus,
            Unit::Constants => self.constants,
            Unit::Targets => self.targets,
        }
    }
}
