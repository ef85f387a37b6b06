//! Instances of controls and parsers (14.4, 13.10), and their applications.
//!
//! An instance is written once, where it is first applied. If an instance is applied in one place only, arguments that
//! share no variable with others replace its parameters, which no program can tell from copying them in and out. All
//! other arguments are copied.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use ir::{Block, FunctionId, FunctionKind, Program, Statement, VariableId};

use super::constants::known;
use super::frame::{Argument, Bound, Frame, Instance, Made};
use super::l_values::Destination;
use super::tree::{LValue, Leaf, Tree, Value};
use super::{Applications, Lowering, Writer};
use crate::ast::{self, ArgumentValue, DeclarationKind, Direction};
use crate::check::Called;
use crate::types::{Sort, Type};

/// An instance of a control or parser that was written.
pub(super) struct WrittenInstance {
    /// Its block in the IR.
    pub block: Block,
    /// The l-values of its parameters; `None` for a packet.
    parameters: Vec<Option<LValue>>,
    /// The names of the externs that it was applied with.
    externs: Vec<Option<String>>,
}

/// A parameter and its argument.
struct Given<'a> {
    /// The index of the parameter.
    parameter: usize,
    direction: Direction,
    of: Type,
    /// The value that is copied in.
    value: Value,
    /// The l-value that the argument is, if it is one.
    target: Option<Destination>,
    /// The extern, such as a register, that is passed instead of a value.
    instance: Option<Rc<Instance<'a>>>,
}

impl Given<'_> {
    fn extern_name(&self) -> Option<String> {
        self.instance.as_ref().map(|instance| instance.name.clone())
    }
}

impl<'a> Lowering<'a> {
    /// Makes an instance that is declared.
    pub(super) fn instance(&mut self, declaration: &'a ast::Declaration) {
        let DeclarationKind::Instantiation(node) = &declaration.kind else { return };
        let Some(called) = self.nodes.instantiation(node).cloned() else { return };
        let name = self.scopes.control_plane_name(&declaration.annotations, &node.name);
        let mut instance = self.make_instance(&called, &node.arguments, name, &declaration.annotations, node.name.span);
        if let Some(own) = Rc::get_mut(&mut instance) {
            own.body = node.body.as_deref();
        }
        self.scopes.bind(&self.nodes, &node.name, Bound::Instance(instance));
    }

    pub(super) fn make_instance(
        &mut self,
        called: &Called,
        arguments: &'a [ast::Argument],
        name: String,
        annotations: &'a [ast::Annotation],
        span: diagnostics::Span,
    ) -> Rc<Instance<'a>> {
        let crate::check::Target::Constructor(of, callable) = &called.target else {
            return Rc::new(Instance::nothing(crate::types::Types::UNKNOWN, name));
        };
        let own = called.type_arguments.iter().copied().collect();
        let of = self.types.substitute(*of, &own);
        let of = self.shapes().resolve(of);
        let given = callable.parameters.iter().enumerate().map(|(place, parameter)| {
            let argument = called.arguments.get(place).copied().flatten().and_then(|place| arguments.get(place));
            match argument.map(|argument| &argument.value) {
                Some(ArgumentValue::Given(node)) => Some(self.constructor_argument(node, &name)),
                _ => parameter
                    .default
                    .clone()
                    .map(|value| Argument::Value(self.storage().constant(&value, parameter.of))),
            }
        });
        let arguments: Vec<_> = given.collect();
        let made = self.make_extern(of, &name, &arguments, annotations, span);
        Rc::new(Instance { arguments, annotations, made, ..Instance::nothing(of, name) })
    }

    fn constructor_argument(&mut self, node: &'a ast::Expression, path: &str) -> Argument<'a> {
        if let Some(instance) = self.scopes.instance_named(&self.nodes, node) {
            return Argument::Instance(instance);
        }
        let called = self.nodes.call(node).cloned();
        if let (Some(called), ast::ExpressionKind::Call { arguments, .. }) = (called, &node.kind)
            && let crate::check::Target::Constructor(of, _) = called.target
        {
            let own = self.types.named(of).map(|(definition, ..)| definition);
            let own = own.map_or(String::new(), |own| self.types.definitions.get(own).name.to_string());
            let name = format!("{path}.{own}");
            return Argument::Instance(self.make_instance(&called, arguments, name, &[], node.span));
        }
        Argument::Value(self.value(node))
    }

    /// Writes `apply` of an instance, or of a type, which makes an instance for this call.
    pub(super) fn apply(
        &mut self,
        object: &'a ast::Expression,
        of: Type,
        called: &Called,
        arguments: &'a [ast::Argument],
    ) {
        let of = self.shapes().resolve(of);
        let instance = self.scopes.instance_named(&self.nodes, object).unwrap_or_else(|| {
            let own = self.types.named(of).map(|(definition, ..)| definition);
            let own = own.map_or(String::new(), |own| self.types.definitions.get(own).name.to_string());
            let name = format!("{}{own}", self.scopes.prefix());
            Rc::new(Instance::nothing(of, name))
        });
        let Some((definition, given, Sort::Machine(own))) = self.types.named(instance.of) else { return };
        let mut types: std::collections::HashMap<_, _> =
            own.type_parameters.iter().copied().zip(given.iter().copied()).collect();
        let own = Rc::clone(own);
        for (parameter, of) in &called.type_arguments {
            let of = self.shapes().resolve(*of);
            types.insert(*parameter, of);
        }
        let Some(&declaration) = self.declarations.top.get(&definition) else {
            self.found.unsupported(object.span, "a control or parser without a body");
            return;
        };
        let order = super::calls::order_of_arguments(&called.arguments, own.parameters.len());
        let mut all: Vec<Given<'a>> = Vec::new();
        for &place in &order {
            let parameter = &own.parameters[place];
            let mark = self.writer().mark();
            let argument = called.arguments.get(place).copied().flatten().and_then(|place| arguments.get(place));
            let of = self.types.substitute(parameter.of, &types);
            let of = self.shapes().resolve(of);
            let is_extern = matches!(self.types.named(of), Some((_, _, Sort::Extern(_))));
            let mut instance = None;
            let (value, target) = match argument {
                Some(ast::Argument { value: ArgumentValue::Given(node), .. }) if is_extern => {
                    instance = self.scopes.instance_named(&self.nodes, node);
                    (Tree::Nothing, None)
                }
                Some(_) => self.argument_of_machine(argument, parameter.direction),
                None => match parameter.default.clone() {
                    Some(value) => (self.storage().constant(&value, of), None),
                    None => (Tree::Nothing, None),
                },
            };
            self.writer().keep(mark, &mut all.iter_mut().map(|given| &mut given.value).collect::<Vec<_>>());
            all.push(Given { parameter: place, direction: parameter.direction, of, value, target, instance });
        }
        let known = instance.written.borrow().clone();
        match known {
            Some(written) if all.iter().map(Given::extern_name).ne(written.externs.iter().cloned()) => {
                self.found.unsupported(object.span, "another application of one instance with another extern");
            }
            Some(written) => {
                // The first application was written as if it were the only one: the program is lowered again.
                self.applications.repeated.insert(instance.name.clone());
                self.writer().apply_again(&written, &all);
            }
            None => self.apply_first(&instance, declaration, types, all),
        }
    }

    /// Returns the value and the l-value of an argument, also for an `in` parameter, which the l-value may replace.
    fn argument_of_machine(
        &mut self,
        argument: Option<&'a ast::Argument>,
        direction: Direction,
    ) -> (Value, Option<Destination>) {
        if let (Direction::In | Direction::None, Some(ast::Argument { value: ArgumentValue::Given(node), .. })) =
            (direction, argument)
        {
            let known = known(&self.nodes, node).is_some();
            let l_value = if known { None } else { self.readable_l_value(node) };
            let own = self.nodes.expression(node).is_some_and(|known| known.of == known.coerced);
            if let Some(l_value) = l_value.filter(|_| own) {
                return (l_value.read(), Some(Destination::from(l_value)));
            }
        }
        self.argument(argument, direction)
    }

    fn apply_first(
        &mut self,
        instance: &Rc<Instance<'a>>,
        declaration: &'a ast::Declaration,
        types: std::collections::HashMap<crate::types::Definition, Type>,
        all: Vec<Given<'a>>,
    ) {
        let aliases = aliases(&self.output.program, &self.applications, instance, &all);
        let (parameters, constructor_parameters) = match &declaration.kind {
            DeclarationKind::Control(node) => (&node.signature.parameters, &node.constructor_parameters),
            DeclarationKind::Parser(node) => (&node.signature.parameters, &node.constructor_parameters),
            _ => return,
        };
        if !self.limits.has_room_for_instance(&mut self.found, self.scopes.depth()) {
            return;
        }
        let path = instance.name.clone();
        self.scopes.frames.push(Frame { types, path: path.clone(), ..Frame::default() });
        let mut l_values: Vec<Option<LValue>> = vec![None; parameters.len()];
        for given in &all {
            let parameter = &parameters[given.parameter];
            let l_value = match &aliases[given.parameter] {
                Some(l_value) => l_value.clone(),
                None => {
                    self.storage().make_l_value(&format!("{path}.{}", parameter.name.text), given.of, parameter.span)
                }
            };
            match &given.instance {
                Some(instance) => self.scopes.bind(&self.nodes, &parameter.name, Bound::Instance(Rc::clone(instance))),
                None => self.scopes.bind(&self.nodes, &parameter.name, Bound::LValue(l_value.clone())),
            }
            l_values[given.parameter] = Some(l_value).filter(|l_value| !matches!(l_value, Tree::Nothing));
        }
        self.scopes.bind_constructor(&self.nodes, constructor_parameters, instance);
        let block = match &declaration.kind {
            DeclarationKind::Control(node) => Block::Function(self.lower_control(node, &path)),
            DeclarationKind::Parser(node) => Block::Parser(self.lower_parser(node, &path)),
            _ => return,
        };
        self.scopes.frames.pop();
        self.writer().give_all(&all, &l_values, &aliases);
        let after = self.writer().take_all(&all, &l_values, &aliases);
        self.writer().emit_block(block, after);
        let externs = all.iter().map(Given::extern_name).collect();
        *instance.written.borrow_mut() = Some(Rc::new(WrittenInstance { block, parameters: l_values, externs }));
    }

    /// Writes a control, in whose frame its parameters are bound.
    pub(super) fn lower_control(&mut self, node: &'a ast::Control, name: &str) -> FunctionId {
        let mark = self.switch.accesses.mark();
        let body = self.block_of(|lowering| {
            node.locals.iter().for_each(|declaration| lowering.local(declaration));
            lowering.statements(&node.body.statements);
        });
        let function = self.output.add_function(&mut self.limits, name, FunctionKind::Control, vec![], body);
        self.switch.accesses.close(mark, function);
        function
    }

    /// Writes a local declaration of a control or a parser.
    pub(super) fn local(&mut self, declaration: &'a ast::Declaration) {
        self.limits.here = Some(declaration.span);
        match &declaration.kind {
            DeclarationKind::Action(node) => {
                let name = self.scopes.control_plane_name(&declaration.annotations, &node.name);
                let action = self.lower_action(node, &name);
                self.scopes.bind(&self.nodes, &node.name, Bound::Action(action));
            }
            DeclarationKind::Table(node) => {
                let table = self.lower_table(node, &declaration.annotations);
                self.scopes.bind(&self.nodes, &node.name, Bound::Table(table));
            }
            DeclarationKind::ValueSet(node) => {
                let set = self.lower_value_set(node, &declaration.annotations);
                self.scopes.bind(&self.nodes, &node.name, Bound::ValueSet(set));
            }
            _ => self.declaration_in_block(declaration),
        }
    }
}

impl Writer<'_> {
    /// Writes another application of an instance, whose parameters all have variables of their own.
    fn apply_again(&mut self, written: &WrittenInstance, all: &[Given<'_>]) {
        self.give_all(all, &written.parameters, &vec![None; all.len()]);
        let after = self.take_all(all, &written.parameters, &vec![None; all.len()]);
        self.emit_block(written.block, after);
    }

    /// Copies in the arguments that do not replace their parameters.
    fn give_all(&mut self, all: &[Given<'_>], l_values: &[Option<LValue>], aliases: &[Option<LValue>]) {
        for given in all.iter().filter(|given| given.direction != Direction::Out) {
            if let (Some(l_value), None) = (&l_values[given.parameter], &aliases[given.parameter]) {
                self.assign_l_value(l_value, given.value.clone());
            }
        }
        // `out` parameters come last, because the other arguments may read their variables.
        for given in all.iter().filter(|given| given.direction == Direction::Out) {
            if let Some(l_value) = &l_values[given.parameter] {
                self.make_undefined(l_value);
            }
        }
    }

    /// Returns the statements that copy out.
    fn take_all(
        &mut self,
        all: &[Given<'_>],
        l_values: &[Option<LValue>],
        aliases: &[Option<LValue>],
    ) -> Vec<Statement> {
        self.block_of(|lowering| {
            for given in all.iter().filter(|given| matches!(given.direction, Direction::Out | Direction::InOut)) {
                if let (Some(l_value), Some(target), None) =
                    (&l_values[given.parameter], &given.target, &aliases[given.parameter])
                {
                    lowering.assign(target, l_value.read());
                }
            }
        })
    }
}

/// Returns the arguments that replace parameters: fixed l-values that share no variable with another argument, of an
/// instance that is applied once.
fn aliases<'a>(
    program: &Program,
    applications: &Applications,
    instance: &Instance<'a>,
    all: &[Given<'a>],
) -> Vec<Option<LValue>> {
    if applications.known_repeated.contains(&instance.name) {
        return vec![None; all.len()];
    }
    let reached: Vec<HashSet<VariableId>> = all.iter().map(|given| reached(program, given)).collect();
    let own = |number: usize, given: &Given<'a>| {
        let target = given.target.as_ref()?;
        let is_fixed = target.l_value.leaves().iter().all(|leaf| matches!(leaf, Leaf::Variable(_)));
        let is_whole = target.slice.is_none() && target.siblings.is_empty();
        let mut others = (0..all.len()).filter(|&other| other != number);
        let is_alone = others.all(|other| reached[other].is_disjoint(&reached[number]));
        (is_fixed && is_whole && is_alone).then(|| target.l_value.clone())
    };
    let mut aliases = vec![None; all.len()];
    for (number, given) in all.iter().enumerate() {
        aliases[given.parameter] = own(number, given);
    }
    aliases
}

/// Returns the variables that the l-value of an argument may consist of.
fn reached<'a>(program: &Program, given: &Given<'a>) -> HashSet<VariableId> {
    let leaves = given.target.as_ref().map_or(vec![], |target| target.l_value.leaves());
    let mut all = HashSet::new();
    for leaf in leaves {
        match leaf {
            Leaf::Variable(variable) => all.extend([*variable]),
            Leaf::Element(array, _) => all.extend(&program.arrays[array.index()].elements),
        }
    }
    all
}

impl Instance<'_> {
    fn nothing(of: Type, name: String) -> Self {
        let (methods, written) = (RefCell::default(), RefCell::new(None));
        Self { of, name, arguments: vec![], annotations: &[], body: None, made: Made::Nothing, methods, written }
    }
}
