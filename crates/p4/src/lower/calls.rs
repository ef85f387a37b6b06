//! Calls, with copy-in and copy-out of parameters (6.8).

use ir::{Expression, Statement};

use super::Lowering;
use super::functions::Lowered;
use super::l_values::Destination;
use super::tree::{Tree, Value};
use crate::ast::{self, ArgumentValue, Direction, ExpressionKind};
use crate::check::{Called, Target};
use crate::types::{Callable, Sort, Types};

impl<'a> Lowering<'a> {
    /// Writes a call and returns its result, which must be used before the next call:
    /// [`Writer::keep`](super::Writer::keep) sees to it.
    pub(super) fn call(&mut self, node: &'a ast::Expression) -> Value {
        let ExpressionKind::Call { callee, arguments, .. } = &node.kind else { return Tree::Nothing };
        let Some(called) = self.nodes.call(node).cloned() else { return Tree::Nothing };
        match &called.target {
            Target::Function(_) => {
                let definition = match &callee.kind {
                    ExpressionKind::Name(path) => self.nodes.definition(&path.name),
                    _ => None,
                };
                match definition.and_then(|own| self.lowered_function(own, &called.type_arguments)) {
                    Some(function) => self.call_lowered(&function, &called, arguments),
                    None => self.extern_call(node, &called),
                }
            }
            Target::Action(definition) => match self.lowered_action(*definition) {
                Some(action) => {
                    // An action that only other actions call is part of them.
                    if self.switch.within_actions == 0 {
                        self.switch.called.insert(action.function, *definition);
                    }
                    self.call_lowered(&action, &called, arguments)
                }
                None => Tree::Nothing,
            },
            Target::Method(_) => self.extern_call(node, &called),
            Target::Apply(of, _) => {
                let ExpressionKind::Member(object, _) = &callee.kind else { return Tree::Nothing };
                self.apply(object, *of, &called, arguments);
                Tree::Nothing
            }
            Target::Table(_) => {
                if let Some(table) = self.scopes.table_applied(&self.nodes, node) {
                    self.apply_table(table, None, None);
                }
                Tree::Nothing
            }
            Target::BuiltIn(name) => {
                let ExpressionKind::Member(object, _) = &callee.kind else { return Tree::Nothing };
                self.built_in(object, name, arguments)
            }
            Target::Constructor(..) => {
                self.found.unsupported(node.span, "an instance that is made here");
                Tree::Nothing
            }
        }
    }

    pub(super) fn call_lowered(&mut self, callee: &Lowered, called: &Called, arguments: &'a [ast::Argument]) -> Value {
        let (before, after) = self.give_arguments(callee, called, arguments);
        self.writer().emit_all(before);
        self.writer().emit_call(callee.function, after);
        callee.result.as_ref().map_or(Tree::Nothing, super::tree::LValue::read)
    }

    /// Returns the statements before a call and after it. All arguments are computed, in the order of the source text,
    /// before any is copied in; they are copied out in the same order (6.8).
    pub(super) fn give_arguments(
        &mut self,
        callee: &Lowered,
        called: &Called,
        arguments: &'a [ast::Argument],
    ) -> (Vec<Statement>, Vec<Statement>) {
        let callable = callable(&self.types, called);
        let order = order_of_arguments(&called.arguments, callee.parameters.len());
        let mut targets: Vec<Option<Destination>> = vec![None; callee.parameters.len()];
        let before = self.block_of(|lowering| {
            let mut values: Vec<Value> = vec![Tree::Nothing; callee.parameters.len()];
            for &place in &order {
                let parameter = &callee.parameters[place];
                let mark = lowering.writer().mark();
                let given = called.arguments.get(place).copied().flatten().and_then(|place| arguments.get(place));
                let (value, target) = lowering.argument(given, parameter.direction);
                let default = callable.as_ref().and_then(|own| own.parameters.get(place)?.default.clone());
                let value = match (given, default) {
                    (None, Some(default)) => lowering.storage().constant(&default, parameter.of),
                    _ => value,
                };
                lowering.writer().keep(mark, &mut values.iter_mut().collect::<Vec<_>>());
                (values[place], targets[place]) = (value, target);
            }
            for (place, (parameter, value)) in callee.parameters.iter().zip(values).enumerate() {
                let is_given = called.arguments.get(place).copied().flatten().is_some();
                match parameter.direction {
                    Direction::Out => lowering.writer().make_undefined(&parameter.l_value),
                    // Data from the control plane stays as it is.
                    Direction::None if !is_given && matches!(value, Tree::Nothing) => {}
                    _ => {
                        let value = lowering.storage().convert(value, parameter.of);
                        lowering.writer().assign_l_value(&parameter.l_value, value);
                    }
                }
            }
        });
        let after = self.block_of(|lowering| {
            for place in order {
                if let Some(target) = &targets[place] {
                    lowering.writer().assign(target, callee.parameters[place].l_value.read());
                }
            }
        });
        (before, after)
    }

    /// Returns the value of an argument, and the l-value that the parameter is copied out to.
    pub(super) fn argument(
        &mut self,
        given: Option<&'a ast::Argument>,
        direction: Direction,
    ) -> (Value, Option<Destination>) {
        let Some(ast::Argument { value: ArgumentValue::Given(node), .. }) = given else {
            return (Tree::Nothing, None);
        };
        if matches!(direction, Direction::None | Direction::In) {
            return (self.value(node), None);
        }
        let Some(target) = self.target(node) else {
            self.found.unsupported(node.span, "this as the argument of an `out` or `inout` parameter");
            return (Tree::Nothing, None);
        };
        if direction == Direction::Out {
            return (Tree::Nothing, Some(target));
        }
        let value = match (&target.l_value, target.slice) {
            (Tree::Scalar(leaf), Some((high, low))) => {
                Tree::Scalar(Expression::Slice { value: Box::new(leaf.read()), high, low })
            }
            (l_value, _) => l_value.read(),
        };
        (value, Some(target))
    }
}

/// Returns the declaration of the callee.
fn callable(types: &Types, called: &Called) -> Option<std::rc::Rc<Callable>> {
    match &called.target {
        Target::Function(own) | Target::Method(own) | Target::Apply(_, own) | Target::Constructor(_, own) => {
            Some(std::rc::Rc::clone(own))
        }
        Target::Action(definition) => match &types.definitions.get(*definition).sort {
            Sort::Action(own) => Some(std::rc::Rc::clone(own)),
            _ => None,
        },
        Target::Table(_) | Target::BuiltIn(_) => None,
    }
}

/// Returns the parameters in the order in which their arguments are written, which differs with named arguments. Those
/// without an argument come last.
pub(super) fn order_of_arguments(arguments: &[Option<usize>], parameters: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..parameters).collect();
    order.sort_by_key(|&parameter| arguments.get(parameter).copied().flatten().unwrap_or(usize::MAX));
    order
}
