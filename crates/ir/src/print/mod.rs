//! The printer of the text form of programs, which [`crate::parse`] reads back to an equal value.
//!
//! Every operator nested in another one has parentheses, so that there are no precedences to know. The grammar is in
//! `docs/ir.md`.

mod code;
mod declarations;
mod expressions;
mod names;
mod state;
mod statements;
mod tables;
pub mod threads;

use std::fmt::{self, Display, Formatter};

use crate::{Expression, Program, Statement};

pub(crate) use declarations::{write_declarations, write_exports};
pub(crate) use expressions::write_operand;
pub(crate) use names::{BRACKETED, RESERVED, title};
pub use names::{
    array, counter, digest, filter, function, header, meter, parser, profile, register, stack, table, value_set,
    variable, wred,
};
pub(crate) use statements::write_block;
pub(crate) use tables::key_name;

/// Formats an expression with the names of its program.
pub fn expression<'p>(program: &'p Program, expression: &'p Expression) -> impl Display + 'p {
    fmt::from_fn(move |f| expressions::write_predicated(f, program, expression))
}

/// Formats a statement with the names of its program. If it has blocks, the text has several lines, without a final
/// line end.
pub fn statement<'p>(program: &'p Program, statement: &'p Statement) -> impl Display + 'p {
    fmt::from_fn(move |f| statements::write_statement(f, program, statement, ""))
}

/// Writes what look-ups need, which pipelines have too: profiles, actions with their parameters, tables.
pub(crate) fn write_tables(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    if state::has_state(program) {
        writeln!(f)?;
    }
    state::write_state(f, program)?;
    code::write_code(f, program)
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", title(&self.name))?;
        write_declarations(f, self)?;
        write_tables(f, self)?;
        state::write_entrances(f, self)?;
        if let Some(threads) = &self.threads {
            threads::write_threads(f, self, threads)?;
        }
        // In a program with entry points, or of threads, the `packet` block is optional.
        let has_entrances = !self.entrances.is_empty() || self.threads.is_some();
        if !has_entrances || !self.packet.is_empty() {
            writeln!(f, "\npacket {{")?;
            write_block(f, self, &self.packet, "  ")?;
            writeln!(f, "}}")?;
        }
        write_exports(f, self)
    }
}
