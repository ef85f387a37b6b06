//! The facts that compiled code and its helpers know about the program, apart from the code itself.

use std::sync::Arc;

use ir::{Lookup, Program};
use runtime::checksum::Algorithm;

use crate::layout::{Layout, words_of};

/// The data of a program that is needed while it runs.
#[derive(Debug)]
pub(crate) struct ProgramData {
    pub(crate) program: Arc<Program>,
    pub(crate) layout: Arc<Layout>,
    /// The number of words of each register array, all indices together.
    pub(crate) registers: Vec<usize>,
    pub(crate) tables: Vec<TablePlan>,
    /// Lists of fields that are extracted or emitted in sequence, by the numbers that the code uses.
    pub(crate) fields: Vec<Vec<Field>>,
    /// The checksum algorithms, by the numbers that the code uses.
    pub(crate) algorithms: Vec<Algorithm>,
    /// The look-ups of expressions, by the numbers that the code uses.
    pub(crate) lookups: Vec<Lookup>,
    /// The constants that the code points at.
    pub(crate) constants: Vec<Box<[u64]>>,
}

/// A variable that is extracted or emitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The index of its first word.
    pub(crate) start: u32,
    pub(crate) width: u32,
}

/// The data of a table that is needed while the program runs.
#[derive(Debug)]
pub(crate) struct TablePlan {
    /// The number of words that the data of each action takes.
    pub(crate) data_words: Vec<usize>,
    /// Whether a hit by itself neither counts nor measures.
    pub(crate) counts_when_called: bool,
}

impl ProgramData {
    pub(crate) fn new(program: &Arc<Program>) -> Self {
        let layout = Layout::new(program);
        let registers = program.registers.iter();
        let registers = registers.map(|register| register.size() * words_of(register.ty.width()) as usize).collect();
        let tables = program.tables.iter().map(|table| TablePlan {
            data_words: table
                .actions
                .iter()
                .map(|action| {
                    let parameters = &program.functions[action.function.index()].parameters;
                    parameters.iter().map(|&parameter| layout.place(parameter).len()).sum()
                })
                .collect(),
            counts_when_called: table.counts_when_called,
        });
        Self {
            registers,
            tables: tables.collect(),
            layout: Arc::new(layout),
            program: Arc::clone(program),
            fields: Vec::new(),
            algorithms: Vec::new(),
            lookups: Vec::new(),
            constants: Vec::new(),
        }
    }
}
