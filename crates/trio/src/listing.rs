//! The listing: each instruction with what it uses of its word.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ir::threads::InstructionId;
use ir::{Expression, Program, print};

use crate::fit::fit;
use crate::misfit::Misfit;
use crate::parameters::Parameters;
use crate::units::{Unit, Units};

/// A program whose instructions each fit in a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The instructions, in their order.
    pub lines: Vec<Line>,
    /// The number of registers that the program uses.
    pub registers: u32,
    parameters: Parameters,
}

/// An instruction in its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The name of the instruction.
    pub name: String,
    /// What it uses.
    pub units: Units,
    /// The transaction in the text of the IR, if there is one.
    pub transaction: Option<String>,
}

impl Listing {
    /// Maps each instruction of a program to a word.
    ///
    /// # Errors
    /// Returns everything that does not fit, in the order of the instructions.
    ///
    /// # Panics
    /// If the program is not one of threads, or not valid ([`ir::verify::program`]).
    pub fn new(program: &Program, parameters: &Parameters) -> Result<Self, Vec<Misfit>> {
        let threads = program.threads.as_ref().expect("a program of threads");
        let mut misfits = Vec::new();
        let mut lines = Vec::new();
        for (place, instruction) in threads.instructions.iter().enumerate() {
            let (units, found) = fit(program, InstructionId::from(place), instruction, parameters);
            misfits.extend(found);
            let transaction = instruction.transaction.as_ref();
            let transaction =
                transaction.map(|transaction| print::threads::transaction(program, threads, transaction).to_string());
            lines.push(Line { name: instruction.name.clone(), units, transaction });
        }
        let registers = registers(program);
        if registers > parameters.registers {
            misfits.push(Misfit {
                instruction: None,
                message: format!("the program needs {registers} registers, a thread has {}", parameters.registers),
                advice: "declare some variables as `memory`".to_owned(),
            });
        }
        if misfits.is_empty() { Ok(Self { lines, registers, parameters: *parameters }) } else { Err(misfits) }
    }

    /// Returns the listing as text: one line an instruction, and how many of each unit a word has.
    pub fn text(&self) -> String {
        let heads = ["instruction", "reads", "writes", "conditions", "moves", "constants", "targets", "transaction"];
        let mut rows = vec![heads.map(str::to_owned)];
        for line in &self.lines {
            let transaction = line.transaction.clone().unwrap_or_default();
            let [reads, writes, conditions, moves, constants, targets] =
                Unit::ALL.map(|unit| format!("{}/{}", line.units.of(unit), self.parameters.of(unit)));
            rows.push([line.name.clone(), reads, writes, conditions, moves, constants, targets, transaction]);
        }
        let widths: [usize; 8] =
            std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let (count, registers, all) = (self.lines.len(), self.registers, self.parameters.registers);
        let _ = writeln!(text, "{count} instructions, {registers} of {all} registers");
        text
    }
}

/// Returns how many registers a program uses: one for each variable that an instruction names.
fn registers(program: &Program) -> u32 {
    let threads = program.threads.as_ref().expect("a program of threads");
    let mut used = BTreeSet::new();
    for expression in threads.expressions() {
        expression.walk(&mut |part| {
            if let Expression::Variable(variable) = part {
                used.insert(variable.index());
            }
        });
    }
    for instruction in &threads.instructions {
        for step in &instruction.moves {
            match &step.place {
                ir::threads::Place::Variable(variable) | ir::threads::Place::Bits { variable, .. } => {
                    used.insert(variable.index());
                }
                ir::threads::Place::Memory(_) => {}
            }
        }
        if let Some(transaction) = &instruction.transaction
            && let ir::threads::Destination::Variables(variables) = &transaction.reply
        {
            used.extend(variables.iter().flatten().map(|variable| variable.index()));
        }
    }
    used.len() as u32
}
