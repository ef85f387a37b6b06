//! A program fitted to a machine, and what a person wants to know of that.

use std::fmt;

use ir::Program;
use passes::atoms::{Counterexample, Least, Premise};
use passes::{Codelet, Codelets, Compiled, Observer};
use serde::Serialize;

use crate::machine::MachinePlan;
use crate::stage_map::StageMap;
use diagnostics::Failure;

/// Fits a program to a machine, and tells `observer` of each step.
///
/// # Errors
/// A resource report, if the machine cannot hold it.
pub fn fit(program: &Program, plan: &MachinePlan, observer: &mut dyn Observer) -> Result<Compiled, Failure> {
    passes::compile(program, &plan.target, plan.layout(), observer)
        .map_err(|failure| Failure::DoesNotFit(failure.to_string().trim_end().to_owned() + "\n"))
}

/// What came of fitting a program to a machine. Serialises to what scripts read.
#[derive(Clone, Debug, Serialize)]
pub struct FitReport {
    /// The program.
    pub program: String,
    /// The machine.
    pub machine: String,
    /// How many pipelines it has; where there is one, as how many it is as fast.
    pub pipelines: usize,
    /// Whether there are several side by side.
    #[serde(skip)]
    pub is_parallel: bool,
    /// How many stages the program takes.
    pub stages: usize,
    /// How many stages the machine has.
    pub stages_offered: u32,
    /// The program in stages, and where its registers lie.
    pub map: StageMap,
    /// The updates of state.
    pub codelets: Vec<CodeletRow>,
    /// What could not be resolved in advance, and why, a sentence each.
    pub unresolved: Vec<String>,
}

/// An update of registers by one atom.
#[derive(Clone, Debug, Serialize)]
pub struct CodeletRow {
    /// Its registers.
    pub registers: Vec<String>,
    /// The least atom that computes it for all 32-bit inputs; `None` if none does.
    pub least_atom: Option<String>,
    /// The least atom if the program's own sums do not overflow, where that is another one.
    pub least_atom_without_overflow: Option<String>,
    /// Why none does, if none does.
    pub reason: Option<String>,
    /// Inputs for which the atom without overflow and the program differ, in words.
    pub overflow: Option<String>,
    /// How the machine's atom is configured.
    pub configuration: Option<String>,
}

impl FitReport {
    /// The report of a fitted program.
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
    /// A row for each codelet.
    pub fn all(codelets: &Codelets) -> Vec<Self> {
        codelets.all.iter().zip(codelets.least()).map(|(codelet, least)| Self::of(codelet, least)).collect()
    }

    fn of(codelet: &Codelet, least: Option<Least>) -> Self {
        let exact = least.as_ref().map(|least| least.under(Premise::None));
        let bounded = least.as_ref().and_then(|least| least.under(Premise::NoOverflow).ok());
        let least_atom = match exact {
            // A codelet that only reads is in the power of every atom.
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

/// Such as "with a = 1, b = 2 the program makes 3, the atom 4".
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
                write!(f, " (not else: {overflow})")?;
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
        // Nothing has to be known in advance where all state lies in one pipeline.
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
