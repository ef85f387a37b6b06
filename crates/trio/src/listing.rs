//! The listing: each instruction with what it uses of its word.

use std::fmt::Write as _;

use ir::print;
use serde::Serialize;

use crate::image::Image;
use crate::parameters::Parameters;
use crate::units::{Unit, Units};

/// What each instruction of an image uses of its word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The name of the program.
    pub program: String,
    /// What a word and a thread have.
    pub parameters: Parameters,
    /// The instructions, in their order. The place of one is its address in instruction memory.
    pub lines: Vec<Line>,
    /// The number of words in instruction memory, with those of target blocks.
    pub words: usize,
    /// The number of bytes of a word.
    pub word_bytes: usize,
    /// The number of registers that the program uses.
    pub registers: usize,
}

/// An instruction in its word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The name of the instruction.
    pub name: String,
    /// The line of the source on which it begins, if that is known.
    pub line: Option<u32>,
    /// What it uses.
    pub units: Units,
    /// The transaction in the text of the IR, if there is one.
    pub transaction: Option<String>,
}

impl Listing {
    /// Lists an image.
    pub fn new(image: &Image) -> Self {
        let program = image.program();
        let threads = program.threads.as_ref().expect("an image of threads");
        let lines = threads.instructions.iter().zip(image.words()).enumerate().map(|(place, (instruction, word))| {
            let transaction = instruction.transaction.as_ref();
            Line {
                name: instruction.name.clone(),
                line: image.line(place.into()).map(|line| line.line),
                units: word.units(),
                transaction: transaction.map(|own| print::threads::transaction(program, threads, own).to_string()),
            }
        });
        Self {
            program: program.name.clone(),
            parameters: *image.parameters(),
            lines: lines.collect(),
            words: image.size(),
            word_bytes: image.word_bytes(),
            registers: image.registers().len(),
        }
    }

    /// Returns the listing as text: one line an instruction, and how many of each unit a word has.
    pub fn text(&self) -> String {
        let heads =
            ["instruction", "line", "reads", "writes", "conditions", "moves", "constants", "targets", "transaction"];
        let mut rows = vec![heads.map(str::to_owned)];
        for line in &self.lines {
            let transaction = line.transaction.clone().unwrap_or_default();
            let [reads, writes, conditions, moves, constants, targets] =
                Unit::ALL.map(|unit| format!("{}/{}", line.units.of(unit), self.parameters.of(unit)));
            let at = line.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
            rows.push([line.name.clone(), at, reads, writes, conditions, moves, constants, targets, transaction]);
        }
        let widths: [usize; 9] =
            std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
        let mut text = String::new();
        for row in &rows {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let Self { words, word_bytes, registers, .. } = self;
        let (count, all_registers) = (self.lines.len(), self.parameters.registers);
        let instructions = if count == 1 { "instruction" } else { "instructions" };
        let _ = writeln!(
            text,
            "{count} {instructions}, {registers} of {all_registers} registers, {words} words of {word_bytes} bytes"
        );
        text
    }
}
