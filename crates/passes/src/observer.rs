//! Watching the passes at work: who wants to know what a pass made of a program asks for its text, and nobody else pays
//! for one.

use std::fmt;

use ir::Program;
use ir::pipeline::Pipeline;

use crate::units::{self, Unit};

/// Is told what [`compile`](crate::compile()) does, while it does it.
pub trait Observer {
    /// A step begins: one of [`PASSES`](crate::PASSES), or the search for the smallest machine.
    fn begins(&mut self, _step: &str) {}

    /// A pass, one of [`PASSES`](crate::PASSES), is done, and refused nothing.
    fn ends(&mut self, _pass: &'static str, _made: Made<'_>) {}
}

/// Observes nothing.
impl Observer for () {}

/// What a pass made of a program. It prints as the IR's text, which parses back: a program, or a pipeline after one of the
/// last two passes.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Program(&'a Program),
    /// The variables and registers of a program, and its code in units.
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
