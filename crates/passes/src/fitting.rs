//! What a person wants to know of a program that fits: what is used of each stage, and what keeps it from being shorter.

use ir::pipeline::StageKind;
use ir::{Program, RegisterId, TableId, match_action};

pub use dependencies::{Dependency, DependencyKind};

use crate::memory::{Blocks, TableShape};
use crate::schedule::{Part, Placed, critical_path};
use crate::stage_use::{Limit, StageUse};
use crate::units::{self, Unit};

mod dependencies;

/// What is used of a machine, and why it is so deep.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fitting {
    /// What is used of each stage.
    pub uses: Vec<StageUse>,
    /// The tables, in order of the stages in which they answer.
    pub tables: Vec<FittedTable>,
    /// Which tables and updates of registers depend on which.
    pub dependencies: Vec<Dependency>,
    /// Operations of which each needs the one before it, from one that needs none to the last stage.
    pub critical_path: Vec<Step>,
}

/// A table and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedTable {
    /// Which table.
    pub table: TableId,
    /// What it asks of stages.
    pub shape: TableShape,
    /// Where it is: one part, or several in stages one behind the other, of which the last answers.
    pub parts: Vec<TablePart>,
}

/// A part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePart {
    /// The stage.
    pub stage: u32,
    /// How many of the entries it can hold.
    pub entries: u64,
    /// The memory that it takes, that of the members of a profile included.
    pub blocks: Blocks,
}

/// A step of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub stage: u32,
    /// What: a table, the registers that are updated, or the text of an operation.
    pub what: String,
}

impl Fitting {
    /// What is to be known of placed units.
    pub(crate) fn of(program: &Program, units: &[Unit], placed: &Placed, kind: StageKind) -> Self {
        let needs = units::needs(program, units);
        let steps = critical_path(&needs, placed)
            .into_iter()
            .map(|unit| Step { stage: placed.stage_of[unit], what: described(program, &units[unit]) });
        Self {
            uses: match kind {
                StageKind::MatchAction => placed.uses.clone(),
                StageKind::Banzai => atoms(units, placed),
            },
            tables: tables(program, units, placed),
            dependencies: dependencies::of(program, units),
            critical_path: steps.collect(),
        }
    }
}

/// The atoms of each stage: Banzai's have no other limits.
fn atoms(units: &[Unit], placed: &Placed) -> Vec<StageUse> {
    let mut uses = vec![StageUse::default(); placed.depth as usize];
    for (unit, &stage) in units.iter().zip(&placed.stage_of) {
        let limit = if unit.is_stateful() { Limit::Stateful } else { Limit::Stateless };
        uses[stage as usize].add(&StageUse::one(limit));
    }
    uses
}

fn tables(program: &Program, units: &[Unit], placed: &Placed) -> Vec<FittedTable> {
    let mut tables = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let Some(lookup) = match_action::lookups(&unit.body) else { continue };
        let shape = TableShape::of(program, lookup.table);
        let stage = placed.stage_of[number];
        let mut parts: Vec<Part> = placed.parts.iter().copied().filter(|part| part.unit == number).collect();
        if parts.is_empty() {
            parts.push(Part { unit: number, stage, entries: shape.entries });
        }
        let part = |part: Part| {
            let mut blocks = shape.blocks(part.entries);
            blocks.sram += if part.stage == stage { shape.member_blocks() } else { 0 };
            TablePart { stage: part.stage, entries: part.entries, blocks }
        };
        let parts = parts.into_iter().map(part).collect();
        tables.push(FittedTable { table: lookup.table, shape, parts });
    }
    tables.sort_by_key(|table| table.parts.last().map(|part| part.stage));
    tables
}

/// A unit in words.
fn described(program: &Program, unit: &Unit) -> String {
    named(program, unit).unwrap_or_else(|| {
        let text = unit.body.first().map(|statement| ir::print::statement(program, statement).to_string());
        text.unwrap_or_default().trim().to_owned()
    })
}

/// What people call a unit: its table, or its registers; nothing for an operation.
fn named(program: &Program, unit: &Unit) -> Option<String> {
    if let Some(lookup) = match_action::lookups(&unit.body) {
        return Some(format!("table {}", program.tables[lookup.table.index()].name));
    }
    if !unit.is_stateful() {
        return None;
    }
    let mut registers: Vec<RegisterId> = unit.places(program).into_iter().flat_map(|place| place.registers).collect();
    registers.sort_unstable();
    registers.dedup();
    let names: Vec<&str> = registers.into_iter().map(|id| program.register(id).name.as_str()).collect();
    Some(format!("register {}", names.join(", ")))
}
