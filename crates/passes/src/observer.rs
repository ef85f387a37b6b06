//! Observation of the passes while they run. The text of a program is produced only if an observer asks for it.

use std::fmt;

use ir::Program;
use ir::pipeline::Pipeline;

use crate::units::{self, Unit};

/// A receiver of progress reports from [`compile`](crate::compile()).
pub trait Observer {
    /// Called when a step begins: one of [`PASSES`](crate::PASSES), or the search for the smallest machine.
    fn begins(&mut self, _step: &str) {}

    /// Called when one of [`PASSES`](crate::PASSES) has finished without refusing the program.
    fn ends(&mut self, _pass: &'static str, _made: Made<'_>) {}
}

/// The observer that ignores everything.
impl Observer for () {}

/// The output of a pass. It prints as IR text that parses back: as a pipeline after one of the last two passes, and as
/// a program after all others.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Program(&'a Program),
    /// A program whose code has been cut into units; of the program itself, only the declarations count.
    Units(&'a Program, &'a [Unit]),
    Pipeline(&'a Pipeline),
}

impl<'a> Made<'a> {
    pub(crate) fn program(program: &'a Program) -> Self {
        Self(Form::Program(program))
    }

    pub(crate) fn units(program: &'a Program, units: &'a [Unit]) -> Self {
        Self(Form::Units(program, units))
    }

    pub(crate) fn pipeline(pipeline: &'a Pipeline) -> Self {
        Self(Form::Pipeline(pipeline))
    }
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Program(program) => program.fmt(f),
            Form::Units(program, units) => units::as_program(program, units).fmt(f),
            Form::Pipeline(pipeline) => pipeline.fmt(f),
        }
    }
}
