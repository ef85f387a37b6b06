//! Verification of flat programs.

use super::quote;
use crate::verify::Item;
use crate::{Expression, FunctionId, Program, Statement, TableId, Type};

/// Reports everything that keeps a program from being flat: one message for each kind of declaration, and one for each
/// statement.
pub(crate) fn flat(program: &Program, errors: &mut Vec<String>) {
    declared(program, errors);
    // The data of actions may have any width, because look-ups take words of it.
    let mut is_parameter = vec![false; program.variables.len()];
    let parameters = program.functions.iter().flat_map(|function| &function.parameters);
    parameters.for_each(|parameter| is_parameter[parameter.index()] = true);
    let values = program.variables.iter().zip(is_parameter).filter(|(_, is_parameter)| !is_parameter);
    for (variable, _) in values.filter(|(variable, _)| is_wide(variable.ty)) {
        errors.push(format!("the variable `{}` is {} bits wide, more than 64", variable.name, variable.ty.width()));
    }
    for register in program.registers.iter().filter(|register| is_wide(register.ty)) {
        errors.push(format!("the register `@{}` is {} bits wide, more than 64", register.name, register.ty.width()));
    }
    statements(program, &program.packet, errors);
}

fn declared(program: &Program, errors: &mut Vec<String>) {
    let counts = [
        ("an array", "arrays", program.arrays.len()),
        ("a header", "headers", program.headers.len()),
        ("a stack", "stacks", program.stacks.len()),
        ("an error", "errors", program.errors.len()),
        ("a parser", "parsers", program.parsers.len()),
        ("a value set", "value sets", program.value_sets.len()),
        ("a counter", "counters", program.counters.len()),
        ("a meter", "meters", program.meters.len()),
        ("a digest", "digests", program.digests.len()),
        ("a field list", "field lists", program.field_lists.len()),
        ("an entrance", "entrances", program.entrances.len()),
        ("an intrinsic variable", "intrinsic variables", program.intrinsics.len()),
        ("a program of threads", "programs of threads", usize::from(program.threads.is_some())),
    ];
    errors.extend(only_looked_up(program).into_iter().map(|(_, message)| message));
    for (one, several, count) in counts {
        match count {
            0 => (),
            1 => errors.push(format!("{one} is declared")),
            _ => errors.push(format!("{count} {several} are declared")),
        }
    }
}

/// Returns what is wrong with tables that are only looked up, as in a flat program: their keys state nothing but widths, and
/// their actions nothing but parameters.
pub(crate) fn only_looked_up(program: &Program) -> Vec<(Item, String)> {
    let mut found = Vec::new();
    for (number, function) in program.functions.iter().enumerate().filter(|(_, function)| !function.body.is_empty()) {
        found.push((Item::Function(FunctionId::from(number)), format!("the function `{}` has a body", function.name)));
    }
    for (number, table) in program.tables.iter().enumerate() {
        let mut wrong = |message: String| found.push((Item::Table(TableId::from(number)), message));
        let mut values = table.keys.iter().map(|key| &key.value).chain(&table.selector);
        if values.any(|value| !matches!(value, Expression::Undefined(_))) {
            wrong(format!(
                "the keys of the table `{}` have expressions; in a flat program they only state widths",
                table.name
            ));
        }
        if table.actions.iter().any(|action| !(action.before.is_empty() && action.after.is_empty())) {
            wrong(format!("the table `{}` runs statements before or after its actions", table.name));
        }
        if table.counter.is_some() || table.meter.is_some() {
            wrong(format!("the table `{}` has a direct counter or meter", table.name));
        }
    }
    found
}

/// Reports what is not flat in the statements of a block.
pub(crate) fn statements(program: &Program, block: &[Statement], errors: &mut Vec<String>) {
    for statement in block {
        match statement {
            Statement::Assign { .. } | Statement::Write { .. } | Statement::If { .. } => {
                let mut found = None;
                for expression in statement.expressions() {
                    expression.walk(&mut |inner| found = found.or(refused(inner)));
                }
                errors.extend(found.map(|found| format!("{}: {found}", quote(program, statement))));
            }
            Statement::AssignElement { .. } => {
                errors.push(format!("{}: an array is indexed", quote(program, statement)));
            }
            Statement::Flow(_) => {
                errors.push(format!(
                    "{}: loops, calls and table applications are not allowed",
                    quote(program, statement)
                ));
                // Nested statements are not reported separately.
                continue;
            }
            Statement::Packet(_) => errors
                .push(format!("{}: operations on headers and packet bytes are not allowed", quote(program, statement))),
            Statement::Shared(_) => {
                errors.push(format!(
                    "{}: state other than registers, and effects, are not allowed",
                    quote(program, statement)
                ));
            }
        }
        statement.blocks().into_iter().for_each(|inner| statements(program, inner, errors));
    }
}

fn refused(expression: &Expression) -> Option<&'static str> {
    match expression {
        Expression::Wide(..) => Some("a value of more than 64 bits"),
        Expression::Cast(ty, _) if is_wide(*ty) => Some("a value of more than 64 bits"),
        Expression::Slice { .. } => Some("a slice"),
        Expression::Concatenate(..) => Some("a concatenation"),
        Expression::Element { .. } => Some("an array is indexed"),
        Expression::Undefined(_) => Some("an undefined value"),
        Expression::Memory(_) => Some("local memory of a thread"),
        Expression::Checksum(checksum) if checksum.with_payload => Some("a checksum of the payload"),
        Expression::Checksum(checksum) if is_wide(checksum.result) => Some("a value of more than 64 bits"),
        Expression::Checksum(checksum) if checksum.data.iter().any(|part| part.length.is_some()) => {
            Some("a checksum of a variable number of bits")
        }
        Expression::Constant(_)
        | Expression::Variable(_)
        | Expression::Read { .. }
        | Expression::Unary(..)
        | Expression::Binary(..)
        | Expression::Select(..)
        | Expression::Hash(..)
        | Expression::Cast(..)
        | Expression::Checksum(_)
        | Expression::Lookup(_) => None,
    }
}

fn is_wide(ty: Type) -> bool {
    ty.width() > 64
}
