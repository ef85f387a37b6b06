//! The printer of instructions.

use std::fmt::{self, Display, Formatter};

use super::super::expressions::{write_field, write_operand, write_plain};
use super::super::names::{comma, title, variable};
use super::instruction;
use super::operations::write_operation;
use crate::threads::{Destination, Instruction, Move, Next, Place, Transaction};
use crate::{Program, Threads};

pub(super) fn write_instruction(
    f: &mut Formatter<'_>,
    program: &Program,
    threads: &Threads,
    written: &Instruction,
) -> fmt::Result {
    let waits = if written.waits { " waits" } else { "" };
    writeln!(f, "\ninstruction {}{waits} {{", title(&written.name))?;
    for step in &written.moves {
        writeln!(f, "  {}", self::step(program, step))?;
    }
    if let Some(transaction) = &written.transaction {
        writeln!(f, "  {}", self::transaction(program, threads, transaction))?;
    }
    for (condition, next) in &written.branch.cases {
        write!(f, "  {} if ", way(program, threads, next))?;
        write_plain(f, program, condition)?;
        writeln!(f)?;
    }
    writeln!(f, "  {}\n}}", way(program, threads, &written.branch.otherwise))
}

/// Formats a move.
pub fn step<'p>(program: &'p Program, step: &'p Move) -> impl Display + 'p {
    fmt::from_fn(move |f| {
        match &step.place {
            Place::Variable(id) => variable(program, *id).fmt(f)?,
            Place::Bits { variable: id, high, low } => write!(f, "{}[{high}:{low}]", variable(program, *id))?,
            Place::Memory(field) => write_field(f, program, field)?,
        }
        f.write_str(" = ")?;
        write_plain(f, program, &step.value)?;
        match &step.condition {
            Some(condition) => {
                f.write_str(" if ")?;
                write_operand(f, program, condition)
            }
            None => Ok(()),
        }
    })
}

/// Formats a transaction with the destination of its reply.
pub fn transaction<'p>(program: &'p Program, threads: &'p Threads, written: &'p Transaction) -> impl Display + 'p {
    fmt::from_fn(move |f| {
        if written.is_asynchronous {
            f.write_str("async ")?;
        }
        write_operation(f, program, threads, &written.operation)?;
        match &written.reply {
            Destination::Nothing => Ok(()),
            Destination::Variables(variables) => {
                f.write_str(" -> ")?;
                for (place, target) in variables.iter().enumerate() {
                    f.write_str(comma(place))?;
                    match target {
                        Some(id) => variable(program, *id).fmt(f)?,
                        None => f.write_str("_")?,
                    }
                }
                Ok(())
            }
            Destination::Memory(address) => {
                f.write_str(" -> memory ")?;
                write_plain(f, program, address)
            }
        }
    })
}

/// Formats the way that a branch leads.
pub fn way<'p>(program: &'p Program, threads: &'p Threads, next: &'p Next) -> impl Display + 'p {
    fmt::from_fn(move |f| match next {
        Next::Goto(to) => write!(f, "goto {}", instruction(threads, *to)),
        Next::Jump(to) => {
            f.write_str("jump ")?;
            write_plain(f, program, to)
        }
        Next::Call { to, then } => {
            write!(f, "call {} then {}", instruction(threads, *to), instruction(threads, *then))
        }
        Next::Return => f.write_str("return"),
        Next::End => f.write_str("end"),
    })
}
