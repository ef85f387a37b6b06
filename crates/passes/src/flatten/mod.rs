//! Flattening turns a packet program into what pipelines run: a parser, a flat match-action part, and a deparser.
//!
//! A P4 program is code: controls that call actions, tables that run them, header stacks with run-time indices, exits.
//! A pipeline has none of these: bits extracted by a parser pass through stages, each of which computes some of them
//! anew, and a deparser emits bits again (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013). Flattening
//! rewrites the former as the latter. Nothing is approximated: whatever a pipeline cannot do is a [`Finding`].
//!
//! The steps are as follows. `walk` goes through the code once, from the first statement to the last, and eliminates
//! calls and early returns (`calls`), tables (`tables`), loops (`loops`), run-time indices into stacks (`stacks`) and
//! counters (`counters`). Then `merge` merges look-ups that exclude each other, `validity` makes explicit what happens
//! to fields when headers become valid or invalid, `pieces` splits values into words of at most 64 bits, and `liveness`
//! removes what is never read. `parser` does for parsers what `walk` does for the rest, and `assemble` puts the parts
//! together.

mod assemble;
mod calls;
mod checksums;
mod counters;
mod edges;
mod expressions;
mod findings;
mod knowledge;
mod liveness;
mod loops;
mod merge;
mod outcome;
mod parser;
mod pieces;
mod refusals;
mod relevance;
mod renumber;
mod stacks;
mod statements;
mod switch;
mod tables;
mod validity;
mod walk;
mod words;

use arch::Architecture;
use ir::{CounterId, Flat, Program, RegisterId, TableId, VariableId};

use crate::report::Finding;

/// The options of flattening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The architecture that the program is written for.
    pub architecture: &'static Architecture,
    /// The destination port that drops a packet; `None` for the greatest possible value, as on the switch.
    pub drop_port: Option<u64>,
    /// The number of ports, which count from 0; packets for other ports are dropped. `None` for as many as the program
    /// can name, without the drop port if that is the last one.
    pub ports: Option<u16>,
    /// The maximum number of states that a packet may pass in the parser.
    pub parser_states: usize,
    /// The maximum number of times that a packet may enter the same state of the parser.
    pub parser_turns: usize,
    /// The maximum number of iterations of a loop in a control.
    pub loop_turns: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            architecture: arch::USUAL,
            drop_port: None,
            ports: None,
            parser_states: 64,
            parser_turns: 32,
            loop_turns: 64,
        }
    }
}

/// A packet program in the form that pipelines run.
///
/// For each packet, a machine sets the variables of `edges` that the architecture defines before the parser (all others
/// are 0), runs the parser, and sets those that the architecture defines after it. It then creates a packet of `flat`,
/// in which all fields are 0 except those that [`Carried::arrives`] marks and those fields of [`Flattened::intrinsics`]
/// whose names begin with `$`. After the pipeline, the packet is dropped if [`Flattened::dropped`] is true. Otherwise
/// the machine sets the variables that [`Carried::leaves`] marks (all others are 0), runs the deparser, and sends the
/// emitted headers, followed by the unparsed rest of the packet, to [`Flattened::egress_port`].
#[derive(Clone, Debug)]
pub struct Flattened {
    /// The architecture that the program is written for.
    pub architecture: &'static Architecture,
    /// The parser and the deparser: a program with the entrances of these two only. The parser has no loops and applies
    /// no other parser, and no index into a stack depends on the packet. Variables keep their original names.
    pub edges: Program,
    /// The match-action part. Its fields are those that cross between it and the edges, and those that the machine
    /// reads or sets. Tables and profiles keep their original numbers.
    pub flat: Flat,
    /// The correspondence between fields of `flat` and variables of `edges`.
    pub carried: Vec<Carried>,
    /// Fields of `flat` by the architecture's names for intrinsic metadata, as far as the program uses them. There are
    /// also up to three that the machine sets on arrival: `$position`, the number of bits that the parser consumed,
    /// which travels with the packet unchanged for the machine itself; and, if the program uses them, `$length`, the
    /// length of the packet on arrival in bytes, and `$time`, the time of its arrival in microseconds.
    pub intrinsics: Vec<(String, VariableId)>,
    /// The field of `flat` that is true at the end if the packet is dropped.
    pub dropped: VariableId,
    /// The field of `flat` that holds the egress port at the end, if the packet is not dropped.
    pub egress_port: VariableId,
    /// The number of ports by which packets arrive and depart, counted from 0.
    pub ports: u32,
    /// The registers of `flat` that hold the original registers, in the order of the latter.
    pub registers: Vec<RegisterPart>,
    /// The registers of `flat` that replace counters, in the order of the counters.
    pub counters: Vec<CounterPart>,
    /// The tables with direct counters, which the machine's match unit updates.
    pub direct_counters: Vec<DirectCounter>,
}

/// Bits that cross between the edges and the match-action part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The field of `flat`.
    pub field: VariableId,
    /// The variable of `edges`.
    pub variable: VariableId,
    /// The lowest bit of the variable that the field holds: 0, or another multiple of 64 if the variable is wider.
    pub low: u32,
    /// The number of bits, at most 64.
    pub width: u32,
    /// Whether the field takes the bits from the variable after the parser.
    pub arrives: bool,
    /// Whether the variable takes the bits from the field before the deparser.
    pub leaves: bool,
}

/// The part of an original register that a register of `flat` holds. Both have the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPart {
    /// The original register.
    pub original: RegisterId,
    /// The register of `flat`.
    pub register: RegisterId,
    /// The lowest bit of each original value that the register holds.
    pub low: u32,
    /// The number of bits of each value that it holds, at most 64.
    pub width: u32,
}

/// The registers of `flat` that replace a counter, each with as many values, of 63 bits. Which of the two there are
/// depends on the kind of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterPart {
    /// The counter.
    pub counter: CounterId,
    /// The register that counts packets.
    pub packets: Option<RegisterId>,
    /// The register that counts bytes.
    pub bytes: Option<RegisterId>,
}

/// A table with a direct counter. A program cannot see which entry matched, so the machine does the counting: at the
/// end, if `hit` is true, it counts the packet, with its length on arrival, for the entry that matches `keys`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectCounter {
    /// The counter.
    pub counter: CounterId,
    /// The table, in `flat` and in the original.
    pub table: TableId,
    /// The field of `flat` that is true at the end if an entry matched the packet.
    pub hit: VariableId,
    /// The fields of `flat` that hold the keys of the look-up at the end: the words of [`ir::Lookup::keys`] without
    /// those of the selector.
    pub keys: Vec<VariableId>,
}

/// Flattens a packet program, which must have the entrances of its architecture and be accepted by [`ir::verify`].
///
/// # Errors
///
/// Returns everything that keeps the program from running on a pipeline, in terms of the P4 source.
pub fn flatten(program: &Program, options: &Options) -> Result<Flattened, Vec<Finding>> {
    assemble::run(program, options)
}
