//! The blocks of a program, and the point of a packet's way to which each belongs.

use ir::Program;

use crate::Architecture;

/// The part of a packet's way to which a block belongs. Between blocks of one stage the switch does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Bytes are extracted into headers.
    Parser,
    /// The destination of the packet is determined.
    Ingress,
    /// One copy of the packet is on its way to one port.
    Egress,
    /// Headers are emitted as bytes.
    Deparser,
}

/// The argument of a block's parameter. All blocks share the variables of a kind.
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

/// A block of a program. The last block of each stage is mandatory and does the work of the stage; the blocks before it
/// may be absent. An architecture may have no block of the egress stage, in which its switch then does nothing; a block
/// has at most one parameter of each kind but for the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name of the entry point by which machines find the block.
    pub name: &'static str,
    /// The stage to which the block belongs.
    pub stage: Stage,
    /// The arguments of its parameters.
    pub parameters: &'static [Parameter],
}

impl Architecture {
    /// Returns the mandatory block of a stage.
    ///
    /// # Panics
    /// If the architecture has no block of that stage.
    pub fn main_block(&self, stage: Stage) -> &'static Block {
        self.blocks.iter().rfind(|block| block.stage == stage).expect("every stage has a block")
    }

    /// Returns the blocks of a stage that a program has, in order and with their names; none if the architecture has no
    /// block of that stage.
    ///
    /// # Errors
    /// If the program lacks the mandatory block.
    pub fn stage(&self, program: &Program, stage: Stage) -> Result<Vec<(&'static str, ir::Block)>, String> {
        let Some(main) = self.blocks.iter().rfind(|block| block.stage == stage) else { return Ok(Vec::new()) };
        let main = main.name;
        if program.entrance(main).is_none() {
            return Err(format!("the program has no `{main}` block, which {} requires", self.name));
        }
        let blocks = self.blocks.iter().filter(|block| block.stage == stage);
        Ok(blocks.filter_map(|block| Some((block.name, program.entrance(block.name)?))).collect())
    }
}
