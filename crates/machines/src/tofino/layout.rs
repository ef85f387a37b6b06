//! What the chip needs to know about a program: its blocks, and the variables by which it and the chip talk.

use arch::{Architecture, InFront, IntrinsicValue, Points, Stage, TrafficFields};
use ir::{Block, Header, Program, Statement, VariableId};

use crate::unsuitable::Unsuitable;

/// A block with its name.
pub(super) type NamedBlock = (&'static str, Block);

/// The blocks of a gress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gress {
    pub(super) parser: NamedBlock,
    pub(super) control: NamedBlock,
    pub(super) deparser: NamedBlock,
}

/// The program of a pipe as the chip sees it.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) architecture: &'static Architecture,
    pub(super) in_front: InFront,
    /// Whether the hash that chooses a port of a LAG is combined with the replication id of the node.
    pub(super) lag_hash_has_replica: bool,
    pub(super) ingress: Gress,
    pub(super) egress: Gress,
    pub(super) metadata: Points<Vec<(VariableId, IntrinsicValue)>>,
    /// Whether the program looks at the error of the ingress parser: then the chip does not drop for it.
    pub(super) sees_parser_error: bool,
    pub(super) decisions: Decisions,
    pub(super) ghost: Ghost,
    /// The width of each variable that the chip sets.
    widths: Vec<u32>,
}

/// The variables by which a program decides about packets; `None` where its blocks leave the metadata out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decisions {
    pub(super) no_port: u64,
    pub(super) port: Option<VariableId>,
    pub(super) multicast: MulticastVariables,
    pub(super) copy_to_cpu: Option<VariableId>,
    pub(super) cpu_class_of_service: Option<VariableId>,
    pub(super) bypass_egress: Option<VariableId>,
    pub(super) deflect_on_drop: Option<VariableId>,
    pub(super) queue: Option<VariableId>,
    pub(super) class_of_service: Option<VariableId>,
    pub(super) color: Option<VariableId>,
    pub(super) ingress_drop: Option<VariableId>,
    pub(super) egress_drop: Option<VariableId>,
    /// The variables by which ingress and egress direct their mirrors.
    pub(super) mirrors: [Option<MirrorVariables>; 2],
    /// The greatest length of a packet behind the deparsers of ingress and egress.
    pub(super) greatest_lengths: [Option<VariableId>; 2],
}

/// A variable that counts when another one, a flag, is true.
pub(super) type Assigned = (VariableId, VariableId);

/// The variables by which a gress directs its mirrors, each with the flag that says whether the program has assigned it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MirrorVariables {
    pub(super) as_it_leaves: Option<Assigned>,
    pub(super) port: Option<Assigned>,
    pub(super) queue: Option<Assigned>,
    pub(super) class_of_service: Option<Assigned>,
    pub(super) deflect_on_drop: Option<Assigned>,
    pub(super) multicast: Option<Assigned>,
    pub(super) hash: Option<Assigned>,
}

/// The variables by which a program chooses multicast copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct MulticastVariables {
    pub(super) groups: [Option<VariableId>; 2],
    pub(super) node_hash: Option<VariableId>,
    pub(super) lag_hash: Option<VariableId>,
    pub(super) node_exclusion: Option<VariableId>,
    pub(super) port_exclusion: Option<VariableId>,
    pub(super) excluded_replica: Option<VariableId>,
}

impl Layout {
    /// Returns the layout of a pipe, the names of whose entrances begin with `prefix`.
    pub(super) fn new(
        architecture: &'static Architecture,
        program: &Program,
        prefix: &str,
    ) -> Result<Self, Unsuitable> {
        let (Some(in_front), Some(traffic)) = (architecture.in_front, architecture.traffic) else {
            let finding = format!("{} passes headers from ingress to egress, and this chip bytes", architecture.name);
            return Err(Unsuitable { findings: vec![finding] });
        };
        let mut unsuitable = Unsuitable::default();
        let mut block = |stage| match architecture.stage_of_pipe(program, prefix, stage) {
            Ok(blocks) => blocks.last().copied(),
            Err(finding) => {
                unsuitable.findings.push(finding);
                None
            }
        };
        let stages = [Stage::Parser, Stage::Ingress, Stage::IngressDeparser].map(&mut block);
        let further = [Stage::EgressParser, Stage::Egress, Stage::Deparser].map(&mut block);
        let [Some(ingress), Some(egress)] = [stages, further].map(gress) else {
            unsuitable.or(())?;
            return Err(Unsuitable { findings: vec!["the program lacks a block".to_owned()] });
        };
        unsuitable.or(())?;
        let metadata = architecture.metadata_of_pipe(program, prefix);
        let of_error = |(variable, value): &(VariableId, IntrinsicValue)| {
            matches!(value, IntrinsicValue::ParserErrorBits(_)).then_some(*variable)
        };
        let error = metadata.after_parser.iter().find_map(of_error);
        Ok(Self {
            architecture,
            in_front,
            lag_hash_has_replica: traffic.lag_hash_has_replica,
            ingress,
            egress,
            sees_parser_error: error.is_some_and(|error| reads(program, error)),
            metadata,
            ghost: Ghost::of(architecture, &traffic, program, prefix),
            decisions: Decisions::of(architecture, &traffic, program, prefix),
            widths: program.variables.iter().map(|variable| variable.ty.width()).collect(),
        })
    }

    /// Returns the number of bits of a variable.
    pub(super) fn width(&self, variable: VariableId) -> u32 {
        self.widths[variable.index()]
    }
}

/// The ghost thread, and the variables by which it and ingress are told of queues that have changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ghost {
    pub(super) block: Option<NamedBlock>,
    /// The validity of the header that has the variables below.
    pub(super) valid: Option<VariableId>,
    pub(super) version: Option<VariableId>,
    /// Whether the program looks at the version: then the thread runs for both.
    pub(super) has_versions: bool,
    pub(super) depth: Option<VariableId>,
    pub(super) queue: Option<VariableId>,
    pub(super) pipe: Option<VariableId>,
    pub(super) queues_of_port: u16,
}

impl Ghost {
    fn of(architecture: &Architecture, traffic: &TrafficFields, program: &Program, prefix: &str) -> Self {
        let (Some(fields), Ok(blocks)) = (traffic.ghost, architecture.stage_of_pipe(program, prefix, Stage::Ghost))
        else {
            return Self::default();
        };
        let named = |name: &str| program.intrinsic(&format!("{prefix}{name}"));
        let version = named(fields.version);
        let has = |header: &&Header| header.fields.iter().any(|field| Some(field.variable) == version);
        Self {
            block: blocks.last().copied(),
            valid: program.headers.iter().find(has).map(|header| header.valid),
            version,
            has_versions: version.is_some_and(|version| reads(program, version)),
            depth: named(fields.depth),
            queue: named(fields.queue),
            pipe: named(fields.pipe),
            queues_of_port: fields.queues_of_port,
        }
    }
}

impl Decisions {
    fn of(architecture: &Architecture, traffic: &TrafficFields, program: &Program, prefix: &str) -> Self {
        let named = |name: &str| program.intrinsic(&format!("{prefix}{name}"));
        Self {
            no_port: traffic.no_port,
            port: named(architecture.destination),
            multicast: MulticastVariables {
                groups: [architecture.group.and_then(named), named(traffic.second_group)],
                node_hash: named(traffic.node_hash),
                lag_hash: named(traffic.lag_hash),
                node_exclusion: named(traffic.node_exclusion),
                port_exclusion: named(traffic.port_exclusion),
                excluded_replica: named(traffic.excluded_replica),
            },
            copy_to_cpu: named(traffic.copy_to_cpu),
            cpu_class_of_service: named(traffic.cpu_class_of_service),
            bypass_egress: named(traffic.bypass_egress),
            deflect_on_drop: named(traffic.deflect_on_drop),
            queue: architecture.queue.and_then(named),
            class_of_service: named(traffic.class_of_service),
            color: named(traffic.color),
            ingress_drop: named(traffic.ingress_drop),
            egress_drop: named(traffic.egress_drop),
            mirrors: traffic.mirrors.map(|fields| {
                let assigned = |field| Some((named(field)?, named(&arch::validity_of(field))?));
                fields.map(|fields| MirrorVariables {
                    as_it_leaves: assigned(fields.as_it_leaves),
                    port: assigned(fields.port),
                    queue: assigned(fields.queue),
                    class_of_service: assigned(fields.class_of_service),
                    deflect_on_drop: assigned(fields.deflect_on_drop),
                    multicast: assigned(fields.multicast),
                    hash: assigned(fields.hash),
                })
            }),
            greatest_lengths: traffic.greatest_lengths.map(|field| field.and_then(named)),
        }
    }
}

fn gress([parser, control, deparser]: [Option<NamedBlock>; 3]) -> Option<Gress> {
    Some(Gress { parser: parser?, control: control?, deparser: deparser? })
}

/// Returns true if any function of a program, or a key of a table, reads a variable.
fn reads(program: &Program, variable: VariableId) -> bool {
    let mut found = false;
    let mut look = |expression: &ir::Expression| {
        expression.walk(&mut |part| found |= matches!(part, ir::Expression::Variable(own) if *own == variable));
    };
    let mut see = |statement: &Statement| statement.expressions().into_iter().for_each(&mut look);
    for function in &program.functions {
        function.body.iter().for_each(|statement| statement.walk(&mut see));
    }
    for table in &program.tables {
        table.keys.iter().for_each(|key| look(&key.value));
    }
    found
}
