//! What compiled code and its helpers know of the program, beside what is in the code itself.

use std::sync::Arc;

use ir::{Lookup, Program};
use runtime::checksum::Algorithm;

use crate::layout::{Layout, words_of};

/// What is known of a program while it runs.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) program: Arc<Program>,
    pub(crate) layout: Arc<Layout>,
    /// How many words each register takes, all its indices together.
    pub(crate) registers: Vec<usize>,
    pub(crate) tables: Vec<TablePlan>,
    /// Fields that are read or emitted one behind the other, by the numbers that the code has for the lists.
    pub(crate) fields: Vec<Vec<Field>>,
    /// The algorithms of checksums, by the numbers that the code has for them.
    pub(crate) algorithms: Vec<Algorithm>,
    /// The look-ups of expressions, by the numbers that the code has for them.
    pub(crate) lookups: Vec<Lookup>,
    /// Constants that the code points at.
    pub(crate) constants: Vec<Box<[u64]>>,
}

/// A variable that is read or emitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Where its words begin.
    pub(crate) start: u32,
    pub(crate) width: u32,
}

/// What is known of a table.
#[derive(Debug)]
pub(crate) struct TablePlan {
    /// How many words the data of each action take.
    pub(crate) data_words: Vec<usize>,
}

impl Plan {
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
