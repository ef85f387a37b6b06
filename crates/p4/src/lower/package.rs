//! The package of an architecture: the blocks of its pipes, and the variables that they share.

use std::rc::Rc;

use arch::{IntrinsicValue, Package, Stage};
use diagnostics::Span;
use ir::{Block, Entrance};

use super::Lowering;
use super::frame::{Argument, Bound, Frame, Instance};
use super::parser_instances::Parts;
use super::shared::Shared;
use crate::ast::{self, ArgumentValue, DeclarationKind, ExpressionKind};
use crate::check::{Called, Target};
use crate::types::{Definition, Sort, Type};

/// Writes the blocks of the package that a program is an instance of.
pub(super) struct PackageWriter<'c, 'a> {
    pub lowering: &'c mut Lowering<'a>,
}

/// The blocks of one pipe, in the order of the architecture.
type Blocks<'a> = Vec<Parts<'a>>;

/// A parser or a control, with what its type parameters stand for.
type Machine<'a> = (&'a ast::Declaration, Vec<(Definition, Type)>);

impl<'a> PackageWriter<'_, 'a> {
    /// Writes the instance of the package of the architecture.
    pub(super) fn package(&mut self, package: &Package, called: &Called, given: &'a [ast::Argument], span: Span) {
        self.lowering.info.architecture = Some(self.lowering.architecture);
        match package.pipeline {
            None => {
                let count = self.lowering.architecture.blocks.len();
                let blocks = (0..count).map(|place| match self.argument(called, given, place) {
                    Some(own) => Parts { instances: vec![own], channels: vec![vec![]] },
                    None => Parts::NONE,
                });
                let blocks = blocks.collect();
                self.pipe("", package.name, blocks, span);
            }
            Some(pipeline) => self.pipes(pipeline, called, given, span),
        }
        self.lowering.objects().lint_meter_reads();
    }

    /// Writes the pipes of a package that takes instances of another one.
    fn pipes(&mut self, pipeline: &str, called: &Called, given: &'a [ast::Argument], span: Span) {
        let places = called.arguments.len();
        let own: Vec<Option<Rc<Instance<'a>>>> = (0..places).map(|place| self.argument(called, given, place)).collect();
        let own: Vec<Rc<Instance<'a>>> = own.into_iter().flatten().collect();
        let has_several = own.len() > 1;
        for (number, instance) in own.iter().enumerate() {
            let prefix = if has_several { arch::pipe_prefix(number) } else { String::new() };
            if let Some(first) = own[..number].iter().position(|other| Rc::ptr_eq(other, instance)) {
                self.repeat_pipe(&arch::pipe_prefix(first), &prefix);
                continue;
            }
            let blocks = (0..self.lowering.architecture.blocks.len()).map(|place| {
                let Some(Some(Argument::Instance(given))) = instance.arguments.get(place) else { return Parts::NONE };
                let parts = self.parts(given, span);
                let renamed = parts.instances.iter().enumerate().map(|(place, block)| {
                    let name = self.type_name(block);
                    let is_again = parts.instances[..place].iter().any(|other| other.of == block.of);
                    let number = if is_again { place.to_string() } else { String::new() };
                    // With one pipe, names need no prefix: controllers know `SwitchIngress.forward`.
                    let pipe = if has_several { format!("{}.", instance.name) } else { String::new() };
                    Rc::new(block.renamed(format!("{pipe}{name}{number}")))
                });
                Parts { instances: renamed.collect(), ..parts }
            });
            let blocks = blocks.collect();
            self.pipe(&prefix, pipeline, blocks, span);
        }
    }

    /// Gives a pipe the blocks and the metadata of an earlier one.
    fn repeat_pipe(&mut self, first: &str, prefix: &str) {
        let renamed = |name: &str| Some(format!("{prefix}{}", name.strip_prefix(first)?));
        let program = &mut self.lowering.output.program;
        let entrances = program.entrances.iter();
        let entrances = entrances.filter_map(|own| Some(Entrance { name: renamed(&own.name)?, block: own.block }));
        let entrances: Vec<Entrance> = entrances.collect();
        let intrinsics = program.intrinsics.iter().filter_map(|(name, variable)| Some((renamed(name)?, *variable)));
        let intrinsics: Vec<_> = intrinsics.collect();
        program.entrances.extend(entrances);
        program.intrinsics.extend(intrinsics);
    }

    /// Writes the blocks of one pipe, whose entrances and metadata have this prefix.
    fn pipe(&mut self, prefix: &str, package: &str, instances: Blocks<'a>, span: Span) {
        let architecture = self.lowering.architecture;
        let is_complete = architecture
            .blocks
            .iter()
            .zip(&instances)
            .all(|(block, own)| !own.instances.is_empty() || block.is_optional);
        if !is_complete {
            let needed = architecture.blocks.iter().filter(|block| !block.is_optional);
            let names: Vec<&str> = needed.map(|block| block.name).collect();
            let message = format!("`{package}` takes {} blocks: {}", names.len(), names.join(", "));
            return self.lowering.found.error(span, message);
        }
        let mut shared = Shared::of_pipe(prefix);
        for stage in [Stage::Ingress, Stage::Egress] {
            // The variables of a gress are named after the parameters of its control.
            let own = architecture.blocks.iter().zip(&instances).rfind(|(block, _)| block.stage == stage);
            let Some((block, Some(instance))) = own.map(|(block, own)| (block, own.instances.first())) else {
                continue;
            };
            if !shared.has(block.gress) && self.bind_parameters(instance, block, &mut shared).is_none() {
                return self
                    .lowering
                    .found
                    .error(span, format!("the block `{}` of the switch has no body", block.name));
            }
        }
        let aliases = std::mem::take(&mut self.lowering.switch.aliases);
        aliases.iter().for_each(|alias| shared.alias(self.lowering, alias));
        self.lowering.switch.aliases = aliases;
        for (parts, block) in instances.iter().zip(architecture.blocks) {
            if let Some(code) = self.code(parts, block, &mut shared) {
                let name = format!("{prefix}{}", block.name);
                self.lowering.output.program.entrances.push(Entrance { name, block: code });
            }
        }
        self.find_replication_widths();
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

    /// Returns the instance that is the argument for a parameter of the main package.
    fn argument(&mut self, called: &Called, given: &'a [ast::Argument], place: usize) -> Option<Rc<Instance<'a>>> {
        let argument = given.get(called.arguments.get(place).copied().flatten()?)?;
        match &argument.value {
            ArgumentValue::Given(node) => self.instance(node),
            ArgumentValue::Ignored => None,
        }
    }

    /// Returns the parser, control or pipe that an argument of the package names or constructs.
    fn instance(&mut self, node: &'a ast::Expression) -> Option<Rc<Instance<'a>>> {
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

    /// Returns the name of the type of an instance.
    fn type_name(&self, instance: &Instance<'a>) -> String {
        let named = self.lowering.types.named(instance.of);
        named.map_or_else(String::new, |(own, ..)| self.lowering.types.definitions.get(own).name.to_string())
    }

    pub(super) fn machine(&mut self, instance: &Instance<'a>) -> Option<Machine<'a>> {
        let (definition, given, Sort::Machine(own)) = self.lowering.types.named(instance.of)? else { return None };
        let types = own.type_parameters.iter().copied().zip(given.iter().copied()).collect();
        Some((self.lowering.declarations.top.get(&definition).copied()?, types))
    }

    /// Makes the variables for the parameters of a block that have none yet, in a frame of the block, which this leaves.
    fn bind_parameters(&mut self, instance: &Instance<'a>, block: &arch::Block, shared: &mut Shared) -> Option<()> {
        let (declaration, types) = self.machine(instance)?;
        let signature = match &declaration.kind {
            DeclarationKind::Control(node) => &node.signature,
            DeclarationKind::Parser(node) => &node.signature,
            _ => return None,
        };
        self.lowering.scopes.frames.push(Frame { types: types.into_iter().collect(), ..Frame::default() });
        let roles = self.roles(&signature.parameters, block);
        for (parameter, role) in signature.parameters.iter().zip(roles?) {
            shared.l_value(self.lowering, block.gress, role, parameter);
        }
        self.lowering.scopes.frames.pop();
        Some(())
    }

    /// Returns the role of each parameter of a block. A parameter that may be left out is recognised by its type.
    fn roles(&mut self, parameters: &'a [ast::Parameter], block: &arch::Block) -> Option<Vec<arch::Parameter>> {
        let mut roles = block.parameters.iter().copied();
        let mut found = Vec::new();
        for parameter in parameters {
            let of = self.lowering.written(&parameter.parameter_type);
            let name = self.lowering.types.named(of).map(|(own, ..)| &*self.lowering.types.definitions.get(own).name);
            found.push(roles.find(|role| match role {
                arch::Parameter::Optional(group) => name == Some(group.of),
                _ => true,
            })?);
        }
        Some(found)
    }

    /// Writes a block of the switch from the instances that the program gives for it.
    fn code(&mut self, parts: &Parts<'a>, block: &'static arch::Block, shared: &mut Shared) -> Option<Block> {
        let mut codes: Vec<Block> = Vec::new();
        for instance in &parts.instances {
            let Some(code) = self.block(instance, block, shared) else {
                let place = self.machine(instance).and_then(|(own, _)| own.name().map(|name| name.span));
                let message = format!("this is no block that can be the `{}` of the switch", block.name);
                match place {
                    Some(place) => self.lowering.found.error(place, message),
                    None => self.lowering.found.report(diagnostics::Diagnostic::without_place(message)),
                }
                return None;
            };
            codes.push(code);
        }
        let parsers = codes.iter().filter_map(|code| match code {
            Block::Parser(parser) => Some(*parser),
            Block::Function(_) => None,
        });
        let parsers: Vec<_> = parsers.collect();
        if parsers.len() < 2 {
            return codes.first().copied();
        }
        Some(self.parser_of_channels(&parsers, &parts.channels, block.stage == Stage::EgressParser))
    }

    /// Writes a block of the switch, whose parameters are the shared variables.
    fn block(
        &mut self,
        instance: &Rc<Instance<'a>>,
        arch_block: &'static arch::Block,
        shared: &mut Shared,
    ) -> Option<Block> {
        self.bind_parameters(instance, arch_block, shared)?;
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
        let roles = self.roles(parameters, arch_block)?;
        for (parameter, role) in parameters.iter().zip(roles) {
            let l_value = shared.l_value(self.lowering, arch_block.gress, role, parameter);
            self.lowering.scopes.bind(&self.lowering.nodes, &parameter.name, Bound::LValue(l_value));
        }
        self.lowering.scopes.bind_constructor(&self.lowering.nodes, constructor_parameters, instance);
        let is_deparser = matches!(arch_block.stage, Stage::IngressDeparser | Stage::Deparser);
        self.lowering.switch.deparser = is_deparser.then_some(arch_block);
        let code = match &declaration.kind {
            DeclarationKind::Control(node) => Block::Function(self.lowering.lower_control(node, &path)),
            DeclarationKind::Parser(node) => Block::Parser(self.lowering.lower_parser(node, &path)),
            _ => unreachable!("looked at above"),
        };
        self.lowering.switch.deparser = None;
        self.lowering.scopes.frames.pop();
        let is_control = matches!(arch_block.stage, Stage::Ingress | Stage::Egress);
        match code {
            Block::Function(function) if is_control => {
                let after = shared.copies(self.lowering, arch_block.gress);
                if after.is_empty() {
                    return Some(code);
                }
                // However the control ends, what follows a call runs.
                let body = vec![ir::Statement::Flow(ir::Flow::Call { function, after })];
                let (limits, name) = (&mut self.lowering.limits, format!("{path}.$shared"));
                let kind = ir::FunctionKind::Control;
                let outer = self.lowering.output.add_function(limits, &name, kind, vec![], body);
                Some(Block::Function(outer))
            }
            code => Some(code),
        }
    }
}
