//! A pipeline as a person looks at it: what each stage does, and where each register lies.

use std::fmt;

use ir::pipeline::{Access, Atom, Pipeline, Placement, Predicate};
use serde::Serialize;

/// What each stage does, and where each register lies. Serialises to what scripts read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageMap {
    /// The stages, in the order in which a packet passes them.
    pub stages: Vec<StageRow>,
    /// Who accesses state.
    pub accesses: Vec<AccessRow>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageRow {
    /// Its number, from 0.
    pub stage: usize,
    /// True if it is there to resolve addresses before any state is accessed (MP5 section 3.3).
    pub resolves_addresses: bool,
    /// What its atoms do.
    pub atoms: Vec<AtomRow>,
}

/// One atom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AtomRow {
    /// The template of a stateful atom; `stateless` for the others.
    pub kind: String,
    /// Its statements.
    pub statements: Vec<String>,
}

/// One access to state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessRow {
    /// The registers that lie together.
    pub registers: Vec<String>,
    /// How many indices they have.
    pub indices: usize,
    /// The stage that accesses them.
    pub stage: u32,
    /// The variable that says where; `None` for scalars.
    pub index: Option<String>,
    /// Which packets access them.
    pub condition: String,
    /// Whether they are spread over the pipelines.
    pub placement: &'static str,
}

impl StageMap {
    /// The map of a pipeline.
    pub fn of(pipeline: &Pipeline) -> Self {
        let stages = pipeline.stages.iter().enumerate().map(|(stage, contents)| StageRow {
            stage,
            resolves_addresses: stage < pipeline.resolution_stages as usize,
            atoms: contents.atoms.iter().map(|atom| AtomRow::of(pipeline, atom)).collect(),
        });
        let accesses = pipeline.accesses.iter().map(|access| AccessRow::of(pipeline, access));
        Self { stages: stages.collect(), accesses: accesses.collect() }
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
                Predicate::Resolved(condition) => format!("if {}", show(condition)),
                Predicate::Conservative(condition) => format!("if {}, known late", show(condition)),
            },
            placement: match access.placement {
                Placement::Sharded => "sharded by index",
                Placement::Pinned => "in one pipeline",
            },
        }
    }
}

impl fmt::Display for StageMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.stages {
            let purpose = if row.resolves_addresses { "  (resolves addresses)" } else { "" };
            writeln!(f, "stage {}{purpose}", row.stage)?;
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_shows_stages_atoms_and_where_registers_lie() {
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
}
