//! The printer of parsers, functions and tables.

use std::fmt::{self, Display, Formatter};

use super::expressions::{write_operand, write_plain};
use super::names::{comma, function, title, value_set};
use super::statements::{variables_of, write_block, write_braces};
use super::tables::write_table;
use crate::parser::{Case, Next, Parser, Set, Transition};
use crate::{Flow, Function, FunctionKind, Program, Statement, TableId};

/// Writes parsers, then functions. A table precedes the first function that applies it.
pub(super) fn write_code(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    program.parsers.iter().try_for_each(|parser| write_parser(f, program, parser))?;
    // Tables are numbered in the order of the text, so all tables of lower numbers have to come first.
    let mut written = 0;
    for function in &program.functions {
        let needed = applied(&function.body).map_or(0, |table| table.index() + 1).min(program.tables.len());
        for table in program.tables.get(written..needed).unwrap_or_default() {
            write_table(f, program, table)?;
        }
        written = written.max(needed);
        write_function(f, program, function)?;
    }
    program.tables[written..].iter().try_for_each(|table| write_table(f, program, table))
}

/// The last of the tables that are applied in a block.
fn applied(block: &[Statement]) -> Option<TableId> {
    let mut last = None;
    for statement in block {
        statement.walk(&mut |inner| {
            if let Statement::Flow(Flow::Apply { table, .. }) = inner {
                last = last.max(Some(*table));
            }
        });
    }
    last
}

fn write_function(f: &mut Formatter<'_>, program: &Program, function: &Function) -> fmt::Result {
    let word = match function.kind {
        FunctionKind::Control => "control",
        FunctionKind::Action => "action",
        FunctionKind::Function => "function",
    };
    write!(f, "\n{word} {}", title(&function.name))?;
    if function.kind == FunctionKind::Action || !function.parameters.is_empty() {
        write!(f, "({})", variables_of(program, &function.parameters))?;
    }
    write_braces(f, program, &function.body, "")?;
    writeln!(f)
}

fn write_parser(f: &mut Formatter<'_>, program: &Program, parser: &Parser) -> fmt::Result {
    writeln!(f, "\nparser {} {{", title(&parser.name))?;
    for state in &parser.states {
        writeln!(f, "  state {} {{", title(&state.name))?;
        write_block(f, program, &state.body, "    ")?;
        match &state.transition {
            Transition::To(next) => writeln!(f, "    transition {}", self::next(parser, *next))?,
            Transition::Select { keys, cases } => {
                f.write_str("    select (")?;
                for (place, key) in keys.iter().enumerate() {
                    f.write_str(comma(place))?;
                    write_plain(f, program, key)?;
                }
                writeln!(f, ") {{")?;
                cases.iter().try_for_each(|case| write_case(f, program, parser, case))?;
                writeln!(f, "    }}")?;
            }
        }
        writeln!(f, "  }}")?;
    }
    writeln!(f, "}}")
}

fn write_case(f: &mut Formatter<'_>, program: &Program, parser: &Parser, case: &Case) -> fmt::Result {
    f.write_str("      ")?;
    for (place, set) in case.sets.iter().enumerate() {
        f.write_str(comma(place))?;
        write_set(f, program, set)?;
    }
    writeln!(f, " => {}", next(parser, case.next))
}

fn write_set(f: &mut Formatter<'_>, program: &Program, set: &Set) -> fmt::Result {
    let pair = |f: &mut Formatter<'_>, first, sign, second| {
        write_operand(f, program, first)?;
        f.write_str(sign)?;
        write_operand(f, program, second)
    };
    match set {
        Set::Value(value) => write_plain(f, program, value),
        Set::Mask(value, mask) => pair(f, value, " &&& ", mask),
        Set::Range(low, high) => pair(f, low, " .. ", high),
        Set::ValueSet(id) => write!(f, "value_set({})", value_set(program, *id)),
        Set::Any => f.write_str("_"),
    }
}

fn next(parser: &Parser, next: Next) -> impl Display + '_ {
    fmt::from_fn(move |f| match next {
        Next::Accept => f.write_str("accept"),
        Next::Reject => f.write_str("reject"),
        Next::State(id) => match parser.states.get(id.index()) {
            // A state named `accept` or `reject` is written in quotes.
            Some(state) if matches!(state.name.as_str(), "accept" | "reject") => write!(f, "\"{}\"", state.name),
            Some(state) => title(&state.name).fmt(f),
            None => write!(f, "<state {}>", id.index()),
        },
    })
}

/// The name of the function of a table's action.
pub(super) fn action<'p>(program: &'p Program, table: &'p crate::Table, number: u32) -> impl Display + 'p {
    fmt::from_fn(move |f| match table.actions.get(number as usize) {
        Some(action) => function(program, action.function).fmt(f),
        None => write!(f, "<action {number}>"),
    })
}
