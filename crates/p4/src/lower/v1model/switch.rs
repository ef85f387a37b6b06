//! The package of v1model: which block is which, and what the blocks share.

use std::rc::Rc;

use diagnostics::Span;
use ir::{Block, Entrance};

use crate::ast::{self, ArgumentValue, DeclarationKind, ExpressionKind};
use crate::check::{Called, Target};
use crate::lower::Lowering;
use crate::lower::frame::{Bound, Frame, Instance};
use crate::lower::tree::{Leaf, Place, Tree};
use crate::types::{Definition, Sort, Type};

/// The package of v1model.
pub(in crate::lower) const PACKAGE: &str = "V1Switch";

/// What a parameter of a block is bound to.
#[derive(Clone, Copy)]
enum Role {
    Packet,
    Headers,
    Metadata,
    Standard,
}

use Role::{Headers, Metadata, Packet, Standard};

/// The blocks by the parameters of the package, with the names that machines know them by.
const BLOCKS: [(&str, &[Role]); 6] = [
    ("parser", &[Packet, Headers, Metadata, Standard]),
    ("verify_checksum", &[Headers, Metadata]),
    ("ingress", &[Headers, Metadata, Standard]),
    ("egress", &[Headers, Metadata, Standard]),
    ("compute_checksum", &[Headers, Metadata]),
    ("deparser", &[Packet, Headers]),
];

/// Which of the blocks is ingress: its author's names of the parameters name the variables.
const INGRESS: usize = 2;

/// What the blocks of a packet's way have in common.
struct Shared {
    headers: Place,
    metadata: Place,
    standard: Place,
}

impl<'a> Lowering<'a> {
    pub(in crate::lower) fn v1model_switch(&mut self, called: &Called, given: &'a [ast::Argument], span: Span) {
        self.switch.info.architecture = "v1model".to_owned();
        let arguments = (0..BLOCKS.len()).map(|place| {
            let argument = given.get(called.arguments.get(place).copied().flatten()?)?;
            match &argument.value {
                ArgumentValue::Given(node) => self.block_instance(node),
                ArgumentValue::Ignored => None,
            }
        });
        let instances: Vec<Option<Rc<Instance<'a>>>> = arguments.collect();
        let Some(instances) = instances.into_iter().collect::<Option<Vec<_>>>() else {
            return self.error(span, format!("`{PACKAGE}` takes six blocks: parser, controls and deparser"));
        };
        let Some(shared) = self.shared(&instances[INGRESS]) else {
            return self.error(span, "the ingress of the switch has no body");
        };
        self.find_replication_widths();
        for (instance, (name, roles)) in instances.iter().zip(BLOCKS) {
            if let Some(block) = self.switch_block(instance, roles, &shared) {
                self.program.entrances.push(Entrance { name: name.to_owned(), block });
            }
        }
        self.doubt_meter_reads();
    }

    /// How wide ports, instances and groups are, as the program's own v1model.p4 declares them.
    fn find_replication_widths(&mut self) {
        let mut width = |name: &str, published: u32| {
            let field = self.standard_field(name);
            field.map_or(published, |field| self.leaf_type(&field).width())
        };
        let (port, instance, group) = (width("egress_port", 9), width("egress_rid", 16), width("mcast_grp", 16));
        self.switch.info.replication = control::ReplicationWidths { port, instance, group };
    }

    /// The parser or control that an argument of the package names or makes.
    fn block_instance(&mut self, node: &'a ast::Expression) -> Option<Rc<Instance<'a>>> {
        if let Some(instance) = self.instance_named(node) {
            return Some(instance);
        }
        let called = self.checked.call(node)?.clone();
        let (Target::Constructor(of, _), ExpressionKind::Call { arguments, .. }) = (&called.target, &node.kind) else {
            return None;
        };
        // What is made within the package has the name of its type.
        let (definition, ..) = self.checked.types.named(*of)?;
        let name = self.checked.types.definitions.get(definition).name.to_string();
        Some(self.make_instance(&called, arguments, name, &[], node.span))
    }

    fn machine(&mut self, instance: &Instance<'a>) -> Option<(&'a ast::Declaration, Vec<(Definition, Type)>)> {
        let (definition, given, Sort::Machine(own)) = self.checked.types.named(instance.of)? else { return None };
        let types = own.type_parameters.iter().copied().zip(given.iter().copied()).collect();
        Some((self.declarations.get(&definition).copied()?, types))
    }

    /// Variables for headers and metadata, which all blocks share.
    fn shared(&mut self, ingress: &Rc<Instance<'a>>) -> Option<Shared> {
        let (declaration, types) = self.machine(ingress)?;
        let DeclarationKind::Control(node) = &declaration.kind else { return None };
        let [headers, metadata, standard] = node.signature.parameters.as_slice() else { return None };
        self.frames.push(Frame { types: types.into_iter().collect(), ..Frame::default() });
        let mut make = |parameter: &'a ast::Parameter| {
            let of = self.written(&parameter.parameter_type);
            (self.make_place(&parameter.name.text, of, parameter.span), of)
        };
        let (headers, _) = make(headers);
        let (metadata, metadata_type) = make(metadata);
        let (standard, _) = make(standard);
        self.find_field_lists(&metadata, metadata_type);
        self.frames.pop();
        self.switch.standard_metadata = Some(standard.clone());
        if let Tree::Struct(fields) = &standard {
            let fields = fields.iter().filter_map(|(name, field)| match field {
                Tree::Scalar(Leaf::Variable(variable)) => Some((name.to_string(), *variable)),
                _ => None,
            });
            self.program.intrinsics.extend(fields);
        }
        Some(Shared { headers, metadata, standard })
    }

    /// A block of the switch, whose parameters are what all blocks share.
    fn switch_block(&mut self, instance: &Rc<Instance<'a>>, roles: &[Role], shared: &Shared) -> Option<Block> {
        let (declaration, types) = self.machine(instance)?;
        let (parameters, constructor_parameters) = match &declaration.kind {
            DeclarationKind::Control(node) => (&node.signature.parameters, &node.constructor_parameters),
            DeclarationKind::Parser(node) => (&node.signature.parameters, &node.constructor_parameters),
            _ => return None,
        };
        let path = instance.name.clone();
        self.frames.push(Frame { types: types.into_iter().collect(), path: path.clone(), ..Frame::default() });
        for (parameter, role) in parameters.iter().zip(roles) {
            let place = match role {
                Packet => Tree::Nothing,
                Headers => shared.headers.clone(),
                Metadata => shared.metadata.clone(),
                Standard => shared.standard.clone(),
            };
            self.bind(&parameter.name, Bound::Place(place));
        }
        self.bind_constructor(constructor_parameters, instance);
        let block = match &declaration.kind {
            DeclarationKind::Control(node) => Block::Function(self.lower_control(node, &path)),
            DeclarationKind::Parser(node) => Block::Parser(self.lower_parser(node, &path)),
            _ => unreachable!("looked at above"),
        };
        self.frames.pop();
        Some(block)
    }
}
