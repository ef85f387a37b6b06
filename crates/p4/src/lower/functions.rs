//! Functions and actions (sections 10 and 14.1): their parameters become variables, and they become functions of the
//! IR.

use std::rc::Rc;

use ir::{FunctionId, FunctionKind, VariableId};

use super::Lowering;
use super::frame::{Bound, Frame};
use super::tree::{LValue, Leaf};
use crate::ast::{self, DeclarationKind, Direction};
use crate::types::{Definition, Type};

/// A function or an action that was written.
pub(super) struct Lowered {
    /// The function of the IR.
    pub function: FunctionId,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// The l-value of its result.
    pub result: Option<LValue>,
}

/// A parameter with its variables.
#[derive(Clone)]
pub(super) struct Parameter {
    /// Its name.
    pub name: Rc<str>,
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub of: Type,
    /// Its variables.
    pub l_value: LValue,
}

impl<'a> Lowering<'a> {
    /// Makes variables for parameters, and binds them in the current frame.
    pub(super) fn make_parameters(&mut self, path: &str, parameters: &'a [ast::Parameter]) -> Vec<Parameter> {
        let make = |parameter: &'a ast::Parameter| {
            let of = self.written(&parameter.parameter_type);
            let name = format!("{path}.{}", parameter.name.text);
            let l_value = self.storage().make_l_value(&name, of, parameter.span);
            self.scopes.bind(&self.nodes, &parameter.name, Bound::LValue(l_value.clone()));
            Parameter { name: Rc::clone(&parameter.name.text), direction: parameter.direction, of, l_value }
        };
        parameters.iter().map(make).collect()
    }

    /// Writes an action, in the frame of its instance.
    pub(super) fn lower_action(&mut self, node: &'a ast::Action, name: &str) -> Rc<Lowered> {
        let path = std::mem::replace(&mut self.scopes.frame().path, name.to_owned());
        let result = self.scopes.frame().result.take();
        let parameters = self.make_parameters(name, &node.parameters);
        let mark = self.switch.accesses.mark();
        self.switch.within_actions += 1;
        let body = self.block_of(|lowering| lowering.statements(&node.body.statements));
        self.switch.within_actions -= 1;
        self.scopes.frame().path = path;
        self.scopes.frame().result = result;
        let given = parameters.iter().filter(|parameter| parameter.direction == Direction::None);
        let data: Vec<VariableId> = given.flat_map(|parameter| variables(&parameter.l_value)).collect();
        let function = self.output.add_function(&mut self.limits, name, FunctionKind::Action, data, body);
        self.switch.accesses.close(mark, function);
        Rc::new(Lowered { function, parameters, result: None })
    }

    /// Returns an action of the instance or of the top level.
    pub(super) fn lowered_action(&mut self, definition: Definition) -> Option<Rc<Lowered>> {
        if let Some(Bound::Action(action)) = self.scopes.bound(definition) {
            return Some(action);
        }
        let declaration = *self.declarations.top.get(&definition)?;
        let DeclarationKind::Action(node) = &declaration.kind else { return None };
        self.scopes.frames.push(Frame::default());
        let name = self.scopes.control_plane_name(&declaration.annotations, &node.name);
        let lowered = self.lower_action(node, &name);
        self.scopes.frames.pop();
        self.scopes.frames[0].bindings.insert(definition, Bound::Action(Rc::clone(&lowered)));
        Some(lowered)
    }

    /// Returns a function of the program for these type arguments; `None` if it has no body.
    pub(super) fn lowered_function(
        &mut self,
        definition: Definition,
        type_arguments: &[(Definition, Type)],
    ) -> Option<Rc<Lowered>> {
        let resolved: Vec<(Definition, Type)> =
            type_arguments.iter().map(|&(parameter, of)| (parameter, self.shapes().resolve(of))).collect();
        let key = (definition, resolved.iter().map(|&(_, of)| of).collect::<Vec<_>>());
        if let Some(known) = self.applications.functions.get(&key) {
            return Some(Rc::clone(known));
        }
        let DeclarationKind::Function(node) = &self.declarations.top.get(&definition)?.kind else { return None };
        if !self.limits.has_room_for_instance(&mut self.found, self.scopes.depth()) {
            return None;
        }
        let name = &*node.prototype.signature.name.text;
        let types = resolved.into_iter().collect();
        let lowered = self.lower_function(node, name, Frame { types, path: name.to_owned(), ..Frame::default() });
        self.applications.functions.insert(key, Rc::clone(&lowered));
        Some(lowered)
    }

    /// Writes a function or an implementation of an abstract method, in a frame of its own.
    pub(super) fn lower_function(&mut self, node: &'a ast::Function, name: &str, frame: Frame<'a>) -> Rc<Lowered> {
        self.scopes.frames.push(frame);
        let parameters = self.make_parameters(name, &node.prototype.signature.parameters);
        let of = self.written(&node.prototype.result);
        let result = self.storage().make_l_value(&format!("{name}.$result"), of, node.prototype.signature.name.span);
        self.scopes.frame().result = Some(result.clone());
        let body = self.block_of(|lowering| lowering.statements(&node.body.statements));
        self.scopes.frames.pop();
        let function = self.output.add_function(&mut self.limits, name, FunctionKind::Function, vec![], body);
        Rc::new(Lowered { function, parameters, result: Some(result) })
    }
}

/// Returns the variables of an l-value, without those chosen by an index at run time.
pub(super) fn variables(l_value: &LValue) -> Vec<VariableId> {
    let leaves = l_value.leaves().into_iter();
    let own = leaves.filter_map(|leaf| match leaf {
        Leaf::Variable(variable) => Some(*variable),
        Leaf::Element(..) => None,
    });
    own.collect()
}
