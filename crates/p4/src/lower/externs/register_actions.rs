//! Register actions: a computation between one read and one write of one place of a register array.
//!
//! An action becomes a function of the IR over variables that hold the value and the results. A call reads the place into
//! them, calls the function, and writes the place if the function may have changed the value.

use std::collections::HashSet;
use std::rc::Rc;

use ir::{Expression, Flow, FunctionId, Program, RegisterId, Statement, Type, VariableId};
use num_bigint::BigInt;

use super::no_implementation;
use super::registers::read_at;
use crate::ast::{Declaration, DeclarationKind, Direction};
use crate::lower::constants::number;
use crate::lower::frame::{Argument, Instance, Made};
use crate::lower::functions::{Lowered, variables};
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Lowering};

impl<'a> Lowering<'a> {
    /// Returns an abstract method of an instance as a function, which is written where it is called first.
    pub(super) fn method(&mut self, instance: &Rc<Instance<'a>>, name: &str) -> Option<Rc<Lowered>> {
        if let Some(known) = instance.methods.borrow().get(name) {
            return Some(Rc::clone(known));
        }
        let body: &'a [Declaration] = instance.body?;
        let node = body.iter().find_map(|declaration| match &declaration.kind {
            DeclarationKind::Function(node) if &*node.prototype.signature.name.text == name => Some(node),
            _ => None,
        })?;
        // The body may name what surrounds the instance, so it is written in the frame of the block.
        let path = format!("{}.{name}", instance.name);
        let own_path = std::mem::replace(&mut self.scopes.frame().path, path.clone());
        let own_result = self.scopes.frame().result.take();
        let parameters = self.make_parameters(&path, &node.prototype.signature.parameters);
        let body = self.block_of(|lowering| lowering.statements(&node.body.statements));
        self.scopes.frame().path = own_path;
        self.scopes.frame().result = own_result;
        let function = self.output.add_function(&mut self.limits, &path, ir::FunctionKind::Function, vec![], body);
        let lowered = Rc::new(Lowered { function, parameters, result: None });
        instance.methods.borrow_mut().insert(name.to_owned(), Rc::clone(&lowered));
        Some(lowered)
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Writes `execute(index)` of a register action.
    pub(super) fn register_action_method(&mut self, instance: &Rc<Instance<'a>>) -> Value {
        let Some(Some(Argument::Instance(array))) = instance.arguments.first() else { return Tree::Nothing };
        match (&*self.arguments.callable.name, &array.made) {
            ("execute", Made::Registers(registers)) => self.execute(instance, &registers.clone()),
            ("execute", Made::Profile(profile)) => {
                let Some(bits) = self.lowering.objects().bits_of(*profile) else { return Tree::Nothing };
                self.execute(instance, &Tree::Scalar(bits))
            }
            ("execute", Made::DirectRegisters(registers)) => {
                let (slot, inside) = self.slot_with_register();
                self.execute_at(instance, "apply", &registers.clone(), (slot, Some(inside)), Some(0))
            }
            ("execute_log", Made::Registers(registers)) => {
                let index = self.next_of_log(registers);
                self.execute_at(instance, "apply", &registers.clone(), (index, None), Some(0))
            }
            (name @ ("enqueue" | "dequeue" | "push" | "pop"), Made::Registers(registers)) => {
                self.execute_in_turn(instance, name, &registers.clone())
            }
            ("sweep", Made::Registers(registers)) => self.sweep(instance, &registers.clone()),
            ("predicate", _) => self.predicate(),
            (other, _) => {
                no_implementation(&mut self.lowering.found, self.arguments.span, &format!("RegisterAction.{other}"));
                Tree::Nothing
            }
        }
    }

    /// Writes one run of a register action on the place that the first argument names.
    fn execute(&mut self, instance: &Rc<Instance<'a>>, registers: &Tree<RegisterId>) -> Value {
        if self.arguments.node(0).is_none() {
            self.lowering.found.unsupported(self.arguments.span, "`execute` without the index of a place");
            return Tree::Nothing;
        }
        let index = self.argument_value(0);
        let Some(index) = self.index_given(0, index) else { return Tree::Nothing };
        let Some(&&first) = registers.leaves().first() else { return Tree::Nothing };
        let size = self.lowering.output.program.register(first).size() as u32;
        let index = self.lowering.writer().held(index);
        let inside = self.lowering.output.is_inside(&index, size);
        self.execute_at(instance, "apply", registers, (index, inside), Some(1))
    }

    /// Writes one run of a method of a register action on the place at an index, which exists if `inside` holds. Further
    /// results than the first go to the arguments from parameter `further_place` on, or to nobody.
    pub(super) fn execute_at(
        &mut self,
        instance: &Rc<Instance<'a>>,
        method: &str,
        registers: &Tree<RegisterId>,
        (index, inside): (Expression, Option<Expression>),
        further_place: Option<usize>,
    ) -> Value {
        let Some(method) = self.lowering.method(instance, method) else {
            no_implementation(&mut self.lowering.found, self.arguments.span, "a register action without `apply`");
            return Tree::Nothing;
        };
        if let Some(&&first) = registers.leaves().first() {
            self.lowering.switch.accesses.note(first, self.arguments.span);
        }
        let Some((value, results)) = method.parameters.split_first() else { return Tree::Nothing };
        let places: Vec<VariableId> = variables(&value.l_value);
        let arrays: Vec<RegisterId> = registers.leaves().into_iter().copied().collect();
        for (&variable, &register) in places.iter().zip(&arrays) {
            let read = read_at(register, &index, inside.as_ref());
            self.lowering.writer().emit(Statement::Assign { variable, value: read });
        }
        // A result that the action does not assign is 0.
        for result in results {
            for variable in variables(&result.l_value) {
                let zero = number(self.lowering.output.program.variable(variable).ty, &BigInt::ZERO);
                self.lowering.writer().emit(Statement::Assign { variable, value: zero });
            }
        }
        self.lowering.writer().emit_call(method.function, vec![]);
        let assigned = assigned(&self.lowering.output.program, method.function);
        let write = self.lowering.block_of(|lowering| {
            for (&variable, &register) in places.iter().zip(&arrays).filter(|(variable, _)| assigned.contains(variable))
            {
                let (index, value) = (Some(index.clone()), Expression::Variable(variable));
                lowering.writer().emit(Statement::Write { register, index, value, predicate: None });
            }
        });
        match inside {
            None => self.lowering.writer().emit_all(write),
            Some(condition) if !write.is_empty() => {
                self.lowering.writer().emit(Statement::If { condition, then: write, otherwise: vec![] });
            }
            Some(_) => {}
        }
        let Some((first, further)) = results.split_first() else { return Tree::Nothing };
        // Further results are copied out to the arguments behind the index.
        let places = further_place.into_iter().flat_map(|place| place..);
        for (place, result) in places.zip(further) {
            debug_assert!(result.direction == Direction::Out, "the header declares it so");
            let target = self.argument_target(place);
            self.lowering.writer().give(target, result.l_value.read());
        }
        first.l_value.read()
    }

    /// Writes `predicate(low, high)`: four bits, of which the one is 1 whose number the two conditions make.
    pub(super) fn predicate(&mut self) -> Value {
        let conditions: Vec<Option<Expression>> = (0..2)
            .map(|place| match self.arguments.node(place) {
                Some(node) => Some(self.lowering.scalar(node)),
                None => None,
            })
            .collect();
        let bits = |value: u64| Expression::Constant(ir::Constant { ty: Type::Bits(4), value });
        let chosen = |low: &Option<Expression>, high: u64| {
            let (unset, set) = (1 << (2 * high), 1 << (2 * high + 1));
            match low {
                Some(condition) => Expression::select(condition.clone(), bits(set), bits(unset)),
                None => bits(unset),
            }
        };
        let [low, high] = &conditions[..] else { return Tree::Nothing };
        let value = match high {
            Some(condition) => Expression::select(condition.clone(), chosen(low, 1), chosen(low, 0)),
            None => chosen(low, 0),
        };
        let of = self.arguments.callable.result;
        let of = self.lowering.shapes().resolve(of);
        let ty = self.lowering.shapes().scalar_type(of).unwrap_or(Type::Bits(4));
        Tree::Scalar(self.lowering.output.cast(value, ty))
    }
}

/// Returns the variables that a function, or one that it calls, assigns.
fn assigned(program: &Program, function: FunctionId) -> HashSet<VariableId> {
    let (mut found, mut seen, mut waiting) = (HashSet::new(), HashSet::new(), vec![function]);
    while let Some(function) = waiting.pop() {
        if !seen.insert(function) {
            continue;
        }
        for statement in &program.functions[function.index()].body {
            statement.walk(&mut |statement| match statement {
                Statement::Assign { variable, .. } => _ = found.insert(*variable),
                Statement::AssignElement { array, .. } => found.extend(&program.arrays[array.index()].elements),
                Statement::Flow(Flow::Call { function, .. }) => waiting.push(*function),
                _ => {}
            });
        }
    }
    found
}
