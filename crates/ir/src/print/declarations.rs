//! The printer of variables, headers and registers.

use std::fmt::{self, Display, Formatter};

use super::expressions::{number, write_operand};
use super::names::{comma, header, list, name, title, variable};
use super::statements::variables_of;
use crate::{Header, HeaderId, Initial, Program, Register, Stack, Type, Variable, VariableId, VariableKind};

/// Writes variables and registers, which pipelines have too. Headers are written where their variables are.
pub(crate) fn write_declarations(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    if !(program.variables.is_empty() && program.registers.is_empty()) {
        writeln!(f)?;
    }
    write_variables(f, program)?;
    for array in &program.arrays {
        writeln!(f, "array {}: {}", name(&array.name), variables_of(program, &array.elements))?;
    }
    program.stacks.iter().try_for_each(|stack| write_stack(f, program, stack))?;
    program.registers.iter().try_for_each(|register| write_register(f, register))
}

/// Writes variables in order. A header whose variables are consecutive locals declares them itself; any other header
/// refers to them after all have been declared. Headers stay in order too, so that their numbers survive parsing.
fn write_variables(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    let mut headers =
        program.headers.iter().enumerate().map(|(number, header)| UnprintedHeader::new(number, header)).peekable();
    let mut next = 0;
    loop {
        if let Some(header) = headers.next_if(|header| header.declares(program, next)) {
            write_header(f, program, &header, true)?;
            next += header.variables.len();
        } else if let Some(header) = headers.next_if(|header| header.last < next) {
            write_header(f, program, &header, false)?;
        } else if let Some(declared) = program.variables.get(next) {
            let kind = match declared.kind {
                VariableKind::Field => "field",
                VariableKind::Local => "local",
            };
            writeln!(f, "{kind} {}", declaration(declared))?;
            next += 1;
        } else {
            // This happens only for a program that `verify` refuses: these headers refer to variables that do not
            // exist.
            return headers.try_for_each(|header| write_header(f, program, &header, false));
        }
    }
}

/// A header that has not been written yet.
struct UnprintedHeader<'p> {
    id: HeaderId,
    header: &'p Header,
    /// Its variables in the order of its text.
    variables: Vec<VariableId>,
    /// The greatest variable.
    last: usize,
}

impl<'p> UnprintedHeader<'p> {
    fn new(number: usize, header: &'p Header) -> Self {
        let fields = header.fields.iter().flat_map(|field| [Some(field.variable), field.length]).flatten();
        let variables: Vec<VariableId> = [header.valid].into_iter().chain(fields).collect();
        let last = variables.iter().map(|id| id.index()).max().unwrap_or_default();
        Self { id: HeaderId::from(number), header, variables, last }
    }

    /// Returns true if its variables are `next` and those that immediately follow it, all of them locals.
    fn declares(&self, program: &Program, next: usize) -> bool {
        self.variables.iter().enumerate().all(|(place, id)| {
            let declared = program.variables.get(id.index());
            id.index() == next + place && declared.is_some_and(|variable| variable.kind == VariableKind::Local)
        })
    }
}

fn declaration(declared: &Variable) -> impl Display + '_ {
    fmt::from_fn(move |f| write!(f, "{}: {}", name(&declared.name), declared.ty))
}

fn write_header(
    f: &mut Formatter<'_>,
    program: &Program,
    waiting: &UnprintedHeader<'_>,
    declares: bool,
) -> fmt::Result {
    let written = |id: VariableId| {
        fmt::from_fn(move |f| match program.variables.get(id.index()) {
            Some(declared) if declares => declaration(declared).fmt(f),
            _ => variable(program, id).fmt(f),
        })
    };
    writeln!(f, "header {} {{", header(program, waiting.id))?;
    writeln!(f, "  {}", written(waiting.header.valid))?;
    for field in &waiting.header.fields {
        write!(f, "  {}", written(field.variable))?;
        match field.length {
            Some(length) => writeln!(f, " length {}", written(length))?,
            None => writeln!(f)?,
        }
    }
    writeln!(f, "}}")
}

fn write_stack(f: &mut Formatter<'_>, program: &Program, stack: &Stack) -> fmt::Result {
    let elements = list(stack.elements.iter().map(|&id| header(program, id)));
    writeln!(f, "stack {}: {elements} next {}", title(&stack.name), variable(program, stack.next))
}

fn write_register(f: &mut Formatter<'_>, register: &Register) -> fmt::Result {
    write!(f, "register {}: {}", name(&register.name), register.ty)?;
    if let Some(length) = register.length {
        write!(f, "[{length}]")?;
    }
    write_first(f, register.ty, &register.initial, register.length.is_some())?;
    writeln!(f)
}

/// Writes the first values of an array, or that of a scalar.
pub(super) fn write_first(f: &mut Formatter<'_>, ty: Type, initial: &Initial, is_array: bool) -> fmt::Result {
    let first = |value: u64| {
        fmt::from_fn(move |f| match ty {
            Type::Bool => write!(f, "{}", value != 0),
            ty => write!(f, "{}", number(ty, value)),
        })
    };
    match initial {
        Initial::Fill(value) if is_array => write!(f, " = fill {}", first(*value)),
        Initial::Fill(value) => write!(f, " = {}", first(*value)),
        Initial::List(values) => {
            f.write_str(" = [")?;
            for (place, value) in values.iter().enumerate() {
                write!(f, "{}{}", comma(place), first(*value))?;
            }
            f.write_str("]")
        }
    }
}

pub(crate) fn write_exports(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    for export in &program.exports {
        write!(f, "export {} = ", variable(program, export.field))?;
        write_operand(f, program, &export.value)?;
        writeln!(f)?;
    }
    Ok(())
}
