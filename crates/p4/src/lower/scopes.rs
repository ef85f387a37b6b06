//! Look-up of names while an instance is written.

use std::rc::Rc;

use ir::ValueSetId;

use super::frame::{Argument, Bound, Frame, Instance};
use super::names::control_plane_name;
use super::tree::LValue;
use crate::ast::{self, ExpressionKind};
use crate::check::Nodes;
use crate::types::{Bindings, Definition};

/// The frames in which names are looked up: first in the last one, then in the first one, which is that of the top
/// level.
pub(super) struct Scopes<'a> {
    pub frames: Vec<Frame<'a>>,
}

impl<'a> Scopes<'a> {
    pub(super) fn new() -> Self {
        Self { frames: vec![Frame::default()] }
    }

    /// Returns the number of frames, including that of the top level.
    pub(super) fn depth(&self) -> u64 {
        self.frames.len() as u64
    }

    fn innermost(&self) -> &Frame<'a> {
        self.frames.last().expect("the top level's frame stays")
    }

    /// Returns the name of the instance that is written; empty at the top level.
    pub(super) fn path(&self) -> &str {
        &self.innermost().path
    }

    /// Returns the prefix of the names of variables.
    pub(super) fn prefix(&self) -> String {
        self.innermost().prefix()
    }

    /// Returns what type parameters stand for in the instance that is written.
    pub(super) fn types(&self) -> &Bindings {
        &self.innermost().types
    }

    /// Binds the parameters of a constructor to the arguments of an instance.
    pub(super) fn bind_constructor(
        &mut self,
        nodes: &Nodes<'a>,
        parameters: &'a [ast::Parameter],
        instance: &Instance<'a>,
    ) {
        for (parameter, argument) in parameters.iter().zip(&instance.arguments) {
            match argument {
                Some(Argument::Value(value)) => self.bind(nodes, &parameter.name, Bound::Value(value.clone())),
                Some(Argument::Instance(other)) => self.bind(nodes, &parameter.name, Bound::Instance(Rc::clone(other))),
                None => {}
            }
        }
    }

    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the top level's frame stays")
    }

    /// Returns what a name stands for here.
    pub(super) fn bound(&self, definition: Definition) -> Option<Bound<'a>> {
        let own = self.frames.last().and_then(|frame| frame.bindings.get(&definition));
        own.or_else(|| self.frames.first()?.bindings.get(&definition)).cloned()
    }

    pub(super) fn bind(&mut self, nodes: &Nodes<'a>, name: &'a ast::Name, bound: Bound<'a>) {
        if let Some(definition) = nodes.definition(name) {
            self.frame().bindings.insert(definition, bound);
        }
    }

    /// Returns the l-value of a variable or a parameter.
    pub(super) fn named_l_value(&self, definition: Definition) -> Option<LValue> {
        match self.bound(definition) {
            Some(Bound::LValue(l_value)) => Some(l_value),
            _ => None,
        }
    }

    /// Returns the control-plane name of an object in this instance (18.3).
    pub(super) fn control_plane_name(&self, annotations: &[ast::Annotation], name: &ast::Name) -> String {
        control_plane_name(&self.prefix(), annotations, name)
    }

    /// Returns the instance that an expression names.
    pub(super) fn instance_named(&self, nodes: &Nodes<'a>, node: &'a ast::Expression) -> Option<Rc<Instance<'a>>> {
        let ExpressionKind::Name(path) = &node.kind else { return None };
        match self.bound(nodes.definition(&path.name)?)? {
            Bound::Instance(instance) => Some(instance),
            _ => None,
        }
    }

    pub(super) fn value_set_named(&self, nodes: &Nodes<'a>, node: &'a ast::Expression) -> Option<ValueSetId> {
        let ExpressionKind::Name(path) = &node.kind else { return None };
        match self.bound(nodes.definition(&path.name)?)? {
            Bound::ValueSet(set) => Some(set),
            _ => None,
        }
    }

    /// Returns the table that an expression applies.
    pub(super) fn table_applied(&self, nodes: &Nodes<'a>, node: &'a ast::Expression) -> Option<ir::TableId> {
        let ExpressionKind::Call { .. } = &node.kind else { return None };
        let crate::check::Target::Table(definition) = nodes.call(node)?.target else { return None };
        match self.bound(definition)? {
            Bound::Table(table) => Some(table),
            _ => None,
        }
    }
}
