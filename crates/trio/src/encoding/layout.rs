//! Where instructions lie in instruction memory, and which registers variables have.

use std::collections::BTreeMap;

use ir::VariableId;
use ir::threads::InstructionId;

use super::Damage;
use crate::word::Word;

/// The greatest number of words in instruction memory, given addresses of 16 bits.
pub(crate) const MOST_WORDS: usize = 1 << 16;

/// The layout of a program in instruction memory, and its registers.
///
/// The instructions lie at the addresses that are their numbers, so that jumps need no translation. Behind them lie target blocks:
/// "a target block of one to eight micro-instructions" (section 2.2), copies of the instructions among which a word chooses. A
/// block has 2, 4 or 8 words and begins at a multiple of its size; one of a single word is the instruction itself. Words with the
/// same targets share a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The variable of each register.
    pub registers: Vec<VariableId>,
    /// The instruction at each address; `None` where nothing lies.
    pub instructions: Vec<Option<InstructionId>>,
    /// The address of each target block.
    blocks: BTreeMap<Vec<InstructionId>, usize>,
}

impl Layout {
    /// Lays words out.
    pub fn new(registers: Vec<VariableId>, words: &[Word]) -> Self {
        let mut layout = Self {
            registers,
            instructions: (0..words.len()).map(|place| Some(InstructionId::from(place))).collect(),
            blocks: BTreeMap::new(),
        };
        for targets in words.iter().map(Word::targets) {
            if targets.len() < 2 || layout.blocks.contains_key(&targets) {
                continue;
            }
            let size = targets.len().next_power_of_two();
            let address = layout.instructions.len().next_multiple_of(size);
            layout.instructions.resize(address, None);
            layout.instructions.extend(targets.iter().copied().map(Some));
            layout.instructions.resize(address + size, None);
            layout.blocks.insert(targets, address);
        }
        layout
    }

    /// Makes the layout by which words are read that are not known yet.
    pub fn of_memory(registers: Vec<VariableId>, instructions: Vec<Option<InstructionId>>) -> Self {
        Self { registers, instructions, blocks: BTreeMap::new() }
    }

    /// Returns the address of the block of some targets.
    pub fn block(&self, targets: &[InstructionId]) -> usize {
        match targets {
            [] => 0,
            [single] => single.index(),
            several => self.blocks.get(several).copied().unwrap_or_default(),
        }
    }

    /// Returns the instruction at an address.
    pub fn at(&self, address: usize) -> Result<InstructionId, Damage> {
        let instruction = self.instructions.get(address).copied().flatten();
        instruction.ok_or_else(|| Damage(format!("a word leads to address {address}, where no instruction is")))
    }

    /// Returns the number of the register of a variable.
    pub fn register(&self, variable: VariableId) -> Option<usize> {
        self.registers.iter().position(|known| *known == variable)
    }

    /// Returns the variable of a register.
    pub fn variable(&self, register: u64) -> Result<VariableId, Damage> {
        let variable = self.registers.get(register as usize).copied();
        variable.ok_or_else(|| Damage(format!("a word names register {register}, which the program does not have")))
    }
}
