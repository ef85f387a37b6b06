//! Images: what a chip loads.

mod file;
mod text;

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::interpret::threads::Declarations;
use ir::threads::{Destination, Instruction, InstructionId, Place};
use ir::{Expression, Program, VariableId};

use crate::disassemble;
use crate::encoding::{self, Damage, Layout, MOST_WORDS};
use crate::execute::Code;
use crate::map::map;
use crate::misfit::Misfit;
use crate::parameters::Parameters;
use crate::word::Word;

/// A compiled program: its words as they lie in instruction memory, what the program declares beside them, and labels and lines
/// for people. A chip loads it and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    parameters: Parameters,
    /// The program, whose instructions are those that the words are.
    program: Arc<Program>,
    words: Vec<Word>,
    layout: Layout,
    lines: Vec<Option<SourceLine>>,
}

/// Where an instruction was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The path of the text.
    pub file: String,
    /// The number of the line, from 1 on.
    pub line: u32,
}

impl Image {
    /// Maps each instruction of a program to a word. `lines` says where they were written, if that is known.
    ///
    /// # Errors
    /// Returns everything that does not fit, in the order of the instructions.
    ///
    /// # Panics
    /// If the program is not one of threads, or not valid ([`ir::verify::program`]).
    pub fn new(
        program: &Program,
        parameters: &Parameters,
        lines: Vec<Option<SourceLine>>,
    ) -> Result<Self, Vec<Misfit>> {
        let threads = program.threads.as_ref().expect("a program of threads");
        if let Err(message) = parameters.check() {
            return Err(vec![Misfit { instruction: None, message, advice: "take fewer units".to_owned() }]);
        }
        let mut misfits = Vec::new();
        let mut words = Vec::new();
        for (place, instruction) in threads.instructions.iter().enumerate() {
            match map(program, InstructionId::from(place), instruction, parameters) {
                Ok(word) => words.push(word),
                Err(found) => misfits.extend(found),
            }
        }
        let registers = registers(&threads.instructions);
        if registers.len() as u32 > parameters.registers {
            let needed = registers.len();
            misfits.push(Misfit {
                instruction: None,
                message: format!("the program needs {needed} registers, a thread has {}", parameters.registers),
                advice: "declare some variables as `memory`".to_owned(),
            });
        }
        if !misfits.is_empty() {
            return Err(misfits);
        }
        let layout = Layout::new(registers, &words);
        if layout.instructions.len() > MOST_WORDS {
            let needed = layout.instructions.len();
            return Err(vec![Misfit {
                instruction: None,
                message: format!("the program needs {needed} words of instruction memory, which has {MOST_WORDS}"),
                advice: "use subroutines, and branches with fewer targets".to_owned(),
            }]);
        }
        let names = threads.instructions.iter().map(|instruction| &*instruction.name);
        let made = disassembled(program, names, &words).and_then(|program| {
            let lines = (0..words.len()).map(|place| lines.get(place).cloned().flatten()).collect();
            let image = Self { parameters: *parameters, program: Arc::new(program), words, layout, lines };
            // Whatever is made is read again when a chip is built.
            image.memory().map(|_| image)
        });
        made.map_err(|Damage(why)| {
            vec![Misfit { instruction: None, message: why, advice: "write the instruction in another way".to_owned() }]
        })
    }

    /// Returns the units of its words.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the program as instructions of the IR, which are those that the words are: a disassembly. It runs as the words do.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the words, by the numbers of their instructions.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Returns the place of an instruction in its source, if the image knows it.
    pub fn line(&self, instruction: InstructionId) -> Option<&SourceLine> {
        self.lines.get(instruction.index())?.as_ref()
    }

    /// Returns the variable of each register.
    pub fn registers(&self) -> &[VariableId] {
        &self.layout.registers
    }

    /// Returns the number of words of instruction memory, with those that fill target blocks.
    pub fn size(&self) -> usize {
        self.layout.instructions.len()
    }

    /// Returns the instruction that lies at each address of instruction memory; `None` where a block is filled up.
    pub fn addresses(&self) -> &[Option<InstructionId>] {
        &self.layout.instructions
    }

    /// Returns what threads step over: the words, as they are decoded from instruction memory.
    pub fn code(&self) -> Code {
        let most_writes = self.words.iter().map(|word| word.moves.len()).max().unwrap_or_default();
        Code { declarations: Declarations::new(self.program.clone()), words: self.words.clone(), most_writes }
    }

    /// Returns the number of bytes of a word.
    pub fn word_bytes(&self) -> usize {
        encoding::encode(&Word::default(), &self.layout, &self.parameters).map_or(0, |bytes| bytes.len())
    }

    /// Returns instruction memory: the bytes of each word.
    fn memory(&self) -> Result<Vec<Vec<u8>>, Damage> {
        self.words.iter().map(|word| encoding::encode(word, &self.layout, &self.parameters)).collect()
    }
}

/// Returns a program with the instructions that words are.
///
/// # Errors
/// If they are not those of a valid program.
fn disassembled<'n>(
    declarations: &Program,
    names: impl Iterator<Item = &'n str>,
    words: &[Word],
) -> Result<Program, Damage> {
    let instructions = names.zip(words).map(|(name, word)| disassemble::instruction(declarations, name, word));
    let instructions = instructions.collect::<Result<Vec<Instruction>, Damage>>()?;
    let mut program = declarations.clone();
    if let Some(threads) = &mut program.threads {
        threads.instructions = instructions;
    }
    match ir::verify::program(&program) {
        Ok(()) => Ok(program),
        Err(errors) => Err(Damage(errors.first().cloned().unwrap_or_default())),
    }
}

/// Returns the variables that instructions use, each of which takes a register.
fn registers(instructions: &[Instruction]) -> Vec<VariableId> {
    let mut used = BTreeSet::new();
    for instruction in instructions {
        for expression in instruction.expressions() {
            expression.walk(&mut |part| {
                if let Expression::Variable(variable) = part {
                    used.insert(variable.index());
                }
            });
        }
        used.extend(instruction.moves.iter().filter_map(|step| match &step.place {
            Place::Variable(variable) | Place::Bits { variable, .. } => Some(variable.index()),
            Place::Memory(_) => None,
        }));
        if let Some(transaction) = &instruction.transaction
            && let Destination::Variables(variables) = &transaction.reply
        {
            used.extend(variables.iter().flatten().map(|variable| variable.index()));
        }
    }
    used.into_iter().map(VariableId::from).collect()
}
