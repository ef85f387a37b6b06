//! The package of an architecture: its blocks, and the variables that they share.

use std::rc::Rc;

use arch::{IntrinsicValue, Parameter, Stage};
use diagnostics::Span;
use ir::{Block, Entrance};

use super::Lowering;
use super::frame::{Bound, Frame, Instance};
use super::tree::{LValue, Leaf, Tree};
use crate::ast::{self, ArgumentValue, DeclarationKind, ExpressionKind};
use crate::check::{Called, Target};
use crate::types::{Definition, Sort, Type};

/// The variables that the blocks share.
struct Shared {
    headers: LValue,
    metadata: LValue,
    intrinsics: LValue,
}

impl Shared {
    fn l_value(&self, parameter: Parameter) -> LValue {
        match parameter {
            Parameter::Packet => Tree::Nothing,
            Parameter::Headers => self.headers.clone(),
            Parameter::Metadata => self.metadata.clone(),
            Parameter::Intrinsics => self.intrinsics.clone(),
        }
    }
}

/// Writes the blocks of the package that a program is an instance of.
pub(super) struct PackageWriter<'c, 'a> {
    pub lowering: &'c mut Lowering<'a>,
}

impl<'a> PackageWriter<'_, 'a> {
    /// Writes the instance of the package of the architecture.
    pub(super) fn package(&mut self, called: &Called, given: &'a [ast::Argument], span: Span) {
        let architecture = self.lowering.architecture;
        self.lowering.info.architecture = Some(architecture);
        let arguments = (0..architecture.blocks.len()).map(|place| {
            let argument = given.get(called.arguments.get(place).copied().flatten()?)?;
            match &argument.value {
                ArgumentValue::Given(node) => self.block_instance(node),
                ArgumentValue::Ignored => None,
            }
        });
        let instances: Vec<Option<Rc<Instance<'a>>>> = arguments.collect();
        let Some(instances) = instances.into_iter().collect::<Option<Vec<_>>>() else {
            let names: Vec<&str> = architecture.blocks.iter().map(|block| block.name).collect();
            let message = format!("`{}` takes {} blocks: {}", architecture.package, names.len(), names.join(", "));
            return self.lowering.found.error(span, message);
        };
        let ingress = architecture.main_block(Stage::Ingress);
        let own = architecture.blocks.iter().position(|block| block == ingress).and_then(|place| instances.get(place));
        let Some(shared) = own.and_then(|own| self.shared(own, ingress.parameters)) else {
            return self.lowering.found.error(span, "the ingress of the switch has no body");
        };
        self.find_replication_widths();
        for (instance, block) in instances.iter().zip(architecture.blocks) {
            if let Some(code) = self.block(instance, block.parameters, &shared) {
                self.lowering.output.program.entrances.push(Entrance { name: block.name.to_owned(), block: code });
            }
        }
        self.lowering.objects().lint_meter_reads();
    }

    /// Notes the widths of ports, instances and groups, as the header that the program includes declares them.
    fn find_replication_widths(&mut self) {
        let architecture = self.lowering.architecture;
        let width = |name: Option<&str>, published: u32| {
            let field = name.and_then(|name| self.lowering.switch.intrinsic(name));
            field.map_or(published, |field| self.lowering.output.leaf_type(&field).width())
        };
        let port = width(architecture.field(IntrinsicValue::DeparturePort), 9);
        let (instance, group) = (width(architecture.copy, 16), width(architecture.group, 16));
        let class_of_service = width(architecture.queue, 0);
        self.lowering.info.replication = control::ReplicationWidths { port, instance, group, class_of_service };
    }

    /// Returns the parser or control that an argument of the package names or constructs.
    fn block_instance(&mut self, node: &'a ast::Expression) -> Option<Rc<Instance<'a>>> {
        if let Some(instance) = self.lowering.scopes.instance_named(&self.lowering.nodes, node) {
            return Some(instance);
        }
        let called = self.lowering.nodes.call(node)?.clone();
        let (Target::Constructor(of, _), ExpressionKind::Call { arguments, .. }) = (&called.target, &node.kind) else {
            return None;
        };
        // An instance that is constructed within the package has the name of its type.
        let (definition, ..) = self.lowering.types.named(*of)?;
        let name = self.lowering.types.definitions.get(definition).name.to_string();
        Some(self.lowering.make_instance(&called, arguments, name, &[], node.span))
    }

    fn machine(&mut self, instance: &Instance<'a>) -> Option<(&'a ast::Declaration, Vec<(Definition, Type)>)> {
        let (definition, given, Sort::Machine(own)) = self.lowering.types.named(instance.of)? else { return None };
        let types = own.type_parameters.iter().copied().zip(given.iter().copied()).collect();
        Some((self.lowering.declarations.top.get(&definition).copied()?, types))
    }

    /// Makes the variables for headers and metadata, which all blocks share. They are named after the parameters of
    /// ingress.
    fn shared(&mut self, ingress: &Rc<Instance<'a>>, roles: &[Parameter]) -> Option<Shared> {
        let (declaration, types) = self.machine(ingress)?;
        let DeclarationKind::Control(node) = &declaration.kind else { return None };
        let parameters = &node.signature.parameters;
        if parameters.len() != roles.len() {
            return None;
        }
        self.lowering.scopes.frames.push(Frame { types: types.into_iter().collect(), ..Frame::default() });
        let mut shared = Shared { headers: Tree::Nothing, metadata: Tree::Nothing, intrinsics: Tree::Nothing };
        for (parameter, role) in parameters.iter().zip(roles) {
            let of = self.lowering.written(&parameter.parameter_type);
            let l_value = match role {
                Parameter::Packet => continue,
                Parameter::Headers => &mut shared.headers,
                Parameter::Metadata => &mut shared.metadata,
                Parameter::Intrinsics => &mut shared.intrinsics,
            };
            *l_value = self.lowering.storage().make_l_value(&parameter.name.text, of, parameter.span);
            if *role == Parameter::Metadata {
                self.lowering.objects().find_field_lists(&shared.metadata, of);
            }
        }
        self.lowering.scopes.frames.pop();
        self.lowering.switch.intrinsics = Some(shared.intrinsics.clone());
        if let Tree::Struct(fields) = &shared.intrinsics {
            let fields = fields.iter().filter_map(|(name, field)| match field {
                Tree::Scalar(Leaf::Variable(variable)) => Some((name.to_string(), *variable)),
                _ => None,
            });
            self.lowering.output.program.intrinsics.extend(fields);
        }
        Some(shared)
    }

    /// Writes a block of the switch, whose parameters are the shared variables.
    fn block(&mut self, instance: &Rc<Instance<'a>>, roles: &[Parameter], shared: &Shared) -> Option<Block> {
        let (declaration, types) = self.machine(instance)?;
        let (parameters, constructor_parameters) = match &declaration.kind {
            DeclarationKind::Control(node) => (&node.signature.parameters, &node.constructor_parameters),
            DeclarationKind::Parser(node) => (&node.signature.parameters, &node.constructor_parameters),
            _ => return None,
        };
        let path = instance.name.clone();
        self.lowering.scopes.frames.push(Frame {
            types: types.into_iter().collect(),
            path: path.clone(),
            ..Frame::default()
        });
        for (parameter, role) in parameters.iter().zip(roles) {
            self.lowering.scopes.bind(&self.lowering.nodes, &parameter.name, Bound::LValue(shared.l_value(*role)));
        }
        self.lowering.scopes.bind_constructor(&self.lowering.nodes, constructor_parameters, instance);
        let block = match &declaration.kind {
            DeclarationKind::Control(node) => Block::Function(self.lowering.lower_control(node, &path)),
            DeclarationKind::Parser(node) => Block::Parser(self.lowering.lower_parser(node, &path)),
            _ => unreachable!("looked at above"),
        };
        self.lowering.scopes.frames.pop();
        Some(block)
    }
}
