//! The program from the switch's point of view: its blocks, and the roles of its variables.

use arch::{Architecture, Arithmetic, Dropped, EmittedHeaders, IntrinsicValue, Ports};
use ir::{Block, Expression, Program, VariableId};

use super::intrinsics::Intrinsics;
use super::parameters::V1modelParameters;
use super::reads::{self, Accesses};
use crate::blocks::{BlockList, Frame, Gate};
use crate::unsuitable::Unsuitable;

/// The parts of a program that the switch needs to know.
#[derive(Debug)]
pub(super) struct Layout {
    /// The architecture that the program is written for.
    pub(super) architecture: &'static Architecture,
    pub(super) blocks: Blocks,
    /// The intrinsic variables that are read.
    pub(super) intrinsics: Intrinsics,
    /// Whether anything after the queue reads the length of a packet, which depends on changes of its headers.
    pub(super) tells_length: bool,
    /// The name of a metadata field about queues that the program reads, if any.
    pub(super) reads_queues: Option<&'static str>,
    /// The variable by which a program can choose among the queues of a port.
    pub(super) queue: Option<VariableId>,
    /// Whether the program chooses a queue.
    pub(super) chooses_queue: bool,
    /// The ports; the number of usable ones is the number of ports of the switch.
    pub(super) ports: Ports,
    /// Whether a checksum covers the payload.
    pub(super) reads_payload: bool,
    /// The metadata: variables that belong to no header.
    metadata: Vec<VariableId>,
    /// The headers that the deparser emits.
    emitted: EmittedHeaders,
}

/// The blocks of the architecture.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) parser: (&'static str, Block),
    pub(super) ingress: Stage,
    /// The parser and ingress as one stage, for when the switch has nothing to do between them.
    pub(super) until_queue: Stage,
    /// All stages as one, with a gate in place of the queue, for packets that only wait for their turn there; `None` if the switch
    /// has something to do that the gate does not.
    pub(super) through: Option<Stage>,
    pub(super) egress: Stage,
    pub(super) deparser: Stage,
}

/// A sequence of blocks between which the switch does nothing.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// The name of the last block, whether or not it is run; after the stage, it is the packet's last block.
    pub(super) last: &'static str,
    /// The names of the blocks that have an effect, which follow.
    pub(super) names: Vec<&'static str>,
    pub(super) blocks: BlockList,
}

impl Stage {
    fn new(all: &[(&'static str, Block)], does_nothing: impl Fn(Block) -> bool) -> Self {
        let last = all.last().map_or("", |(name, _)| *name);
        let active = all.iter().filter(|(_, block)| !does_nothing(*block)).copied();
        let (names, blocks): (_, Vec<Block>) = active.unzip();
        Self { last, names, blocks: blocks.into() }
    }

    /// Returns this stage followed by others, with a gate behind it; `None` if no block is in front of the gate or behind it.
    fn then(&self, others: [&Self; 2], gate: Gate) -> Option<Self> {
        let place = self.blocks.len();
        let all = || [self, others[0], others[1]].into_iter();
        let blocks: Vec<Block> = all().flat_map(|stage| stage.blocks.iter().copied()).collect();
        if !(1..blocks.len()).contains(&place) {
            return None;
        }
        let names = all().flat_map(|stage| stage.names.iter().copied()).collect();
        Some(Self { last: others[1].last, names, blocks: BlockList::with_gate(blocks, place, gate) })
    }
}

impl Layout {
    /// Analyses a program, which [`ir::verify`] must have accepted. Blocks for which `does_nothing` returns true are
    /// not run. Fails with everything that the architecture requires and the program lacks.
    pub(super) fn new(
        architecture: &'static Architecture,
        program: &Program,
        parameters: &V1modelParameters,
        does_nothing: impl Fn(Block) -> bool,
    ) -> Result<Self, Unsuitable> {
        let mut missing = Vec::new();
        if architecture.passes_bytes_to_egress() {
            missing.push(format!("{} passes bytes from ingress to egress, and this switch headers", architecture.name));
        }
        let mut stage = |stage| {
            architecture.stage(program, stage).unwrap_or_else(|finding| {
                missing.push(finding);
                Vec::new()
            })
        };
        let [parser, ingress, egress, deparser] =
            [arch::Stage::Parser, arch::Stage::Ingress, arch::Stage::Egress, arch::Stage::Deparser].map(&mut stage);
        let ports = architecture.ports(program, parameters.drop_port).map_err(|finding| missing.push(finding));
        let (Some(&parser), Ok(mut ports), true) = (parser.last(), ports, missing.is_empty()) else {
            return Err(Unsuitable { findings: missing });
        };
        if let Some(wanted) = parameters.ports {
            ports.usable = wanted.into();
        }
        let mut unsuitable = Unsuitable::default();
        unsuitable.unless(ports.usable <= ports.nameable, || {
            format!("{} ports were requested, but the program can name only {}", ports.usable, ports.nameable)
        });
        if let Some(cpu) = parameters.cpu_port {
            unsuitable.unless(ports.dropped != Dropped::Port(cpu.into()), || {
                format!("the CPU port {cpu} is the drop port: packets to it would be dropped")
            });
            let is_known = u32::from(cpu) < ports.usable || ports.dropped == Dropped::Port(cpu.into());
            unsuitable.unless(is_known, || {
                format!("there is no CPU port {cpu}: the switch has ports 0 to {}", ports.usable.saturating_sub(1))
            });
        }
        unsuitable.or(())?;
        // The parser stays even if it does nothing, because the outcome of the first block is that of the parser.
        let until_queue = [&[parser], &*ingress].concat();
        let until_queue = Stage::new(&until_queue, |block| block != parser.1 && does_nothing(block));
        let [ingress, egress, deparser] = [ingress, egress, deparser].map(|all| Stage::new(&all, &does_nothing));
        let blocks = Blocks { parser, ingress, until_queue, through: None, egress, deparser };
        let reads = Accesses::new(program, program.entrances.iter().map(|entrance| entrance.block));
        let of_queues = architecture
            .metadata_of_queues()
            .find(|field| program.intrinsic(field).is_some_and(|variable| reads.reads(variable)));
        let queue = architecture.queue.and_then(|queue| program.intrinsic(queue));
        let behind_queue = blocks.egress.blocks.iter().chain(blocks.deparser.blocks.iter()).copied();
        let behind_queue = Accesses::new(program, behind_queue);
        let intrinsics = Intrinsics::new(architecture, program, &ports, |variable, value| match value {
            // The length in egress is expensive to compute.
            IntrinsicValue::LengthInEgress => behind_queue.reads(variable),
            _ => reads.reads(variable),
        });
        let emitted = EmittedHeaders::of(program, blocks.deparser.blocks.last().copied());
        let mut layout = Self {
            architecture,
            tells_length: false,
            reads_queues: of_queues,
            chooses_queue: queue.is_some_and(|variable| reads::is_written(program, variable)),
            queue,
            intrinsics,
            ports,
            reads_payload: reads_payload(program),
            metadata: metadata(program),
            emitted,
            blocks,
        };
        layout.tells_length = layout.has_length_in_egress();
        // A switch that makes no copies lets no packet through to egress.
        if parameters.copies > 0 {
            layout.blocks.through = layout.through(program, |variable| behind_queue.reads(variable));
        }
        Ok(layout)
    }

    /// Returns all stages as one, if nothing is between them but what a gate does.
    fn through(&self, program: &Program, is_read: impl Fn(VariableId) -> bool) -> Option<Stage> {
        let egress = Accesses::new(program, self.blocks.egress.blocks.iter().copied());
        let gate = self.intrinsics.gate(self.architecture, &self.ports, is_read)?;
        // What egress asks for, and whether it drops the packet, is looked at before the deparser.
        let drops = self.intrinsics.variable_of_drop().is_some_and(|variable| egress.writes(variable));
        if !self.joins_parser() || drops || egress.asks() {
            return None;
        }
        self.blocks.until_queue.then([&self.blocks.egress, &self.blocks.deparser], gate)
    }

    /// Makes the switch come back between the stages of all packets.
    pub(super) fn stop_at_queue(&mut self) {
        self.blocks.through = None;
    }

    /// Makes the switch set all intrinsic variables, for a recorder of traces.
    pub(super) fn tell_all(&mut self, program: &Program) {
        self.stop_at_queue();
        self.intrinsics = Intrinsics::new(self.architecture, program, &self.ports, |_, _| true);
        self.tells_length = self.has_length_in_egress();
    }

    /// Returns true if the switch has nothing to do between the parser and ingress.
    #[inline]
    pub(super) fn joins_parser(&self) -> bool {
        !self.tells_length && self.intrinsics.metadata.after_parser.is_empty()
    }

    fn has_length_in_egress(&self) -> bool {
        self.intrinsics.metadata.before_egress.iter().any(|&(_, value)| value == IntrinsicValue::LengthInEgress)
    }

    /// Sets all metadata of a packet to 0; its headers do not change.
    pub(super) fn reset_metadata(&self, packet: &mut impl Frame) {
        packet.clear_variables(&self.metadata);
    }

    /// Returns the number of bits of all valid headers that the deparser can emit.
    pub(super) fn header_bits(&self, packet: &impl Frame) -> u64 {
        self.emitted.bits(&Numbers(packet))
    }

    /// Returns the length in bytes of a packet in egress that arrived with `arrived` bytes and `before` bits of
    /// headers.
    pub(super) fn length_in_egress(&self, arrived: u64, before: u64, packet: &impl Frame) -> u64 {
        arch::length_in_egress(&Numbers(packet), arrived, before, self.header_bits(packet))
    }
}

/// Arithmetic on the values of a packet's variables, for computing lengths.
struct Numbers<'p, F>(&'p F);

impl<F: Frame> Arithmetic for Numbers<'_, F> {
    type Number = u64;

    fn constant(&self, value: u64) -> u64 {
        value
    }

    fn variable(&self, variable: VariableId) -> u64 {
        self.0.low(variable)
    }

    fn sum(&self, one: u64, other: u64) -> u64 {
        one + other
    }

    fn difference(&self, one: u64, other: u64) -> u64 {
        one.saturating_sub(other)
    }

    fn at_most(&self, number: u64, most: u64) -> u64 {
        number.min(most)
    }

    fn bytes(&self, bits: u64) -> u64 {
        bits / 8
    }

    fn when(&self, condition: VariableId, number: impl FnOnce() -> u64) -> u64 {
        if self.0.low(condition) != 0 { number() } else { 0 }
    }
}

fn metadata(program: &Program) -> Vec<VariableId> {
    let mut is_header = vec![false; program.variables.len()];
    for header in &program.headers {
        let fields = header.fields.iter().flat_map(|field| [Some(field.variable), field.length]);
        fields.flatten().chain([header.valid]).for_each(|variable| is_header[variable.index()] = true);
    }
    program.stacks.iter().for_each(|stack| is_header[stack.next.index()] = true);
    (0..program.variables.len()).filter(|&at| !is_header[at]).map(VariableId::from).collect()
}

fn reads_payload(program: &Program) -> bool {
    let mut reads = false;
    for statement in program.functions.iter().flat_map(|function| &function.body) {
        statement.walk(&mut |statement| {
            for expression in statement.expressions() {
                expression.walk(&mut |expression| {
                    reads |= matches!(expression, Expression::Checksum(checksum) if checksum.with_payload);
                });
            }
        });
    }
    reads
}
