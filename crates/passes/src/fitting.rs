//! Information about a program that fits, for its author: the resources used of each stage, and what keeps the pipeline
//! from being shorter.

use ir::pipeline::StageKind;
use ir::{Program, RegisterId, TableId, match_action};

pub use dependencies::{Dependency, DependencyKind};

use crate::memory::{Blocks, TableShape};
use crate::schedule::{Placed, TableSlice, critical_path};
use crate::stage_use::{Limit, StageUse};
use crate::units::{self, Unit};

mod dependencies;

/// The resources that a fitted program uses, and why it needs so many stages.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Fitting {
    /// The resources used of each stage.
    pub uses: Vec<StageUse>,
    /// The tables, in order of the stages in which they give their results.
    pub tables: Vec<FittedTable>,
    /// The dependencies between tables and updates of registers.
    pub dependencies: Vec<Dependency>,
    /// A chain of operations, each of which needs the one before it, that begins with one that needs none and ends in
    /// the last stage.
    pub critical_path: Vec<Step>,
}

/// A table and its placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedTable {
    /// The table.
    pub table: TableId,
    /// The resources that the table needs.
    pub shape: TableShape,
    /// The parts of the table: a single one, or several in successive stages, of which the last gives the result.
    pub parts: Vec<TablePart>,
}

/// A part of a table that lies in one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePart {
    /// The number of the stage, counted from 0.
    pub stage: u32,
    /// The number of entries that the part can hold.
    pub entries: u64,
    /// The memory that the part takes, including that of the members of an action profile.
    pub blocks: Blocks,
}

/// A step of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of the stage, counted from 0.
    pub stage: u32,
    /// The description of the operation: a table, the registers that are updated, or the text of an operation.
    pub what: String,
}

impl Fitting {
    /// Describes placed units.
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

/// Returns the atoms used of each stage, which are the only limits of Banzai stages.
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
        let mut parts: Vec<TableSlice> = placed.parts.iter().copied().filter(|part| part.unit == number).collect();
        if parts.is_empty() {
            parts.push(TableSlice { unit: number, stage, entries: shape.entries });
        }
        let part = |part: TableSlice| {
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

/// Describes a unit in words.
fn described(program: &Program, unit: &Unit) -> String {
    named(program, unit).unwrap_or_else(|| {
        let text = unit.body.first().map(|statement| ir::print::statement(program, statement).to_string());
        text.unwrap_or_default().trim().to_owned()
    })
}

/// Returns the name of a unit, made of its table or its registers; `None` for an operation.
fn named(program: &Program, unit: &Unit) -> Option<String> {
    if let Some(lookup) = match_action::lookups(&unit.body) {
        return Some(format!("table {}", program.tables[lookup.table.index()].name));
    }
    if !unit.is_stateful() {
        return None;
    }
    let mut registers: Vec<RegisterId> =
        unit.accessed_registers(program).into_iter().flat_map(|access| access.registers).collect();
    registers.sort_unstable();
    registers.dedup();
    let names: Vec<&str> = registers.into_iter().map(|id| program.register(id).name.as_str()).collect();
    Some(format!("register {}", names.join(", ")))
}
