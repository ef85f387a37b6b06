//! Fits a program to a machine with pipelines, and reports the result.

use std::fmt;

use atoms::{Counterexample, Least, Premise};
use ir::Program;
use passes::{Codelet, Codelets, Compiled, Observer};
use serde::Serialize;

use crate::machine::MachinePlan;
use crate::stage_map::StageMap;
use diagnostics::Failure;

/// Fits a program without a parser to a machine, and notifies `observer` of each pass.
///
/// # Errors
/// If the machine cannot hold the program; the failure is a resource report.
pub fn fit(program: &Program, plan: &MachinePlan, observer: &mut dyn Observer) -> Result<Compiled, Failure> {
    passes::compile(program, &plan.target, plan.layout(), observer)
        .map_err(|failure| Failure::DoesNotFit(failure.to_string().trim_end().to_owned() + "\n"))
}

/// A report of how a program was fitted to a machine.
#[derive(Clone, Debug, Serialize)]
pub struct FitReport {
    /// The name of the program.
    pub program: String,
    /// The name of the machine.
    pub machine: String,
    /// The number of parallel pipelines; for a machine with a single pipeline, its speedup over one of them.
    pub pipelines: usize,
    /// Whether the machine has parallel pipelines.
    #[serde(skip)]
    pub is_parallel: bool,
    /// The number of stages that the program takes.
    pub stages: usize,
    /// The number of stages that the machine has.
    pub stages_offered: u32,
    /// The work of each stage, and the places of registers and tables.
    pub map: StageMap,
    /// The updates of registers, one for each codelet.
    pub codelets: Vec<CodeletRow>,
    /// The addresses and conditions that could not be resolved before the first stateful stage, with the reason: one
    /// sentence each.
    pub unresolved: Vec<String>,
}

/// An update of registers by one atom, a codelet.
#[derive(Clone, Debug, Serialize)]
pub struct CodeletRow {
    /// The registers that it updates.
    pub registers: Vec<String>,
    /// The least atom that computes it for all 32-bit inputs; `None` if no atom does.
    pub least_atom: Option<String>,
    /// The least atom under the premise that the program's own sums do not overflow, if it is a different one.
    pub least_atom_without_overflow: Option<String>,
    /// The reason why no atom computes it, if none does.
    pub reason: Option<String>,
    /// Inputs for which the program and the least atom without overflow differ, in words.
    pub overflow: Option<String>,
    /// The configuration of the machine's atom.
    pub configuration: Option<String>,
}

impl FitReport {
    /// Returns the report of a fitted program.
    pub fn of(compiled: &Compiled, plan: &MachinePlan) -> Self {
        Self {
            program: compiled.pipeline.program.name.clone(),
            machine: plan.name.to_owned(),
            pipelines: plan.parameters.pipelines(),
            is_parallel: plan.is_parallel(),
            stages: compiled.pipeline.depth(),
            stages_offered: plan.target.depth,
            map: StageMap::fitted(compiled, &plan.target),
            codelets: CodeletRow::all(&compiled.codelets),
            unresolved: compiled.unresolved.iter().map(ToString::to_string).collect(),
        }
    }
}

impl CodeletRow {
    /// Returns a row for each codelet.
    pub fn all(codelets: &Codelets) -> Vec<Self> {
        codelets.all.iter().zip(codelets.least()).map(|(codelet, least)| Self::of(codelet, least)).collect()
    }

    fn of(codelet: &Codelet, least: Option<Least>) -> Self {
        let exact = least.as_ref().map(|least| least.under(Premise::None));
        let bounded = least.as_ref().and_then(|least| least.under(Premise::NoOverflow).ok());
        let least_atom = match exact {
            // Every atom can compute a codelet that only reads.
            None => Some("read".to_owned()),
            Some(exact) => exact.ok().map(|mapping| mapping.template.to_string()),
        };
        let bounded = bounded.filter(|mapping| Some(mapping.template.to_string()) != least_atom);
        Self {
            registers: codelet.registers.clone(),
            least_atom_without_overflow: bounded.map(|mapping| mapping.template.to_string()),
            overflow: bounded.and_then(|mapping| mapping.differs.as_ref()).map(in_words),
            reason: exact.and_then(Result::err).map(ToString::to_string),
            least_atom,
            configuration: codelet.mapping.as_ref().map(|mapping| mapping.configuration.to_string()),
        }
    }
}

/// Describes a counterexample, such as "with a = 1, b = 2 the program makes 3, the atom 4".
fn in_words(counterexample: &Counterexample) -> String {
    let inputs: Vec<String> = counterexample.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let outcomes: Vec<String> = counterexample
        .outcomes
        .iter()
        .map(|(program, atom)| format!("the program makes {program}, the atom {atom}"))
        .collect();
    format!("with {} {}", inputs.join(", "), outcomes.join("; "))
}

impl fmt::Display for CodeletRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.registers.join(" and "))?;
        match (&self.least_atom, &self.reason) {
            (Some(atom), _) => f.write_str(atom)?,
            (None, Some(reason)) => write!(f, "no atom for all inputs ({reason})")?,
            (None, None) => f.write_str("no atom")?,
        }
        if let Some(atom) = &self.least_atom_without_overflow {
            write!(f, "; {atom} if no sum of the program overflows")?;
            if let Some(overflow) = &self.overflow {
                write!(f, " (counterexample: {overflow})")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for FitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pipelines = match (self.is_parallel, self.pipelines) {
            (false, _) | (_, 1) => "one pipeline".to_owned(),
            (_, pipelines) => format!("{pipelines} pipelines"),
        };
        writeln!(f, "{} on {}, {pipelines}", self.program, self.machine)?;
        writeln!(f, "{} of {} stages\n", self.stages, self.stages_offered)?;
        self.map.fmt(f)?;
        if !self.codelets.is_empty() {
            writeln!(f, "\nleast atoms")?;
        }
        for codelet in &self.codelets {
            writeln!(f, "    {codelet}")?;
        }
        // If all state is in one pipeline, no address has to be resolved in advance.
        if !self.is_parallel {
            return Ok(());
        }
        writeln!(f, "\nnot resolved in advance")?;
        if self.unresolved.is_empty() {
            writeln!(f, "    nothing: every index and condition is known before the first stateful stage")?;
        }
        for sentence in &self.unresolved {
            writeln!(f, "    {sentence}")?;
        }
        Ok(())
    }
}
