//! The parser of the text form of programs and pipelines, as [`crate::print`] writes it and as people write it in
//! tests.
//!
//! A text is read line by line. An error ends its line, and reading continues with the next one, so that one run
//! reports errors everywhere. What is read without an error is well typed: [`crate::verify::program`] accepts it. No
//! text makes the parser panic or recurse without bound.

mod calls;
mod cursor;
mod declarations;
mod expressions;
mod flow;
mod functions;
mod groups;
mod lexer;
mod numbers;
mod packet;
mod pipeline;
mod registers;
mod scan;
mod scope;
mod select;
mod shared;
mod state;
mod statements;
mod tables;
mod targets;
mod threads;

use std::fmt;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use crate::Program;
use crate::pipeline::Pipeline;
use crate::placement::Context;
use cursor::Cursor;
use scope::Scope;

/// The maximum depth of nesting of expressions and blocks in a text, counted in parentheses, unary operators and
/// blocks.
pub const MAX_DEPTH: u32 = 400;

/// The errors in a text, together with the text itself, so that [`fmt::Display`] can show the source lines.
#[derive(Clone)]
pub struct Failure {
    /// The text.
    pub sources: Sources,
    /// The mistakes in it: at least one error.
    pub diagnostics: Diagnostics,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.sources, false))
    }
}

/// Formats like [`fmt::Display`], so that `unwrap` in a test shows the source lines.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Failure {}

/// Reads a program. Diagnostics refer to the text as `name`.
///
/// # Errors
/// Reports everything that is wrong with the text.
pub fn program(name: &str, text: &str) -> Result<Program, Failure> {
    read(name, text, program_in)
}

/// Reads a pipeline. Diagnostics refer to the text as `name`. Its text must be well typed; the other invariants of a
/// pipeline are checked by [`Pipeline::verify`].
///
/// # Errors
/// Reports everything that is wrong with the text.
pub fn pipeline(name: &str, text: &str) -> Result<Pipeline, Failure> {
    read(name, text, pipeline_in)
}

/// Reads a program from a text that is held by the caller.
///
/// # Errors
/// Reports everything that is wrong with the text.
pub fn program_in(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    let mut parser = Parser::new(sources.text(source), source);
    let program = parser.program();
    parser.finish(program)
}

/// Reads a pipeline from a text that is held by the caller.
///
/// # Errors
/// Reports everything that is wrong with the text.
pub fn pipeline_in(sources: &Sources, source: SourceId) -> Result<Pipeline, Diagnostics> {
    let mut parser = Parser::new(sources.text(source), source);
    let pipeline = parser.pipeline();
    parser.finish(pipeline)
}

fn read<T>(
    name: &str,
    text: &str,
    reader: impl FnOnce(&Sources, SourceId) -> Result<T, Diagnostics>,
) -> Result<T, Failure> {
    let mut sources = Sources::new();
    let source = sources.add(name, text);
    reader(&sources, source).map_err(|diagnostics| Failure { sources, diagnostics })
}

/// Marks that an error has been reported and that the rest of the line is to be skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// The parser of one text.
struct Parser<'t> {
    cursor: Cursor<'t>,
    scope: Scope,
    /// The number of parentheses, unary operators and blocks that are open.
    depth: u32,
    /// Whether it has been reported that the text ends inside something.
    ended: bool,
    /// The surroundings of the next statement.
    context: Context,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, source: SourceId) -> Self {
        Self {
            cursor: Cursor::new(text, source),
            scope: Scope::default(),
            depth: 0,
            ended: false,
            context: Context::PACKET,
        }
    }

    fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        let mut findings = self.cursor.into_findings();
        // The lexer runs first, but people read findings from top to bottom.
        findings.sort_by_key(|finding| finding.span.map(|span| span.start));
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(findings);
        diagnostics.into_result(value)
    }

    /// Reports the error of a rule of [`crate::typing`], if it failed.
    fn check<T>(&mut self, span: Span, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|message| self.cursor.report(Diagnostic::error(span, message))).ok()
    }
}
