//! Tables in a stage map: what they take of which stages, and what keeps them apart.

use std::fmt::{self, Formatter};

use passes::{Compiled, Dependency, FittedTable, Limit, MatchMemory, StageUse, Step, TablePart, Target};
use serde::Serialize;

use super::StageMap;

/// How much of one thing a stage uses, and how much it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UseRow {
    /// What, in words that follow a number.
    pub what: &'static str,
    /// How much is used.
    pub used: u64,
    /// How much there is.
    pub offered: u64,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableRow {
    /// Its name.
    pub table: String,
    /// How it compares its keys: `exact`, or another kind that one of them has; `none` without keys.
    pub kind: String,
    /// The widths of its keys together.
    pub key_bits: u32,
    /// The most data that one of its actions takes.
    pub action_data_bits: u32,
    /// How many entries it can hold.
    pub entries: u64,
    /// Where it is: several parts if it spans stages, of which the last answers.
    pub parts: Vec<PartRow>,
}

/// A part of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartRow {
    /// The stage.
    pub stage: u32,
    /// How many of the entries it can hold.
    pub entries: u64,
    /// Blocks of SRAM.
    pub sram_blocks: u64,
    /// Blocks of TCAM.
    pub tcam_blocks: u64,
}

/// One depends on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DependencyRow {
    /// A table or registers.
    pub from: String,
    /// What depends on it.
    pub to: String,
    /// `match`, `action` or `successor`.
    pub kind: String,
}

/// A step of the critical path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepRow {
    /// Where.
    pub stage: u32,
    /// What.
    pub what: String,
}

impl UseRow {
    /// All that is used of a stage.
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
        // The least usual kind of a key is that of the table.
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

/// What a map says of tables.
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
