//! What a pipelined machine offers, for the passes that fit a program to it.

/// The name of an atom without limits, which does every update: for studying programs that no circuit holds.
pub const ANY_ATOM: &str = "any";

/// The limits of a pipeline of stages (Banzai: Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// How many stages there are.
    pub depth: u32,
    /// How many stateless atoms a stage has, each of which does one operation.
    pub stateless_per_stage: u32,
    /// How many stateful atoms a stage has.
    pub stateful_per_stage: u32,
    /// The stateful atom that every stage offers: the name of a [`crate::atoms::Template`], or [`ANY_ATOM`].
    pub atom: String,
    /// Whether an update may be mapped to an atom that computes it only if no sum of the program overflows 32 bits.
    /// Several of the atoms that were published as least hold only so.
    pub assume_no_overflow: bool,
    /// Which operations a stateless atom can do.
    pub operations: Operations,
}

/// Which operations a stateless atom can do, beyond addition and subtraction, saturating or not, bitwise logic, comparison, choice,
/// casts and hashes, which all can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Shifts by a variable count; shifts by a constant are wires.
    pub shift: bool,
    /// Multiplication.
    pub multiply: bool,
    /// Division and remainder by a constant.
    pub divide_by_constant: bool,
    /// Division and remainder by a variable.
    pub divide: bool,
}

impl Default for Target {
    /// 32 stages of 100 stateless and 10 stateful `pair` atoms.
    fn default() -> Self {
        Self {
            depth: 32,
            stateless_per_stage: 100,
            stateful_per_stage: 10,
            atom: "pair".to_owned(),
            assume_no_overflow: false,
            operations: Operations { shift: true, multiply: true, divide_by_constant: true, divide: false },
        }
    }
}
