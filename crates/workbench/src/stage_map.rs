//! Maps of pipelines for people to read: what each stage does, and where each register and each table lies.

mod svg;
mod tables;

use std::fmt;

use ir::pipeline::{Access, Atom, Division, Pipeline, Predicate, StageKind};
use passes::{Compiled, Target};
use serde::Serialize;

pub use tables::{DependencyRow, StepRow, TableRow, UseRow};

/// A map of a pipeline: what each stage does, and where each register and each table lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageMap {
    /// The stages, in the order in which packets pass them.
    pub stages: Vec<StageRow>,
    /// The accesses to state.
    pub accesses: Vec<AccessRow>,
    /// The tables, in the order of the stages that deliver their results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableRow>,
    /// The dependencies between tables and registers, if there are tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyRow>,
    /// The critical path: operations each of which needs the one before it, up to the last stage. Empty without tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub critical_path: Vec<StepRow>,
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageRow {
    /// The number of the stage, from 0.
    pub stage: usize,
    /// Whether the stage resolves addresses before any state is accessed (MP5 section 3.3).
    pub resolves_addresses: bool,
    /// The atoms of the stage.
    pub atoms: Vec<AtomRow>,
    /// The resources that are used, if it is a match-action stage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<UseRow>,
}

/// An atom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtomRow {
    /// The template of a stateful atom, or `stateless`.
    pub kind: String,
    /// The statements that it executes.
    pub statements: Vec<String>,
}

/// An access to state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessRow {
    /// The registers that are accessed together.
    pub registers: Vec<String>,
    /// The number of indices of each register.
    pub indices: usize,
    /// The stage that accesses them.
    pub stage: u32,
    /// The expression of the index; `None` for scalars.
    pub index: Option<String>,
    /// The condition under which a packet accesses them.
    pub condition: String,
    /// Whether they are sharded over the pipelines, in words.
    pub placement: &'static str,
}

impl StageMap {
    /// Returns the map of a pipeline.
    pub fn of(pipeline: &Pipeline) -> Self {
        let stages = pipeline.stages.iter().enumerate().map(|(stage, contents)| StageRow {
            stage,
            resolves_addresses: stage < pipeline.early_stages as usize,
            atoms: contents.atoms.iter().map(|atom| AtomRow::of(pipeline, atom)).collect(),
            uses: Vec::new(),
        });
        let accesses = pipeline.accesses.iter().map(|access| AccessRow::of(pipeline, access));
        Self {
            stages: stages.collect(),
            accesses: accesses.collect(),
            tables: Vec::new(),
            dependencies: Vec::new(),
            critical_path: Vec::new(),
        }
    }

    /// Returns the map of a program that was fitted to a machine, with the resources that it uses.
    pub fn fitted(compiled: &Compiled, target: &Target) -> Self {
        let mut map = Self::of(&compiled.pipeline);
        if compiled.pipeline.kind == StageKind::MatchAction {
            for (row, used) in map.stages.iter_mut().zip(&compiled.fitting.uses) {
                row.uses = UseRow::all(used, target);
            }
        }
        if !compiled.fitting.tables.is_empty() {
            map.tables = TableRow::all(compiled);
            map.dependencies = compiled.fitting.dependencies.iter().map(DependencyRow::of).collect();
            map.critical_path = compiled.fitting.critical_path.iter().map(StepRow::of).collect();
        }
        map
    }

    /// Returns the map as an SVG picture: a column for each stage with the resources that are used, and the
    /// dependencies between tables and registers.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }
}

impl AtomRow {
    fn of(pipeline: &Pipeline, atom: &Atom) -> Self {
        let show = |statement| ir::print::statement(&pipeline.program, statement).to_string().trim().to_owned();
        Self {
            kind: atom.template.clone().unwrap_or_else(|| "stateless".to_owned()),
            statements: atom.body.iter().map(show).collect(),
        }
    }
}

impl AccessRow {
    fn of(pipeline: &Pipeline, access: &Access) -> Self {
        let program = &pipeline.program;
        let show = |expression| ir::print::expression(program, expression).to_string();
        Self {
            registers: access.registers.iter().map(|&id| program.register(id).name.clone()).collect(),
            indices: pipeline.indices_of(access),
            stage: access.stage,
            index: access.index.as_ref().map(show),
            condition: match &access.predicate {
                Predicate::Always => "every packet".to_owned(),
                Predicate::Early(condition) => format!("if {}", show(condition)),
                Predicate::Late(condition) => format!("if {}, known late", show(condition)),
            },
            placement: match access.division {
                Division::ByIndex => "sharded by index",
                Division::Whole => "in one pipeline",
            },
        }
    }
}

impl fmt::Display for StageMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.stages {
            let purpose = if row.resolves_addresses { "  (resolves addresses)" } else { "" };
            writeln!(f, "stage {}{purpose}", row.stage)?;
            for used in &row.uses {
                writeln!(f, "    {used}")?;
            }
            for atom in &row.atoms {
                let mut kind = atom.kind.as_str();
                for statement in &atom.statements {
                    writeln!(f, "    {kind:<12} {statement}")?;
                    kind = "";
                }
            }
        }
        if !self.accesses.is_empty() {
            writeln!(f, "\nregisters")?;
        }
        for access in &self.accesses {
            let index = access.index.as_ref().map_or(String::new(), |index| format!("[{index}]"));
            writeln!(
                f,
                "    {}{index}: {} {}, stage {}, {}, {}",
                access.registers.join(" and "),
                access.indices,
                if access.indices == 1 { "value" } else { "values" },
                access.stage,
                access.condition,
                access.placement
            )?;
        }
        tables::write(f, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_shows_stages_atoms_and_registers() {
        let text = "pipeline count\nfield id: int<32>\nlocal old: int<32>\nlocal new: int<32>\n\
            register counts: int<32>[8] = fill 0\nresolution 1\nstage {\n}\nstage {\n  atom raw {\n    old = @counts[id]\n    \
            new = old + 1i32\n    @counts[id] = new\n  }\n}\naccess @counts stage 1 index id always sharded\n";
        let pipeline = ir::parse::pipeline("count", text).unwrap();
        let map = StageMap::of(&pipeline).to_string();
        let expected = "stage 0  (resolves addresses)\nstage 1\n    raw          old = @counts[id]\n                 \
            new = old + 1i32\n                 @counts[id] = new\n\nregisters\n    \
            counts[id]: 8 values, stage 1, every packet, sharded by index\n";
        assert_eq!(map, expected);
    }

    /// A program in which the result of one table is the key of another.
    const TABLES: &str = "program tables\nfield x: bit<16>\nfield y: bit<16>\nlocal p: bit<16>\naction miss() {\n}\n\
        action set(p) {\n}\ntable first {\n  key undefined<bit<16>>: exact named \"x\"\n  action miss\n  action set\n  \
        default miss()\n}\ntable second {\n  key undefined<bit<16>>: lpm named \"y\"\n  action miss\n  action set\n  \
        default miss()\n  size 5000\n}\npacket {\n  x = lookup(first, data 1 0 0 bit<16>, x)\n  \
        y = lookup(second, data 1 0 0 bit<16>, x)\n}\n";

    #[test]
    fn a_map_shows_resources_and_dependencies_of_tables() {
        let program = ir::parse::program("tables", TABLES).unwrap();
        let target = Target::match_action();
        let compiled = passes::compile(&program, &target, passes::Layout::Single, &mut ()).unwrap();
        let map = StageMap::fitted(&compiled, &target);
        let text = map.to_string();
        let expected = "\ntables\n    first: exact, 16 bits of key, 16 of action data, 1024 entries\n        \
            stage 0: 1024 entries, 5 SRAM blocks\n    second: lpm, 16 bits of key, 16 of action data, 5000 entries\n        \
            stage 1: 5000 entries, 7 SRAM blocks, 3 TCAM blocks\n\ndependencies\n    \
            table first -> table second: match\n\ncritical path\n    stage 0: table first\n    stage 1: table second\n";
        assert!(text.ends_with(expected), "{text}");
        assert!(text.contains("stage 1\n    1 of 16 tables\n    16 of 640 bits of ternary keys\n"), "{text}");
        let json = serde_json::to_value(&map).unwrap();
        assert_eq!(json["tables"][1]["parts"][0]["tcam_blocks"], 3);
        let svg = map.to_svg();
        assert_eq!(svg.matches("<path").count(), 1, "one dependency: {svg}");
        assert!(svg.contains(">lpm 16 bits, 5000 entries<"), "{svg}");
    }
}
