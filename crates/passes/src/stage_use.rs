//! The resources of a stage: how much of each is used, and how much a machine offers.

use ir::match_action::{self, Phase};
use ir::pipeline::StageKind;
use ir::{Expression, Program, RegisterId, Statement, Type};

use crate::memory::{Blocks, MatchMemory, TableShape, register_blocks};
use crate::target::Target;
use crate::units::Unit;

/// The amount used of each resource of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StageUse {
    of: [u64; Limit::PER_STAGE.len()],
}

/// A limited resource of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// Stateful atoms.
    Stateful,
    /// Stateless atoms; in a match-action stage, 32-bit ALUs.
    Stateless,
    /// Tables, or parts of tables that span several stages.
    Tables,
    /// Key bits for matches in SRAM.
    ExactKeyBits,
    /// Key bits for matches in TCAM.
    TernaryKeyBits,
    /// Bits of action data.
    ActionDataBits,
    /// SRAM blocks.
    SramBlocks,
    /// TCAM blocks.
    TcamBlocks,
    /// Hashes and checksums.
    HashUnits,
    /// Comparisons by gateways.
    Gateways,
}

impl Limit {
    /// All resources of a stage.
    pub const PER_STAGE: [Self; 10] = [
        Self::Stateful,
        Self::Stateless,
        Self::Tables,
        Self::ExactKeyBits,
        Self::TernaryKeyBits,
        Self::ActionDataBits,
        Self::SramBlocks,
        Self::TcamBlocks,
        Self::HashUnits,
        Self::Gateways,
    ];

    /// Returns how much of this resource each stage of a machine offers.
    pub fn offered(self, target: &Target) -> u64 {
        let match_action = &target.match_action;
        u64::from(match self {
            Self::Stateful => target.stateful_per_stage,
            Self::Stateless => target.stateless_per_stage,
            Self::Tables => match_action.tables,
            Self::ExactKeyBits => match_action.exact_key_bits,
            Self::TernaryKeyBits => match_action.ternary_key_bits,
            Self::ActionDataBits => match_action.action_data_bits,
            Self::SramBlocks => match_action.sram_blocks,
            Self::TcamBlocks => match_action.tcam_blocks,
            Self::HashUnits => match_action.hash_units,
            Self::Gateways => match_action.gateways,
        })
    }

    /// Changes how much of this resource each stage of a machine offers.
    pub fn set(self, target: &mut Target, offered: u32) {
        let match_action = &mut target.match_action;
        *match self {
            Self::Stateful => &mut target.stateful_per_stage,
            Self::Stateless => &mut target.stateless_per_stage,
            Self::Tables => &mut match_action.tables,
            Self::ExactKeyBits => &mut match_action.exact_key_bits,
            Self::TernaryKeyBits => &mut match_action.ternary_key_bits,
            Self::ActionDataBits => &mut match_action.action_data_bits,
            Self::SramBlocks => &mut match_action.sram_blocks,
            Self::TcamBlocks => &mut match_action.tcam_blocks,
            Self::HashUnits => &mut match_action.hash_units,
            Self::Gateways => &mut match_action.gateways,
        } = offered;
    }

    /// Returns the plural name of the resource, as it follows a number other than one.
    pub const fn name(self) -> &'static str {
        self.names().1
    }

    /// Returns an amount of this resource in words, such as "2 stateful atoms".
    pub fn quantity(self, count: u64) -> String {
        let (one, several) = self.names();
        format!("{count} {}", if count == 1 { one } else { several })
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Stateful => ("stateful atom", "stateful atoms"),
            Self::Stateless => ("stateless atom", "stateless atoms"),
            Self::Tables => ("table", "tables"),
            Self::ExactKeyBits => ("bit of exact keys", "bits of exact keys"),
            Self::TernaryKeyBits => ("bit of ternary keys", "bits of ternary keys"),
            Self::ActionDataBits => ("bit of action data", "bits of action data"),
            Self::SramBlocks => ("SRAM block", "SRAM blocks"),
            Self::TcamBlocks => ("TCAM block", "TCAM blocks"),
            Self::HashUnits => ("hash unit", "hash units"),
            Self::Gateways => ("gateway", "gateways"),
        }
    }

    /// Returns whether this resource is limited in stages of the given kind.
    pub fn concerns(self, kind: StageKind) -> bool {
        kind == StageKind::MatchAction || matches!(self, Self::Stateful | Self::Stateless)
    }
}

impl StageUse {
    /// Returns how much of a resource is used.
    pub fn of(&self, limit: Limit) -> u64 {
        self.of[limit as usize]
    }

    /// Returns the use of a single unit of a resource.
    pub(crate) fn one(limit: Limit) -> Self {
        Self::default().with(limit, 1)
    }

    /// Adds a further use.
    pub(crate) fn add(&mut self, more: &Self) {
        self.of.iter_mut().zip(more.of).for_each(|(used, more)| *used = used.saturating_add(more));
    }

    /// Returns the resources of which more is used than a stage of the machine offers.
    pub(crate) fn exceeded(&self, target: &Target) -> impl Iterator<Item = Limit> {
        let limits = Limit::PER_STAGE.into_iter().filter(|limit| limit.concerns(target.kind));
        limits.filter(|&limit| self.of(limit) > limit.offered(target))
    }

    /// Returns the memory blocks that are left of a stage.
    pub(crate) fn blocks_left(&self, target: &Target) -> Blocks {
        let left = |limit: Limit| limit.offered(target).saturating_sub(self.of(limit));
        Blocks { sram: left(Limit::SramBlocks), tcam: left(Limit::TcamBlocks) }
    }

    fn with(mut self, limit: Limit, count: u64) -> Self {
        self.of[limit as usize] = count;
        self
    }

    /// Returns what a unit other than a table uses of the stage in which it works in the given phase. `continues` says
    /// that the unit continues a chain of choices for the same field.
    pub(crate) fn of_unit(program: &Program, unit: &Unit, phase: Phase, continues: bool) -> Self {
        let none = Self::default();
        if unit.is_stateful() {
            let mut registers: Vec<RegisterId> =
                unit.accessed_registers(program).into_iter().flat_map(|access| access.registers).collect();
            registers.sort_unstable();
            registers.dedup();
            return none.with(Limit::Stateful, 1).with(Limit::SramBlocks, register_blocks(program, &registers));
        }
        let Some(Statement::Assign { variable, value }) = unit.body.first() else { return none };
        let ty = program.variable(*variable).ty;
        match phase {
            Phase::Hash => none.with(Limit::HashUnits, 1),
            Phase::Gateway if compares(program, value) => none.with(Limit::Gateways, 1),
            // A chain of exclusive choices gives a field one new value, for which one ALU is enough.
            Phase::Choice if continues => none,
            Phase::Action | Phase::Choice => none.with(Limit::Stateless, u64::from(ty.width().div_ceil(32))),
            _ => none,
        }
    }

    /// Returns what a part of a table uses that holds the given number of entries, and optionally the members of its
    /// action profile.
    pub(crate) fn of_table(shape: &TableShape, entries: u64, with_members: bool) -> Self {
        let blocks = shape.blocks(entries);
        let members = if with_members { shape.member_blocks() } else { 0 };
        let keys = u64::from(shape.key_bits);
        let used = Self::default()
            .with(Limit::Tables, 1)
            .with(Limit::ActionDataBits, u64::from(shape.action_data_bits))
            .with(Limit::SramBlocks, blocks.sram.saturating_add(members))
            .with(Limit::TcamBlocks, blocks.tcam)
            .with(Limit::HashUnits, u64::from(shape.selects));
        match shape.memory {
            MatchMemory::Nowhere => used,
            MatchMemory::Sram => used.with(Limit::ExactKeyBits, keys),
            MatchMemory::Tcam => used.with(Limit::TernaryKeyBits, keys),
        }
    }
}

/// Returns true if an operation needs a comparator. Boolean logic over the results of comparisons is free.
fn compares(program: &Program, value: &Expression) -> bool {
    match value {
        Expression::Binary(operator, left, _) => operator.is_comparison() && program.type_of(left) != Type::Bool,
        Expression::Cast(Type::Bool, operand) => program.type_of(operand) != Type::Bool,
        _ => false,
    }
}

/// Returns the minimum that a unit uses of an empty stage.
pub(crate) fn least_use(program: &Program, unit: &Unit) -> StageUse {
    match match_action::lookups(&unit.body) {
        Some(lookup) => {
            let shape = TableShape::of(program, lookup.table);
            StageUse::of_table(&shape, shape.entries.min(1), true)
        }
        None => {
            let phase = match_action::phase(program, &unit.body, &|_| Phase::Before).unwrap_or(Phase::Action);
            StageUse::of_unit(program, unit, phase, false)
        }
    }
}
