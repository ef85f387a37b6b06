//! Reads the text of programs and pipelines: what [`crate::print`] writes, and what people write in tests.
//!
//! A text is read line by line. An error ends its line, and reading goes on with the next one, so that one run
//! shows what is wrong everywhere. What is read without an error is well typed: [`crate::verify::program`] accepts
//! it. No text makes the reader panic or recurse without bound.

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

use std::fmt;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use crate::Program;
use crate::pipeline::Pipeline;
use crate::placement::Context;
use cursor::Cursor;
use scope::Scope;

/// How deeply expressions and blocks may be nested in a text, counted in parentheses, unary operators and blocks.
pub const MAX_DEPTH: u32 = 400;

/// Why a text was refused, with all that is needed to show it. [`fmt::Display`] renders it.
#[derive(Clone)]
pub struct Failure {
    /// The text.
    pub sources: Sources,
    /// What is wrong with it; at least one error.
    pub diagnostics: Diagnostics,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.sources, false))
    }
}

/// As [`fmt::Display`], so that `unwrap` in a test shows the place.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Failure {}

/// Reads a program; diagnostics call the text `name`.
pub fn program(name: &str, text: &str) -> Result<Program, Failure> {
    read(name, text, program_in)
}

/// Reads a pipeline; diagnostics call the text `name`. Its text must be well typed; the further invariants of a
/// pipeline are for [`Pipeline::verify`].
pub fn pipeline(name: &str, text: &str) -> Result<Pipeline, Failure> {
    read(name, text, pipeline_in)
}

/// Reads a program from a text that the caller keeps.
pub fn program_in(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    let mut parser = Parser::new(sources.text(source), source);
    let program = parser.program();
    parser.finish(program)
}

/// Reads a pipeline from a text that the caller keeps.
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

/// The mark of an error that has been reported: the line is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads one text.
struct Parser<'t> {
    cursor: Cursor<'t>,
    scope: Scope,
    /// How many parentheses, unary operators and blocks are open.
    depth: u32,
    /// The end of the text inside something has been reported.
    ended: bool,
    /// Where the next statement stands.
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
        // The lexer goes first, yet a person reads from top to bottom.
        findings.sort_by_key(|finding| finding.span.map(|span| span.start));
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(findings);
        diagnostics.into_result(value)
    }

    /// Reports what a rule of [`crate::typing`] found.
    fn check<T>(&mut self, span: Span, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|message| self.cursor.report(Diagnostic::error(span, message))).ok()
    }
}
