//! The resources that a pipelined machine offers, as the passes need to know them.

use ir::pipeline::StageKind;

/// The name of an unlimited atom that computes every update, for studying programs that no circuit can hold.
pub const ANY_ATOM: &str = "any";

/// The resources of a pipelined machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The number of stages.
    pub depth: u32,
    /// The number of stateless atoms in a stage, each of which computes one operation. In a match-action stage, the
    /// number of 32-bit ALUs; wider values take several.
    pub stateless_per_stage: u32,
    /// The number of stateful atoms in a stage.
    pub stateful_per_stage: u32,
    /// The stateful atom that every stage offers: the name of a [`atoms::Template`], or [`ANY_ATOM`].
    pub atom: String,
    /// Whether an update may be mapped to an atom that computes it correctly only if no sum of the program overflows 32
    /// bits. Several of the published least atoms are correct only under this assumption.
    pub assume_no_overflow: bool,
    /// The optional operations that a stateless atom supports.
    pub operations: Operations,
    /// The kind of the stages.
    pub kind: StageKind,
    /// The resources of a match-action stage other than atoms. They do not apply to Banzai stages, which are limited by
    /// atoms only.
    pub match_action: MatchAction,
}

/// The optional operations of a stateless atom. Every stateless atom supports addition and subtraction (wrapping and
/// saturating), bitwise logic, comparison, choice, casts and hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Shifts by a variable amount; shifts by a constant are free.
    pub shift: bool,
    /// Multiplication.
    pub multiply: bool,
    /// Division and remainder by a constant.
    pub divide_by_constant: bool,
    /// Division and remainder by a variable.
    pub divide: bool,
}

/// The resources of each match-action stage other than atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchAction {
    /// The number of tables, or of parts of tables that span several stages, that the stage can match.
    pub tables: u32,
    /// The number of SRAM blocks, each of 1,024 words of 112 bits, for exact matches, action data and registers.
    pub sram_blocks: u32,
    /// The number of TCAM blocks, each of 2,048 words of 40 bits, for all other match kinds.
    pub tcam_blocks: u32,
    /// The number of key bits that the crossbar delivers to the SRAM, for exact matches.
    pub exact_key_bits: u32,
    /// The number of key bits that the crossbar delivers to the TCAM, for all other match kinds.
    pub ternary_key_bits: u32,
    /// The number of bits of action data that reach the ALUs.
    pub action_data_bits: u32,
    /// The number of hashes and checksums that the stage can compute, including those that choose members of groups.
    pub hash_units: u32,
    /// The number of comparisons that the stage's gateways can compute; Boolean logic over their results is free.
    pub gateways: u32,
}

/// The names of the optional operations, as messages show them.
pub(crate) const SHIFT: &str = "a shift by a variable";
pub(crate) const MULTIPLY: &str = "a multiplication";
pub(crate) const DIVIDE_BY_CONSTANT: &str = "a division by a constant";
pub(crate) const DIVIDE: &str = "a division by a variable";

impl Operations {
    /// Adds the given operations, each named by one of the constants above.
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
    /// Returns a Banzai machine: 32 stages of 100 stateless and 10 stateful `pair` atoms (Sivaraman et al., "Packet
    /// Transactions", SIGCOMM 2016, section 2 and table 3).
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
    /// Returns a chip like RMT: 32 match-action stages with 224 ALUs, one for each field of the packet header vector
    /// (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013, section 5). RMT has no stateful atoms; this machine
    /// has four in each stage.
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
    /// Returns the resources of an RMT stage: 106 blocks of SRAM, 16 of TCAM, crossbars of 640 bits each (Bosshart et
    /// al., SIGCOMM 2013, section 5.1); 16 tables and 1,280 bits of action data (Jose et al., "Compiling Packet
    /// Programs to Reconfigurable Switches", NSDI 2015, section 5). Neither paper gives the number of hash units and
    /// gateways; the default is one gateway for each table, and half as many hash units.
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
