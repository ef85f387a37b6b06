//! The blocks of a program, and where a packet comes through each.

use ir::Program;

use crate::Architecture;

/// The part of a packet's way that a block belongs to. Between blocks of one stage the switch does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Bytes become headers.
    Parser,
    /// It is settled where the packet goes.
    Ingress,
    /// One copy of the packet is on its way to one port.
    Egress,
    /// Headers become bytes.
    Deparser,
}

/// What a parameter of a block is bound to. All blocks share the variables of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The bytes of the packet.
    Packet,
    /// The headers.
    Headers,
    /// The metadata that the program declares.
    Metadata,
    /// The metadata that the architecture declares.
    Intrinsics,
}

/// A block of a program. The last one of each stage has to be there, and gives the stage its work; those before it
/// may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name of the entrance by which machines find the block.
    pub name: &'static str,
    /// Where a packet comes through it.
    pub stage: Stage,
    /// What its parameters are bound to.
    pub parameters: &'static [Parameter],
}

impl Architecture {
    /// The block that gives a stage its work.
    ///
    /// Panics if the architecture has no block of that stage.
    pub fn main_block(&self, stage: Stage) -> &'static Block {
        self.blocks.iter().rfind(|block| block.stage == stage).expect("every stage has a block")
    }

    /// The blocks of a stage that a program has, in order and with their names.
    ///
    /// # Errors
    /// That the program lacks the one that gives the stage its work.
    pub fn stage(&self, program: &Program, stage: Stage) -> Result<Vec<(&'static str, ir::Block)>, String> {
        let main = self.main_block(stage).name;
        if program.entrance(main).is_none() {
            return Err(format!("the program has no `{main}`, which {} begins with", self.name));
        }
        let blocks = self.blocks.iter().filter(|block| block.stage == stage);
        Ok(blocks.filter_map(|block| Some((block.name, program.entrance(block.name)?))).collect())
    }
}
