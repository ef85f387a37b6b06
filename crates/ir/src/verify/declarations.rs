//! Verification of variables, registers, exports, and of the names of everything.

use std::collections::{BTreeMap, BTreeSet};

use super::{MAX_REGISTER_LENGTH, ids};
use crate::typing::{self, is_name};
use crate::{Expression, Initial, Program, Register, VariableKind};

/// Reports what is wrong with variables, registers, exports and names.
pub(crate) fn declarations(program: &Program, errors: &mut Vec<String>) {
    all_names(program, errors);
    for variable in &program.variables {
        errors.extend(typing::width(variable.ty).err().map(|error| format!("variable `{}`: {error}", variable.name)));
    }
    let kinds = program.variables.windows(2).filter(|pair| pair[0].kind == VariableKind::Local);
    for pair in kinds.filter(|pair| pair[1].kind == VariableKind::Field) {
        errors.push(format!("the field `{}` comes after the local `{}`", pair[1].name, pair[0].name));
    }
    for register in &program.registers {
        errors.extend(initial(register).into_iter().map(|error| format!("register `@{}`: {error}", register.name)));
    }
    exports(program, errors);
}

/// Requires names to be unique among their kind, and names that occur in expressions to be well formed.
fn all_names(program: &Program, errors: &mut Vec<String>) {
    let variables: Vec<&str> = program.variables.iter().map(|variable| variable.name.as_str()).collect();
    let registers: Vec<&str> = program.registers.iter().map(|register| register.name.as_str()).collect();
    let arrays: Vec<&str> = program.arrays.iter().map(|array| array.name.as_str()).collect();
    for (kind, names) in [("variable", &variables), ("register", &registers), ("array", &arrays)] {
        for name in names.iter().filter(|name| !is_name(name)) {
            errors.push(format!(
                "{kind} {name:?}: a name consists of letters, digits, `_`, `.` and `$`, and does not start with a digit"
            ));
        }
        unique(kind, names.iter().copied(), errors);
    }
    unique("header", program.headers.iter().map(|header| header.name.as_str()), errors);
    unique("stack", program.stacks.iter().map(|stack| stack.name.as_str()), errors);
    unique("error", program.errors.iter().map(String::as_str), errors);
    unique("parser", program.parsers.iter().map(|parser| parser.name.as_str()), errors);
    unique("value set", program.value_sets.iter().map(|set| set.name.as_str()), errors);
    unique("function", program.functions.iter().map(|function| function.name.as_str()), errors);
    unique("table", program.tables.iter().map(|table| table.name.as_str()), errors);
    unique("counter", program.counters.iter().map(|counter| counter.name.as_str()), errors);
    unique("meter", program.meters.iter().map(|meter| meter.name.as_str()), errors);
    unique("filter", program.filters.iter().map(|filter| filter.name.as_str()), errors);
    unique("wred", program.wreds.iter().map(|wred| wred.name.as_str()), errors);
    unique("profile", program.profiles.iter().map(|profile| profile.name.as_str()), errors);
    unique("digest", program.digests.iter().map(|digest| digest.name.as_str()), errors);
    unique("entrance", program.entrances.iter().map(|entrance| entrance.name.as_str()), errors);
    unique("intrinsic", program.intrinsics.iter().map(|(name, _)| name.as_str()), errors);
    if let Some(threads) = &program.threads {
        unique("segment", threads.segments.iter().map(|segment| segment.name.as_str()), errors);
        unique("record table", threads.records.iter().map(|records| records.name.as_str()), errors);
        unique("timer", threads.timers.iter().map(|timer| timer.name.as_str()), errors);
        unique("event", threads.events.iter().map(|event| event.name.as_str()), errors);
        unique("reason", threads.reasons.iter().map(String::as_str), errors);
        unique("instruction", threads.instructions.iter().map(|instruction| instruction.name.as_str()), errors);
    }
    for parser in &program.parsers {
        let found = errors.len();
        unique("state", parser.states.iter().map(|state| state.name.as_str()), errors);
        errors[found..].iter_mut().for_each(|error| *error = format!("parser `{}`: {error}", parser.name));
    }
}

fn unique<'p>(kind: &str, names: impl Iterator<Item = &'p str>, errors: &mut Vec<String>) {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_insert(0u32) += 1;
    }
    let repeated = counts.into_iter().filter(|(_, count)| *count > 1);
    errors.extend(repeated.map(|(name, count)| format!("{count} {kind}s are called `{name}`")));
}

fn initial(register: &Register) -> Vec<String> {
    let mut errors: Vec<String> = typing::width(register.ty).err().into_iter().collect();
    match register.length {
        Some(0) => errors.push("an array must have at least one value".to_owned()),
        Some(length) if length > MAX_REGISTER_LENGTH => {
            errors.push(format!("{length} values are more than the maximum of {MAX_REGISTER_LENGTH}"))
        }
        _ => (),
    }
    let values = match &register.initial {
        Initial::Fill(value) => std::slice::from_ref(value),
        Initial::List(values) => values,
    };
    if matches!(register.initial, Initial::List(_)) && values.len() > register.size() {
        errors.push(format!("{} initial values for a register of length {}", values.len(), register.size()));
    }
    if values.iter().any(|&value| !typing::fits(register.ty, value)) {
        errors.push(format!("an initial value has bits above the width of {}", register.ty));
    }
    errors
}

fn exports(program: &Program, errors: &mut Vec<String>) {
    let mut exported = BTreeSet::new();
    for (place, export) in program.exports.iter().enumerate() {
        let Some(field) = program.variables.get(export.field.index()) else {
            errors.push(format!("export {place} names variable {}, which does not exist", export.field.index()));
            continue;
        };
        let mut wrong = |what: String| errors.push(format!("export `{}`: {what}", field.name));
        if field.kind == VariableKind::Local {
            wrong("a local does not leave with the packet".to_owned());
        }
        if !exported.insert(export.field) {
            wrong("the field is exported twice".to_owned());
        }
        let found = match &export.value {
            Expression::Constant(constant) => typing::constant(*constant),
            Expression::Variable(id) => ids::variable(program, *id),
            _ => Err("the value is neither a constant nor a variable".to_owned()),
        };
        if let Err(error) = found.and_then(|found| typing::assigned("the field", field.ty, found)) {
            wrong(error);
        }
    }
}
