//! What a pipelined machine offers, for the passes that fit a program to it.

use ir::pipeline::StageKind;

/// The name of an atom without limits, which does every update: for studying programs that no circuit holds.
pub const ANY_ATOM: &str = "any";

/// The limits of a pipeline of stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// How many stages there are.
    pub depth: u32,
    /// How many stateless atoms a stage has, each of which does one operation. In a match-action stage: how many ALUs
    /// of 32 bits, of which wider values take several.
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
    /// What the stages are like.
    pub kind: StageKind,
    /// What a stage offers beside atoms, if it matches and acts; Banzai's stages have no limits but atoms.
    pub match_action: MatchAction,
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

/// What each match-action stage offers beside atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchAction {
    /// How many tables, or parts of tables that span stages, it matches.
    pub tables: u32,
    /// How many blocks of SRAM it has, each of 1,024 words of 112 bits: for exact matches, action data and registers.
    pub sram_blocks: u32,
    /// How many blocks of TCAM it has, each of 2,048 words of 40 bits: for all other matches.
    pub tcam_blocks: u32,
    /// How many bits of keys of exact matches reach its SRAM.
    pub exact_key_bits: u32,
    /// How many bits of keys of other matches reach its TCAM.
    pub ternary_key_bits: u32,
    /// How many bits of action data reach its ALUs.
    pub action_data_bits: u32,
    /// How many hashes and checksums it computes, those that choose members of groups included.
    pub hash_units: u32,
    /// How many comparisons its gateways do; bool logic over them is part of them.
    pub gateways: u32,
}

/// What operations beyond those that all atoms have are called.
pub(crate) const SHIFT: &str = "a shift by a variable";
pub(crate) const MULTIPLY: &str = "a multiplication";
pub(crate) const DIVIDE_BY_CONSTANT: &str = "a division by a constant";
pub(crate) const DIVIDE: &str = "a division by a variable";

impl Operations {
    /// Has these, too.
    pub(crate) fn grant(&mut self, operations: &[&str]) {
        for &operation in operations {
            match operation {
                SHIFT => self.shift = true,
                MULTIPLY => self.multiply = true,
                DIVIDE_BY_CONSTANT => self.divide_by_constant = true,
                _ => self.divide = true,
            }
        }
    }
}

impl Default for Target {
    /// Banzai: 32 stages of 100 stateless and 10 stateful `pair` atoms (Sivaraman et al., "Packet Transactions", SIGCOMM
    /// 2016, section 2 and table 3).
    fn default() -> Self {
        Self {
            depth: 32,
            stateless_per_stage: 100,
            stateful_per_stage: 10,
            atom: "pair".to_owned(),
            assume_no_overflow: false,
            operations: Operations { shift: true, multiply: true, divide_by_constant: true, divide: false },
            kind: StageKind::Banzai,
            match_action: MatchAction::default(),
        }
    }
}

impl Target {
    /// A chip like RMT: 32 match-action stages with 224 ALUs, one for each field of the packet header vector (Bosshart
    /// et al., "Forwarding Metamorphosis", SIGCOMM 2013, section 5). RMT has no stateful atoms; here a stage has four.
    pub fn match_action() -> Self {
        Self {
            stateless_per_stage: 224,
            stateful_per_stage: 4,
            kind: StageKind::MatchAction,
            operations: Operations { shift: true, multiply: false, divide_by_constant: false, divide: false },
            ..Self::default()
        }
    }
}

impl Default for MatchAction {
    /// RMT's: 106 blocks of SRAM, 16 of TCAM, crossbars of 640 bits each (Bosshart et al., SIGCOMM 2013, section 5.1);
    /// 16 tables and 1,280 bits of action data (Jose et al., "Compiling Packet Programs to Reconfigurable Switches",
    /// NSDI 2015, section 5). Neither says how many hashes and gateways there are: here one gateway for each table, and
    /// half as many hash units.
    fn default() -> Self {
        Self {
            tables: 16,
            sram_blocks: 106,
            tcam_blocks: 16,
            exact_key_bits: 640,
            ternary_key_bits: 640,
            action_data_bits: 1280,
            hash_units: 8,
            gateways: 16,
        }
    }
}
