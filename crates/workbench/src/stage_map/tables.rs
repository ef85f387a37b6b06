//! Tables in a stage map: the resources that they take in each stage, and their dependencies.

use std::fmt::{self, Formatter};

use passes::{Compiled, Dependency, FittedTable, Limit, MatchMemory, StageUse, Step, TablePart, Target};
use serde::Serialize;

use super::StageMap;

/// The use of one resource in a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UseRow {
    /// The resource, in words that follow a number.
    pub what: &'static str,
    /// The amount that is used.
    pub used: u64,
    /// The amount that the stage has.
    pub offered: u64,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableRow {
    /// The name of the table.
    pub table: String,
    /// The match kind of the table: `exact` if all keys are exact, otherwise that of a key which is not; `none` without
    /// keys.
    pub kind: String,
    /// The width of all keys together, in bits.
    pub key_bits: u32,
    /// The maximum width of the data of an action, in bits.
    pub action_data_bits: u32,
    /// The number of entries that the table can hold.
    pub entries: u64,
    /// The parts of the table. A table that spans stages has several, of which the last delivers the result.
    pub parts: Vec<PartRow>,
}

/// The part of a table in one stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartRow {
    /// The stage.
    pub stage: u32,
    /// The number of entries that the part can hold.
    pub entries: u64,
    /// The number of blocks of SRAM.
    pub sram_blocks: u64,
    /// The number of blocks of TCAM.
    pub tcam_blocks: u64,
}

/// A dependency between two tables or registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DependencyRow {
    /// The table or registers on which the other depends.
    pub from: String,
    /// The table or registers that depend on it.
    pub to: String,
    /// The kind of dependency: `match`, `action` or `successor`.
    pub kind: String,
}

/// A step of the critical path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepRow {
    /// The stage in which the step happens.
    pub stage: u32,
    /// The operation, in words.
    pub what: String,
}

impl UseRow {
    /// Returns a row for each resource that a stage uses.
    pub(super) fn all(used: &StageUse, target: &Target) -> Vec<Self> {
        let limits = Limit::PER_STAGE.into_iter().filter(|&limit| used.of(limit) > 0);
        let row = |limit: Limit| Self { what: limit.name(), used: used.of(limit), offered: limit.offered(target) };
        limits.map(row).collect()
    }
}

impl fmt::Display for UseRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} {}", self.used, self.offered, self.what)
    }
}

impl TableRow {
    pub(super) fn all(compiled: &Compiled) -> Vec<Self> {
        compiled.fitting.tables.iter().map(|table| Self::of(compiled, table)).collect()
    }

    fn of(compiled: &Compiled, fitted: &FittedTable) -> Self {
        let table = &compiled.pipeline.program.tables[fitted.table.index()];
        // The table has the match kind of its first key that is not exact.
        let kind = table.keys.iter().map(|key| key.kind.name()).find(|kind| *kind != "exact");
        let kind = match fitted.shape.memory {
            MatchMemory::Nowhere => "none",
            MatchMemory::Sram => "exact",
            MatchMemory::Tcam => kind.unwrap_or("ternary"),
        };
        let part = |part: &TablePart| PartRow {
            stage: part.stage,
            entries: part.entries,
            sram_blocks: part.blocks.sram,
            tcam_blocks: part.blocks.tcam,
        };
        Self {
            table: table.name.clone(),
            kind: kind.to_owned(),
            key_bits: fitted.shape.key_bits,
            action_data_bits: fitted.shape.action_data_bits,
            entries: fitted.shape.entries,
            parts: fitted.parts.iter().map(part).collect(),
        }
    }
}

impl DependencyRow {
    pub(super) fn of(dependency: &Dependency) -> Self {
        let Dependency { from, to, kind } = dependency;
        Self { from: from.clone(), to: to.clone(), kind: kind.to_string() }
    }
}

impl StepRow {
    pub(super) fn of(step: &Step) -> Self {
        Self { stage: step.stage, what: step.what.clone() }
    }
}

/// Writes the part of a map that is about tables.
pub(super) fn write(f: &mut Formatter<'_>, map: &StageMap) -> fmt::Result {
    if map.tables.is_empty() {
        return Ok(());
    }
    writeln!(f, "\ntables")?;
    for row in &map.tables {
        let TableRow { table, kind, key_bits, action_data_bits, entries, parts } = row;
        writeln!(
            f,
            "    {table}: {kind}, {key_bits} bits of key, {action_data_bits} of action data, {entries} entries"
        )?;
        for part in parts {
            let memory = [(part.sram_blocks, "SRAM"), (part.tcam_blocks, "TCAM")].into_iter();
            let memory = memory.filter(|(blocks, _)| *blocks > 0).map(|(blocks, kind)| match blocks {
                1 => format!(", 1 {kind} block"),
                _ => format!(", {blocks} {kind} blocks"),
            });
            let memory: String = memory.collect();
            writeln!(f, "        stage {}: {} entries{memory}", part.stage, part.entries)?;
        }
    }
    if !map.dependencies.is_empty() {
        writeln!(f, "\ndependencies")?;
    }
    for DependencyRow { from, to, kind } in &map.dependencies {
        writeln!(f, "    {from} -> {to}: {kind}")?;
    }
    writeln!(f, "\ncritical path")?;
    map.critical_path.iter().try_for_each(|StepRow { stage, what }| writeln!(f, "    stage {stage}: {what}"))
}
