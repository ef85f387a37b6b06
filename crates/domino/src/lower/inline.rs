//! Inlining of functions.

use ir::{Expression, Statement, Type, VariableId};

use super::Lowering;
use super::value::Typed;
use crate::resolved::{Call, Function, Returns, Statement as Resolved, returns};

/// An instance of a function: the packet function, or an inlined call.
pub(super) struct Instance<'r> {
    function: &'r Function,
    is_packet: bool,
    /// The place of each local of the function in this instance, once it is used.
    locals: Vec<Option<Expression>>,
    /// The variable that holds the function's value, assigned at each `return`.
    pub result: Option<VariableId>,
    /// The variable that tells whether the function has ended, where the position in the program does not.
    pub done: Option<VariableId>,
    /// The number of choices being lowered after which `done` is tested.
    pub watched: u32,
}

impl<'r> Instance<'r> {
    fn new(function: &'r Function, is_packet: bool) -> Self {
        let locals = vec![None; function.locals.len()];
        Self { function, is_packet, locals, result: None, done: None, watched: 0 }
    }

    /// Creates the instance of the packet function.
    pub fn of_packet(function: &'r Function) -> Self {
        Self::new(function, true)
    }

    /// Returns the name in the whole program of something in this function.
    pub fn named(&self, name: &str) -> String {
        if self.is_packet { name.to_owned() } else { format!("{}.{name}", self.function.name) }
    }
}

impl<'r> Lowering<'r> {
    /// Returns the value of a local.
    pub(super) fn local_value(&mut self, instance: &mut Instance<'r>, local: usize) -> Expression {
        if let Some(value) = &instance.locals[local] {
            return value.clone();
        }
        let variable = self.local(&instance.named(&instance.function.locals[local].name), Type::INT32);
        instance.locals[local] = Some(Expression::Variable(variable));
        Expression::Variable(variable)
    }

    /// Returns the variable of a local that is assigned.
    pub(super) fn local_variable(&mut self, instance: &mut Instance<'r>, local: usize) -> VariableId {
        match self.local_value(instance, local) {
            Expression::Variable(variable) => variable,
            // Only a parameter that is never assigned is replaced by its argument (see `inline`).
            _ => unreachable!("an assigned local has a variable"),
        }
    }

    /// Inlines a call, and returns its value if it is wanted.
    pub(super) fn inline(
        &mut self,
        caller: &mut Instance<'r>,
        call: &'r Call,
        wants_value: bool,
        out: &mut Vec<Statement>,
    ) -> Option<Typed> {
        let function = &self.resolved.functions[call.function];
        let mut instance = Instance::new(function, false);
        for (local, argument) in call.arguments.iter().enumerate() {
            let argument = self.value(caller, argument, out).int();
            // A constant or a variable as argument is not copied: the function cannot change its caller's variables,
            // and if it assigns the parameter, a copy is made.
            if argument.is_operand() && !function.locals[local].is_assigned {
                instance.locals[local] = Some(argument);
            } else {
                let variable = self.local_variable(&mut instance, local);
                out.push(Statement::Assign { variable, value: argument });
            }
        }
        let outer = std::mem::replace(&mut self.place, call.span);
        let value = self.inside(|lowering| lowering.body(&mut instance, wants_value, out)).flatten();
        self.place = outer;
        value
    }

    fn body(&mut self, instance: &mut Instance<'r>, wants_value: bool, out: &mut Vec<Statement>) -> Option<Typed> {
        let body = &instance.function.body;
        if let Some((Resolved::Return(Some(value)), before)) = body.split_last()
            && returns(before) == Returns::Never
        {
            // The value needs no variable because it is determined at a single point.
            let before: Vec<_> = before.iter().collect();
            self.statements(instance, &before, out);
            return Some(self.value(instance, value, out));
        }
        if wants_value {
            instance.result = Some(self.local(&instance.named("result"), Type::INT32));
        }
        let body: Vec<_> = body.iter().collect();
        self.statements(instance, &body, out);
        instance.result.map(|result| Typed::number(Expression::Variable(result)))
    }
}
