//! The program as the switch looks at it: where its blocks begin, and which variables are whose.

use ir::{Block, Expression, Flow, FunctionId, HeaderId, HeaderPlace, PacketStatement, Program, Statement, VariableId};

use super::frame::Frame;
use super::intrinsics::Intrinsics;
use super::parameters::Parameters;
use super::reads::Reads;
use crate::unsuitable::Unsuitable;

/// A program as the switch looks at it.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) blocks: Blocks,
    /// Those that anybody looks at.
    pub(super) intrinsics: Intrinsics,
    /// Whether anybody looks, behind the queue, at the length of a packet, which its headers have changed.
    pub(super) tells_length: bool,
    pub(super) drop_port: u64,
    /// How many ports there are.
    pub(super) ports: u32,
    /// Whether a checksum reads what the parser left.
    pub(super) reads_payload: bool,
    /// The variables that belong to no header: metadata.
    metadata: Vec<VariableId>,
    /// The headers that the deparser emits.
    emitted: Vec<Emitted>,
}

/// A header that the deparser emits.
#[derive(Debug)]
struct Emitted {
    valid: VariableId,
    /// The bits of all fields whose width is known.
    bits: u64,
    /// The others: which variable says how long, and how long at most.
    lengths: Vec<(VariableId, u64)>,
}

/// Where the blocks of the architecture begin.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) parser: Block,
    /// Verification of checksums, if there is one, and ingress.
    pub(super) ingress: Stage,
    pub(super) egress: Block,
    /// Computation of checksums, if there is one, and the deparser.
    pub(super) deparser: Stage,
}

/// Blocks between which the switch does nothing.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) names: Vec<&'static str>,
    pub(super) blocks: Vec<Block>,
}

impl Stage {
    fn new(blocks: [(&'static str, Option<Block>); 2]) -> Self {
        let (names, blocks) = blocks.into_iter().filter_map(|(name, block)| Some((name, block?))).unzip();
        Self { names, blocks }
    }
}

impl Layout {
    /// Looks at a program, which [`ir::verify`] accepts; or says everything that v1model needs and it lacks.
    pub(super) fn new(program: &Program, parameters: &Parameters) -> Result<Self, Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        let optional = |name: &str| program.entrances.iter().find(|entrance| entrance.name == name).map(|it| it.block);
        let mut block = |name: &str| {
            let found = optional(name);
            unsuitable.unless(found.is_some(), || format!("the program has no `{name}`, which v1model begins with"));
            // Never run: there is a finding.
            found.unwrap_or(Block::Function(FunctionId(0)))
        };
        let parser = block("parser");
        let ingress = block("ingress");
        let egress = block("egress");
        let deparser = block("deparser");
        let intrinsics = Intrinsics::new(program);
        unsuitable.unless(intrinsics.egress_spec.0.is_some(), || {
            "the program has no `egress_spec`, by which it says where a packet goes".into()
        });
        unsuitable.or(())?;
        let mut unsuitable = Unsuitable::default();
        let drop_port = parameters.drop_port.unwrap_or(intrinsics.egress_spec.greatest());
        unsuitable.unless(drop_port <= intrinsics.egress_spec.greatest(), || {
            format!(
                "the drop port is {drop_port}, and the greatest `egress_spec` {}",
                intrinsics.egress_spec.greatest()
            )
        });
        // A port is a number of 16 bits, and the program must be able to name it both ways.
        let nameable = intrinsics.egress_spec.greatest().min(intrinsics.ingress_port.greatest()).min(0xFFFF) as u32 + 1;
        // The drop port has nothing behind it.
        let usable = nameable - u32::from(drop_port == u64::from(nameable) - 1);
        let ports = parameters.ports.map_or(usable, u32::from);
        unsuitable.unless(ports <= nameable, || format!("{ports} ports, and the program can name {nameable}"));
        let blocks = Blocks {
            parser,
            ingress: Stage::new([("verify_checksum", optional("verify_checksum")), ("ingress", Some(ingress))]),
            egress,
            deparser: Stage::new([("compute_checksum", optional("compute_checksum")), ("deparser", Some(deparser))]),
        };
        let reads = Reads::new(program, program.entrances.iter().map(|entrance| entrance.block));
        let behind_queue = Reads::new(program, [egress].into_iter().chain(blocks.deparser.blocks.iter().copied()));
        unsuitable.or(Self {
            tells_length: intrinsics.packet_length.0.is_some_and(|(variable, _)| behind_queue.has(variable)),
            intrinsics: intrinsics.of_interest(&reads),
            drop_port,
            ports,
            reads_payload: reads_payload(program),
            metadata: metadata(program),
            emitted: emitted(program, deparser).map(|header| Emitted::new(program, header)).collect(),
            blocks,
        })
    }

    /// Has the switch tell a packet everything, for somebody who records what happens to it.
    pub(super) fn tell_all(&mut self, program: &Program) {
        self.intrinsics = Intrinsics::new(program);
        self.tells_length = true;
    }

    /// Makes all metadata of a packet 0; its headers stay.
    pub(super) fn reset_metadata(&self, packet: &mut impl Frame) {
        packet.clear_variables(&self.metadata);
    }

    /// The bits of all headers that the deparser would emit if it came to all of them.
    pub(super) fn header_bits(&self, packet: &impl Frame) -> u64 {
        let valid = self.emitted.iter().filter(|header| packet.low(header.valid) != 0);
        let length = |&(length, most): &(VariableId, u64)| packet.low(length).min(most);
        valid.map(|header| header.bits + header.lengths.iter().map(length).sum::<u64>()).sum()
    }
}

impl Emitted {
    fn new(program: &Program, header: HeaderId) -> Self {
        let header = &program.headers[header.index()];
        let width = |field: &ir::HeaderField| u64::from(program.variable(field.variable).ty.width());
        let fixed = header.fields.iter().filter(|field| field.length.is_none());
        Self {
            valid: header.valid,
            bits: fixed.map(width).sum(),
            lengths: header.fields.iter().filter_map(|field| Some((field.length?, width(field)))).collect(),
        }
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

fn emitted(program: &Program, deparser: Block) -> impl Iterator<Item = HeaderId> {
    let mut found = vec![false; program.headers.len()];
    let mut seen = vec![false; program.functions.len()];
    let mut waiting = match deparser {
        Block::Function(function) => vec![function],
        Block::Parser(_) => vec![],
    };
    while let Some(function) = waiting.pop() {
        if std::mem::replace(&mut seen[function.index()], true) {
            continue;
        }
        let body = &program.functions[function.index()].body;
        body.iter().for_each(|statement| {
            statement.walk(&mut |statement| match statement {
                Statement::Packet(PacketStatement::Emit { header }) => match header {
                    HeaderPlace::Fixed(header) => found[header.index()] = true,
                    HeaderPlace::Element(stack, _) => {
                        let elements = &program.stacks[stack.index()].elements;
                        elements.iter().for_each(|header| found[header.index()] = true);
                    }
                },
                Statement::Flow(Flow::Call { function, .. }) => waiting.push(*function),
                _ => {}
            });
        });
    }
    (0..found.len()).filter(move |&at| found[at]).map(HeaderId::from)
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
