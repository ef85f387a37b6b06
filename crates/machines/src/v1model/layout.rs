//! The program as the switch looks at it: where its blocks begin, and which variables are whose.

use ir::{Block, Expression, Flow, FunctionId, HeaderId, HeaderPlace, PacketStatement, Program, Statement, VariableId};
use runtime::arithmetic;

use super::frame::Frame;
use super::parameters::Parameters;
use crate::unsuitable::Unsuitable;

/// A program as the switch looks at it.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) blocks: Blocks,
    pub(super) intrinsics: Intrinsics,
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
    pub(super) verify_checksum: Option<Block>,
    pub(super) ingress: Block,
    pub(super) egress: Block,
    pub(super) compute_checksum: Option<Block>,
    pub(super) deparser: Block,
}

/// A field of `standard_metadata`, if the program has it, with the greatest value that 64 bits of it can have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Intrinsic(Option<(VariableId, u64)>);

/// The fields of `standard_metadata` that the switch sets or reads. `checksum_error` is the program's, whose
/// `verify_checksum` sets it; `priority` is nobody's, for ports have one queue.
#[derive(Debug)]
pub(super) struct Intrinsics {
    pub(super) ingress_port: Intrinsic,
    pub(super) egress_spec: Intrinsic,
    pub(super) egress_port: Intrinsic,
    pub(super) instance_type: Intrinsic,
    pub(super) packet_length: Intrinsic,
    pub(super) enq_timestamp: Intrinsic,
    pub(super) enq_qdepth: Intrinsic,
    pub(super) deq_timedelta: Intrinsic,
    pub(super) deq_qdepth: Intrinsic,
    pub(super) ingress_global_timestamp: Intrinsic,
    pub(super) egress_global_timestamp: Intrinsic,
    pub(super) mcast_grp: Intrinsic,
    pub(super) egress_rid: Intrinsic,
    pub(super) parser_error: Intrinsic,
}

impl Intrinsic {
    /// Gives it a value, which its type cuts.
    pub(super) fn set(self, packet: &mut impl Frame, value: u64) {
        if let Some((variable, greatest)) = self.0 {
            packet.set(variable, value & greatest);
        }
    }

    /// Its value; 0 if the program does not have it.
    pub(super) fn get(self, packet: &impl Frame) -> u64 {
        self.0.map_or(0, |(variable, _)| packet.low(variable))
    }

    /// The greatest value that it can have, of 64 bits.
    fn greatest(self) -> u64 {
        self.0.map_or(u64::MAX, |(_, greatest)| greatest)
    }
}

impl Intrinsics {
    fn new(program: &Program) -> Self {
        let named = |name: &str| {
            let found = program.intrinsics.iter().find(|(known, _)| known == name);
            let greatest = |variable| arithmetic::mask(program.variable(variable).ty.width().min(64));
            Intrinsic(found.map(|&(_, variable)| (variable, greatest(variable))))
        };
        Self {
            ingress_port: named("ingress_port"),
            egress_spec: named("egress_spec"),
            egress_port: named("egress_port"),
            instance_type: named("instance_type"),
            packet_length: named("packet_length"),
            enq_timestamp: named("enq_timestamp"),
            enq_qdepth: named("enq_qdepth"),
            deq_timedelta: named("deq_timedelta"),
            deq_qdepth: named("deq_qdepth"),
            ingress_global_timestamp: named("ingress_global_timestamp"),
            egress_global_timestamp: named("egress_global_timestamp"),
            mcast_grp: named("mcast_grp"),
            egress_rid: named("egress_rid"),
            parser_error: named("parser_error"),
        }
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
        let blocks = Blocks {
            parser: block("parser"),
            verify_checksum: optional("verify_checksum"),
            ingress: block("ingress"),
            egress: block("egress"),
            compute_checksum: optional("compute_checksum"),
            deparser: block("deparser"),
        };
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
        unsuitable.or(Self {
            intrinsics,
            drop_port,
            ports,
            reads_payload: reads_payload(program),
            metadata: metadata(program),
            emitted: emitted(program, blocks.deparser).map(|header| Emitted::new(program, header)).collect(),
            blocks,
        })
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
