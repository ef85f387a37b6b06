//! The blocks of a program, and the point of a packet's way to which each belongs.

use ir::Program;

use crate::Architecture;

/// The part of a packet's way to which a block belongs. Between blocks of one stage the switch does nothing.
///
/// An architecture has either one set of headers for the whole way or one for each gress. In the latter case bytes cross
/// between the gresses: ingress ends in a deparser and egress begins with a parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Bytes are extracted into headers, for the whole way or for ingress.
    Parser,
    /// The destination of the packet is determined.
    Ingress,
    /// The headers of ingress are emitted as bytes, which the traffic manager takes.
    IngressDeparser,
    /// Bytes that the traffic manager has released are extracted into the headers of egress.
    EgressParser,
    /// One copy of the packet is on its way to one port.
    Egress,
    /// Headers are emitted as bytes, which leave the switch.
    Deparser,
    /// No packet is worked on: the traffic manager says that a queue has changed.
    Ghost,
}

/// The argument of a block's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The bytes of the packet.
    Packet,
    /// The headers.
    Headers,
    /// The metadata that the program declares.
    Metadata,
    /// Metadata that the architecture declares.
    Intrinsics(Group),
    /// Metadata that the architecture declares and that a block need not have a parameter for.
    Optional(Group),
}

/// A struct or header of the metadata that an architecture declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The name that stands, with a dot, before the names of its fields; empty in an architecture with one such struct.
    pub name: &'static str,
    /// The name of its type, by which a block that leaves out optional parameters shows which ones it has.
    pub of: &'static str,
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
    /// The gress whose headers and metadata the block works on, such as `ingress`: blocks with the same name here share
    /// them. Empty if the architecture has one set of headers and metadata for the whole way.
    pub gress: &'static str,
    /// Whether a program may leave the block out although it is the last of its stage.
    pub is_optional: bool,
    /// The arguments of its parameters.
    pub parameters: &'static [Parameter],
}

/// A package that a program can be an instance of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name of the package whose instance is called `main`.
    pub name: &'static str,
    /// The name of the package that takes the blocks of one pipe, of which the main package takes one or several. `None`
    /// if the main package takes the blocks itself.
    pub pipeline: Option<&'static str>,
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
        self.stage_of_pipe(program, "", stage)
    }

    /// Returns the blocks of a stage in one pipe of a program, as [`Architecture::stage`] does. The names of the pipe's
    /// entrances begin with `prefix` ([`pipe_prefix`]), which the returned names lack.
    ///
    /// # Errors
    /// If the program lacks the mandatory block.
    pub fn stage_of_pipe(
        &self,
        program: &Program,
        prefix: &str,
        stage: Stage,
    ) -> Result<Vec<(&'static str, ir::Block)>, String> {
        let Some(main) = self.blocks.iter().rfind(|block| block.stage == stage) else { return Ok(Vec::new()) };
        let entrance = |name: &str| program.entrance(&format!("{prefix}{name}"));
        if entrance(main.name).is_none() {
            return Err(format!("the program has no `{prefix}{}` block, which {} requires", main.name, self.name));
        }
        let blocks = self.blocks.iter().filter(|block| block.stage == stage);
        Ok(blocks.filter_map(|block| Some((block.name, entrance(block.name)?))).collect())
    }

    /// Returns true if bytes, not headers, cross between ingress and egress.
    pub fn passes_bytes_to_egress(&self) -> bool {
        self.blocks.iter().any(|block| block.stage == Stage::EgressParser)
    }

    /// Returns the package of a name, if a program for this architecture can be an instance of it.
    pub fn package_named(&self, name: &str) -> Option<&'static Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

/// Returns what the names of the entrances and of the intrinsic metadata of a pipe begin with, in a program that has a
/// program of its own for each of several pipes.
pub fn pipe_prefix(pipe: usize) -> String {
    format!("pipe{pipe}.")
}

/// Returns the number of pipes for which a program has a program of its own; 1 if it has one for all.
pub fn programs_of_pipes(program: &Program) -> usize {
    let has = |pipe: &usize| {
        let prefix = pipe_prefix(*pipe);
        program.entrances.iter().any(|entrance| entrance.name.starts_with(&prefix))
    };
    (0..).take_while(has).count().max(1)
}
