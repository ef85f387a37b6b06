//! Turns a packet program into what pipelines run: a parser, a flat match-action part, and a deparser.
//!
//! A P4 program is code: controls that call actions, tables that run them, stacks that an index chooses from, exits.
//! A pipeline is none of that: bits that a parser found pass through stages, each of which computes something of all of
//! them, and a deparser writes bits down again (Bosshart et al., "Forwarding Metamorphosis", SIGCOMM 2013). Flattening
//! writes the first down as the second. Nothing is approximated: what a pipeline cannot do is a [`Finding`].
//!
//! The order of things: `walk` goes through the code once, from the first statement to the last, and writes it down
//! without calls and ends of functions (`calls`), tables (`tables`), loops (`loops`), run-time places in stacks
//! (`stacks`) and counters (`counters`). Then `merge` makes one look-up of those that exclude each other, `validity` says
//! what becoming valid and invalid does to fields, `pieces` cuts values into words of at most 64 bits, and `liveness`
//! drops what nobody reads. `parser` does for parsers what `walk` does for the rest, and `assemble` puts it together.

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

/// What can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What programs are written for.
    pub architecture: &'static Architecture,
    /// The destination that drops a packet; `None` is the greatest that there can be, as on the switch.
    pub drop_port: Option<u64>,
    /// How many ports there are, from 0: a packet for another one is dropped. `None` is as many as the program can
    /// name, but for the drop port if that is the last one.
    pub ports: Option<u16>,
    /// How many states a packet may pass in the parser at most.
    pub parser_states: usize,
    /// How often a packet may come to one state of the parser at most.
    pub parser_turns: usize,
    /// How many turns a loop of a control may have at most.
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

/// A packet program as pipelines run it.
///
/// A machine tells `edges` what the architecture tells programs before the parser (everything else is 0), runs the
/// parser, and tells it what the architecture tells after that. It makes a packet of `flat`: 0 but for what
/// [`Carried::arrives`] brings and what the fields of [`Flattened::intrinsics`] whose names begin with `$` ask for. After
/// the pipeline, the packet is gone if [`Flattened::dropped`] is true. If not, it fills the variables that
/// [`Carried::leaves`] names (the others are 0), runs the deparser, and sends what was emitted and what the parser left
/// to [`Flattened::egress_port`].
#[derive(Clone, Debug)]
pub struct Flattened {
    /// What the program is written for.
    pub architecture: &'static Architecture,
    /// Parser and deparser: a program with the entrances of these two only. The parser has no loops and
    /// calls no other; no place in a stack depends on the packet. Variables have the names of the original.
    pub edges: Program,
    /// The match-action part. Its fields are everything that crosses between the edges and
    /// it, and what the machine asks. Tables and profiles have their original numbers.
    pub flat: Flat,
    /// Which field of `flat` is what of `edges`.
    pub carried: Vec<Carried>,
    /// Fields of `flat` by the names of the architecture, if there are such. Beside them, three that the machine sets
    /// on arrival: `$position` (the bits that the parser went through, which is for the machine itself: it travels with
    /// the packet and nobody changes it), `$length` (the packet's bytes on arrival) and `$time` (the microseconds of
    /// its arrival); the last two only if the program asks.
    pub intrinsics: Vec<(String, VariableId)>,
    /// The field of `flat` that is true at the end if the packet goes no further.
    pub dropped: VariableId,
    /// The field of `flat` that is the port at the end, if the packet is not dropped.
    pub egress_port: VariableId,
    /// How many ports there are, from 0, by which packets come and go.
    pub ports: u32,
    /// The registers of `flat` that hold the original ones, in the order of these.
    pub registers: Vec<RegisterPart>,
    /// The registers of `flat` that count, in the order of the counters.
    pub counters: Vec<CounterPart>,
    /// Tables whose entries count their packets, which stays with the match unit.
    pub direct_counters: Vec<DirectCounter>,
}

/// Bits that cross between the edges and the match-action part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// A field of `flat`.
    pub field: VariableId,
    /// A variable of `edges`.
    pub variable: VariableId,
    /// Where in the variable the field begins, from the lowest bit: 0, or a multiple of 64 of a variable of more.
    pub low: u32,
    /// How many bits it is, at most 64.
    pub width: u32,
    /// The field takes the bits after the parser.
    pub arrives: bool,
    /// The variable takes the bits before the deparser.
    pub leaves: bool,
}

/// What of an original register a register of `flat` holds. Both have the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterPart {
    /// The original register.
    pub original: RegisterId,
    /// The register of `flat`.
    pub register: RegisterId,
    /// Where in each value of the original it begins, from the lowest bit.
    pub low: u32,
    /// How many bits of each value it has, at most 64.
    pub width: u32,
}

/// The registers of `flat` in place of a counter, of as many values of 63 bits each; those which its kind shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterPart {
    /// The counter.
    pub counter: CounterId,
    /// Counts packets.
    pub packets: Option<RegisterId>,
    /// Counts their bytes.
    pub bytes: Option<RegisterId>,
}

/// A table whose entries count. Which of them matched is no value that a program sees, so that the machine counts: at
/// the end, if `hit` holds, the entry that matches `keys`, with the packet's length on arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectCounter {
    /// The counter.
    pub counter: CounterId,
    /// The table, in `flat` and in the original.
    pub table: TableId,
    /// The field of `flat` that is true at the end if the packet was looked up and an entry matched.
    pub hit: VariableId,
    /// The fields of `flat` that are what was looked up, at the end: the words of [`ir::Lookup::keys`] without those of
    /// the selector.
    pub keys: Vec<VariableId>,
}

/// Flattens a packet program: one with the entrances of its architecture, which [`ir::verify`] accepts.
///
/// # Errors
/// Everything that keeps it from running on a pipeline, in words for its author.
pub fn flatten(program: &Program, options: &Options) -> Result<Flattened, Vec<Finding>> {
    assemble::run(program, options)
}
