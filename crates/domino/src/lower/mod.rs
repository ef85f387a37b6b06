//! The checked program to IR: truth values where C has numbers, and functions in place of their calls.

mod inline;
mod names;
mod statement;
mod value;

use diagnostics::{Diagnostic, Span};
use ir::{Program, Type, Variable, VariableId, VariableKind};

use crate::limits::{MOST_INLINED_NESTING, MOST_OPERATIONS};
use crate::report::Report;
use crate::resolved::Resolved;
use inline::Instance;
use names::Names;

/// The program as IR; `None` if inlining makes it too large, which is reported.
pub(crate) fn lower(resolved: &Resolved, name: &str, place: Span, report: &mut Report) -> Option<Program> {
    let field =
        |name: &std::rc::Rc<str>| Variable { name: name.to_string(), ty: Type::INT32, kind: VariableKind::Field };
    let program = Program {
        name: name.to_owned(),
        variables: resolved.fields.iter().map(field).collect(),
        registers: resolved.registers.clone(),
        ..Program::default()
    };
    let names = Names::new(resolved.fields.iter().map(|name| name.to_string()));
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
    names: Names,
    /// Operations made so far.
    operations: u32,
    /// How many statements and values that lie inside one another are being lowered.
    depth: u32,
    /// The call that is being inlined, or the program if none is.
    place: Span,
    /// Why the program is too large. Once it is, nothing more is lowered.
    refusal: Option<Diagnostic>,
}

impl Lowering<'_> {
    /// A new variable that nobody outside sees.
    fn local(&mut self, name: &str, ty: Type) -> VariableId {
        let name = self.names.unique(name);
        self.program.variables.push(Variable { name, ty, kind: VariableKind::Local });
        VariableId::from(self.program.variables.len() - 1)
    }

    /// Lowers something inside of what is being lowered; `None` if that is too much.
    fn inside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.operations += 1;
        let too_much = if self.operations > MOST_OPERATIONS {
            Some(format!("the program has more than {MOST_OPERATIONS} operations once its functions are inlined"))
        } else if self.depth >= MOST_INLINED_NESTING {
            Some(format!("the program nests more than {MOST_INLINED_NESTING} deep once its functions are inlined"))
        } else {
            None
        };
        if let Some(message) = too_much
            && self.refusal.is_none()
        {
            let error = Diagnostic::error(self.place, message).label("it became too large here");
            self.refusal = Some(error.hint("each call is replaced by the body of its function; no switch holds this"));
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
