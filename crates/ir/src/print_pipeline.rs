//! The text form of pipelines.

use std::fmt::{self, Display, Formatter};

use crate::Program;
use crate::pipeline::{Access, Atom, Division, Pipeline, Predicate, StageKind};
use crate::print::{register, title, write_block, write_declarations, write_exports, write_operand, write_tables};
use crate::statement::Statement;

impl Display for Pipeline {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let program = &self.program;
        writeln!(f, "pipeline {}", title(&program.name))?;
        write_declarations(f, program)?;
        write_tables(f, program)?;
        writeln!(f, "\nresolution {}", self.early_stages)?;
        match self.kind {
            StageKind::Banzai => (),
            StageKind::MatchAction => writeln!(f, "stages match_action")?,
        }
        for (number, stage) in self.stages.iter().enumerate() {
            writeln!(f, "stage {{ // {number}")?;
            stage.atoms.iter().try_for_each(|atom| write_atom(f, program, atom))?;
            writeln!(f, "}}")?;
        }
        self.accesses.iter().try_for_each(|access| write_access(f, program, access))?;
        write_exports(f, program)
    }
}

fn write_atom(f: &mut Formatter<'_>, program: &Program, atom: &Atom) -> fmt::Result {
    f.write_str("  atom ")?;
    if let Some(template) = &atom.template {
        write!(f, "{} ", title(template))?;
    }
    match atom.body.as_slice() {
        [single @ (Statement::Assign { .. } | Statement::Write { .. })] => {
            writeln!(f, "{{ {} }}", crate::print::statement(program, single))
        }
        several => {
            writeln!(f, "{{")?;
            write_block(f, program, several, "    ")?;
            writeln!(f, "  }}")
        }
    }
}

fn write_access(f: &mut Formatter<'_>, program: &Program, access: &Access) -> fmt::Result {
    f.write_str("access")?;
    for &id in &access.registers {
        write!(f, " {}", register(program, id))?;
    }
    write!(f, " stage {}", access.stage)?;
    if let Some(index) = &access.index {
        f.write_str(" index ")?;
        write_operand(f, program, index)?;
    }
    match &access.predicate {
        Predicate::Always => f.write_str(" always")?,
        Predicate::Early(predicate) => {
            f.write_str(" if ")?;
            write_operand(f, program, predicate)?;
        }
        Predicate::Late(predicate) => {
            f.write_str(" if-late ")?;
            write_operand(f, program, predicate)?;
        }
    }
    f.write_str(match access.division {
        Division::ByIndex => " sharded\n",
        Division::Whole => " pinned\n",
    })
}
