//! Verification of the invariants that all other code relies on.
//!
//! A program that is accepted here can be printed, read back and interpreted without a panic. The parser and the front
//! ends report errors with source locations; this module serves code that makes programs, so each message quotes the
//! statement that is wrong.

mod calls;
mod declarations;
mod expressions;
mod headers;
mod ids;
mod item;
mod parsers;
mod slots;
mod state;
mod statements;
mod tables;
mod threads;

use crate::placement::Context;
pub use crate::typing::is_name;
use crate::{Constant, Expression, Lookup, Program, Type, typing};

pub use calls::{MAX_CALL_DEPTH, function_called_too_deep};
pub(crate) use declarations::declarations;
pub(crate) use item::{Finding, Item};
use statements::Checker;
pub(crate) use statements::statements;

/// The maximum length of a register array: 2^26 values, which take half a gigabyte in the interpreter.
pub const MAX_REGISTER_LENGTH: u32 = 1 << 26;

/// Verifies a program: ids, names, types, initial values, consistency between its parts, placement of statements,
/// exports. Restricted forms are verified by [`crate::form`].
///
/// # Errors
/// Lists everything that is wrong with the program.
pub fn program(program: &Program) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    declarations(program, &mut errors);
    let findings = structure(program).into_iter();
    errors.extend(findings.map(|Finding { item, message }| format!("{}: {message}", item.describe(program))));
    code(program, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Returns what is wrong with the parts of a program other than statements, variables, registers, exports and names.
/// The parser calls this too.
pub(crate) fn structure(program: &Program) -> Vec<Finding> {
    let mut findings = item::Findings::default();
    headers::headers(program, &mut findings);
    parsers::parsers(program, &mut findings);
    state::state(program, &mut findings);
    tables::tables(program, &mut findings);
    slots::slots(program, &mut findings);
    calls::calls(program, &mut findings);
    threads::threads(program, &mut findings);
    findings.into_vec()
}

/// Reports what is wrong with statements and expressions.
fn code(program: &Program, errors: &mut Vec<String>) {
    for parser in &program.parsers {
        for state in &parser.states {
            statements(program, &state.body, Context::PARSER, errors);
            let quoted = || format!("parser `{}`, state `{}`", parser.name, state.name);
            parsers::selection(&mut Checker { program, quoted: &quoted, errors }, &state.transition);
        }
    }
    for function in &program.functions {
        statements(program, &function.body, Context::FUNCTION, errors);
    }
    for table in &program.tables {
        let quoted = || format!("table `{}`", table.name);
        let mut checker = Checker { program, quoted: &quoted, errors };
        for value in table.keys.iter().map(|key| &key.value).chain(&table.selector) {
            checker.expression(value);
        }
        for action in &table.actions {
            statements(program, &action.before, Context::TABLE, errors);
            statements(program, &action.after, Context::TABLE, errors);
        }
    }
    statements(program, &program.packet, Context::PACKET, errors);
    if let Some(threads) = &program.threads {
        let quoted = || "flow".to_owned();
        let mut checker = Checker { program, quoted: &quoted, errors };
        for value in &threads.flow {
            checker.expression(value);
        }
        for instruction in &threads.instructions {
            let quoted = || format!("instruction `{}`", instruction.name);
            let mut checker = Checker { program, quoted: &quoted, errors };
            for value in instruction.expressions() {
                checker.expression(value);
            }
        }
    }
}

/// Returns what is wrong with a look-up whose words are well typed.
pub(crate) fn lookup(program: &Program, lookup: &Lookup) -> Vec<String> {
    let words = tables::words(program, lookup.table).and_then(|words| typing::keys(words, lookup.keys.len()));
    let answer = tables::answer(program, lookup).map(|_| ());
    let types = lookup.keys.iter().map(|key| typing::word(program.type_of(key)));
    [words, answer, tables::is_pure(program, lookup.table)].into_iter().chain(types).filter_map(Result::err).collect()
}

/// Returns the type of an expression.
///
/// # Errors
/// Lists everything that is wrong with the expression.
pub fn expression(program: &Program, expression: &Expression) -> Result<Type, Vec<String>> {
    let mut errors = Vec::new();
    let quoted = || format!("`{}`", crate::print::expression(program, expression));
    let ty = Checker { program, quoted: &quoted, errors: &mut errors }.expression(expression);
    ty.ok_or(errors)
}

impl Constant {
    /// Returns true if the type has 1 to 64 bits and no bit is set above its width.
    pub fn is_valid(self) -> bool {
        typing::constant(self).is_ok()
    }
}
