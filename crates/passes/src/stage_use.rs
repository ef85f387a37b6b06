//! What is used of a stage, and what a machine offers of each.

use ir::match_action::{self, Phase};
use ir::pipeline::StageKind;
use ir::{Expression, Program, RegisterId, Statement, Type};

use crate::memory::{Blocks, MatchMemory, TableShape, register_blocks};
use crate::target::Target;
use crate::units::Unit;

/// How much of each thing that a stage has is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StageUse {
    of: [u64; Limit::PER_STAGE.len()],
}

/// What a machine has only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// Stateful atoms of a stage.
    Stateful,
    /// Stateless atoms of a stage.
    Stateless,
    /// Tables of a stage.
    Tables,
    /// Bits of keys for SRAM of a stage.
    ExactKeyBits,
    /// Bits of keys for TCAM of a stage.
    TernaryKeyBits,
    /// Bits of action data of a stage.
    ActionDataBits,
    /// Blocks of SRAM of a stage.
    SramBlocks,
    /// Blocks of TCAM of a stage.
    TcamBlocks,
    /// Hashes of a stage.
    HashUnits,
    /// Comparisons of a stage.
    Gateways,
}

impl Limit {
    /// All that a stage has.
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

    /// How much a stage of a machine offers.
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

    /// Offers so much instead.
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

    /// Its name, as it follows any number but one.
    pub const fn name(self) -> &'static str {
        self.names().1
    }

    /// So many of it in words, such as "2 stateful atoms".
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

    /// Whether stages of a kind are limited by it at all.
    pub fn concerns(self, kind: StageKind) -> bool {
        kind == StageKind::MatchAction || matches!(self, Self::Stateful | Self::Stateless)
    }
}

impl StageUse {
    /// How much of one thing is used.
    pub fn of(&self, limit: Limit) -> u64 {
        self.of[limit as usize]
    }

    /// One of a thing.
    pub(crate) fn one(limit: Limit) -> Self {
        Self::default().with(limit, 1)
    }

    /// Uses more.
    pub(crate) fn add(&mut self, more: &Self) {
        self.of.iter_mut().zip(more.of).for_each(|(used, more)| *used = used.saturating_add(more));
    }

    /// What a stage of a machine does not have so much of.
    pub(crate) fn exceeded(&self, target: &Target) -> impl Iterator<Item = Limit> {
        let limits = Limit::PER_STAGE.into_iter().filter(|limit| limit.concerns(target.kind));
        limits.filter(|&limit| self.of(limit) > limit.offered(target))
    }

    /// The blocks that are left of a stage.
    pub(crate) fn blocks_left(&self, target: &Target) -> Blocks {
        let left = |limit: Limit| limit.offered(target).saturating_sub(self.of(limit));
        Blocks { sram: left(Limit::SramBlocks), tcam: left(Limit::TcamBlocks) }
    }

    fn with(mut self, limit: Limit, count: u64) -> Self {
        self.of[limit as usize] = count;
        self
    }

    /// What a unit that is no table takes of the stage in which it works in a phase.
    pub(crate) fn of_unit(program: &Program, unit: &Unit, phase: Phase, continues: bool) -> Self {
        let none = Self::default();
        if unit.is_stateful() {
            let mut registers: Vec<RegisterId> =
                unit.places(program).into_iter().flat_map(|place| place.registers).collect();
            registers.sort_unstable();
            registers.dedup();
            return none.with(Limit::Stateful, 1).with(Limit::SramBlocks, register_blocks(program, &registers));
        }
        let Some(Statement::Assign { variable, value }) = unit.body.first() else { return none };
        let ty = program.variable(*variable).ty;
        match phase {
            Phase::Hash => none.with(Limit::HashUnits, 1),
            Phase::Gateway if compares(program, value) => none.with(Limit::Gateways, 1),
            // One field takes one new value, however many instructions there are to choose from.
            Phase::Choice if continues => none,
            Phase::Action | Phase::Choice => none.with(Limit::Stateless, u64::from(ty.width().div_ceil(32))),
            _ => none,
        }
    }

    /// What a part of a table takes that holds some of its entries, and perhaps the members of its profile.
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

/// True for what needs a comparator: bool logic over it is free.
fn compares(program: &Program, value: &Expression) -> bool {
    match value {
        Expression::Binary(operator, left, _) => operator.is_comparison() && program.type_of(left) != Type::Bool,
        Expression::Cast(Type::Bool, operand) => program.type_of(operand) != Type::Bool,
        _ => false,
    }
}

/// What a unit takes of an empty stage in any case.
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
