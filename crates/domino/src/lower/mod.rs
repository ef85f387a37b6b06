//! Lowering of the checked program to IR: numbers used as conditions become truth values, and calls are inlined.

mod inline;
mod statement;
mod taken_names;
mod value;

use diagnostics::{Diagnostic, Span};
use ir::{Program, Type, Variable, VariableId, VariableKind};

use crate::limits::{MOST_INLINED_NESTING, MOST_OPERATIONS};
use crate::resolved::Resolved;
use inline::Instance;
use preprocessor::Report;
use taken_names::TakenNames;

/// Lowers a program to IR. Returns `None` and reports an error if inlining makes it too large.
pub(crate) fn lower(resolved: &Resolved, name: &str, place: Span, report: &mut Report) -> Option<Program> {
    let field =
        |name: &std::rc::Rc<str>| Variable { name: name.to_string(), ty: Type::INT32, kind: VariableKind::Field };
    let program = Program {
        name: name.to_owned(),
        variables: resolved.fields.iter().map(field).collect(),
        registers: resolved.registers.clone(),
        ..Program::default()
    };
    let names = TakenNames::new(resolved.fields.iter().map(|name| name.to_string()));
    let mut lowering = Lowering { resolved, program, names, operations: 0, depth: 0, place, refusal: None };
    let function = &resolved.functions[resolved.packet];
    let body: Vec<_> = function.body.iter().collect();
    let mut packet = Vec::new();
    lowering.statements(&mut Instance::of_packet(function), &body, &mut packet);
    if let Some(refusal) = lowering.refusal {
        report.push(refusal);
        return None;
    }
    lowering.program.packet = packet;
    Some(lowering.program)
}

struct Lowering<'r> {
    resolved: &'r Resolved,
    program: Program,
    names: TakenNames,
    /// The number of operations generated so far.
    operations: u32,
    /// The nesting depth of the statements and expressions that are being lowered.
    depth: u32,
    /// The location of the call that is being inlined, or of the program outside of calls.
    place: Span,
    /// The reason why the program is too large, if it is. Nothing more is lowered then.
    refusal: Option<Diagnostic>,
}

impl Lowering<'_> {
    /// Creates a local variable.
    fn local(&mut self, name: &str, ty: Type) -> VariableId {
        let name = self.names.unique(name);
        self.program.variables.push(Variable { name, ty, kind: VariableKind::Local });
        VariableId::from(self.program.variables.len() - 1)
    }

    /// Lowers a nested part of the program. Returns `None` if the program becomes too large.
    fn inside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.operations += 1;
        let too_much = if self.operations > MOST_OPERATIONS {
            Some(format!("the program has more than {MOST_OPERATIONS} operations once its functions are inlined"))
        } else if self.depth >= MOST_INLINED_NESTING {
            Some(format!("the program is nested more than {MOST_INLINED_NESTING} deep once its functions are inlined"))
        } else {
            None
        };
        if let Some(message) = too_much
            && self.refusal.is_none()
        {
            let error = Diagnostic::error(self.place, message).label("the program became too large here");
            self.refusal =
                Some(error.hint("each call is replaced by the body of its function; no switch can hold the result"));
        }
        if self.refusal.is_some() {
            return None;
        }
        self.depth += 1;
        let result = lower(self);
        self.depth -= 1;
        Some(result)
    }
}
