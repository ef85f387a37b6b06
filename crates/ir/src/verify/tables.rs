//! Verification of tables: keys, actions with their data, entries.

use std::collections::HashSet;

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind, TableEntry, TableError, Target};

use super::item::{Findings, Item};
use super::{expression, ids};
use crate::lookup::words_of;
use crate::{Lookup, LookupResult, Program, Table, TableId, Type, typing};

pub(super) fn tables(program: &Program, findings: &mut Findings) {
    for (number, table) in program.tables.iter().enumerate() {
        let id = TableId::from(number);
        keys(program, id, table, findings);
        actions(program, id, table, findings);
        parts(program, id, table, findings);
        match &table.default {
            Target::Action { action, data } => {
                findings.check(Item::Default(id), default(program, table, *action, data));
            }
            _ => findings.push(Item::Default(id), "the default of a table must be an action"),
        }
        entries(program, id, table, findings);
    }
}

fn keys(program: &Program, id: TableId, table: &Table, findings: &mut Findings) {
    let mut prefixes = 0;
    for (place, key) in table.keys.iter().enumerate() {
        let Ok(ty) = expression(program, &key.value) else { continue };
        findings.check(Item::Key(id, place), typing::key(key.kind, ty));
        prefixes += u32::from(key.kind == MatchKind::Lpm);
        if key.kind == MatchKind::Lpm && prefixes == 2 {
            findings.push(Item::Key(id, place), "a table can have only one key of kind `lpm`");
        }
    }
}

fn actions(program: &Program, id: TableId, table: &Table, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (place, action) in table.actions.iter().enumerate() {
        let item = Item::TableAction(id, place);
        if let Err(error) = ids::function(program, action.function) {
            findings.push(item, error);
        } else if !seen.insert(action.function) {
            findings.push(item, format!("the table lists the action `{}` twice", name(program, table, place)));
        }
        if action.only_default && action.only_entries {
            findings.push(item, "the action can be neither the default nor in an entry");
        }
    }
}

/// Checks what a table refers to: its profile, counter and meter.
fn parts(program: &Program, id: TableId, table: &Table, findings: &mut Findings) {
    let item = Item::Table(id);
    let selects = match table.profile.map(|profile| ids::profile(program, profile)) {
        Some(Ok(profile)) => profile.selection.is_some(),
        Some(Err(error)) => return findings.push(item, error),
        None => false,
    };
    if !table.selector.is_empty() && !selects {
        findings.push(item, "a table with a selector needs a profile with groups");
    }
    if let Some(counter) = table.counter {
        let found = ids::counter(program, counter);
        findings.check(item, found.and_then(|found| typing::direct("counter", &found.name, found.size)));
    }
    if let Some((meter, color)) = table.meter {
        let found = ids::meter(program, meter);
        findings.check(item, found.and_then(|found| typing::direct("meter", &found.name, found.size)));
        let found = ids::variable(program, color);
        findings.check(item, found.and_then(|found| typing::number(typing::COLOR, found)));
    }
}

fn default(program: &Program, table: &Table, action: u32, data: &[Bits]) -> Result<(), String> {
    check_data(program, table, action, data)?;
    if table.actions[action as usize].only_entries {
        return Err(format!("`{}` is only allowed in entries", name(program, table, action as usize)));
    }
    Ok(())
}

/// Requires the data of an action to be values of its parameters.
fn check_data(program: &Program, table: &Table, action: u32, data: &[Bits]) -> Result<(), String> {
    let Some(listed) = table.actions.get(action as usize) else {
        return Err(format!("there is no action {action}: the table has {}, counted from 0", table.actions.len()));
    };
    let function = ids::function(program, listed.function)?;
    typing::data(&function.name, function.parameters.len(), data.len())?;
    for (&parameter, value) in function.parameters.iter().zip(data) {
        let ty = ids::variable(program, parameter)?;
        if !typing::is_canonical(value, ty.width()) {
            let name = &program.variables[parameter.index()].name;
            return Err(format!("`{name}` takes {ty}, not {value}"));
        }
    }
    Ok(())
}

fn entries(program: &Program, id: TableId, table: &Table, findings: &mut Findings) {
    let types: Result<Vec<Type>, _> = table.keys.iter().map(|key| expression(program, &key.value)).collect();
    let mut seen = HashSet::new();
    let ranked = table.keys.iter().any(|key| key.kind.has_priority());
    for (place, entry) in table.entries.iter().enumerate() {
        let item = Item::Entry(id, place);
        findings.check(item, target(program, table, &entry.target));
        let Ok(types) = &types else { continue };
        let fields = table.keys.iter().zip(types).map(|(key, ty)| KeyField { kind: key.kind, width: ty.width() });
        match canonical(entry, fields.collect()) {
            Ok(key) => {
                if !seen.insert((key, if ranked { entry.priority } else { 0 })) {
                    findings.push(item, "the table already has an entry with this key");
                }
            }
            Err(error) => findings.push(item, error.to_string()),
        }
        findings.check(item, spelled(entry, types));
        if !ranked && entry.priority != 0 {
            findings.push(item, "a priority needs a key of kind ternary, range or optional");
        }
    }
    if table.size.is_some_and(|size| table.entries.len() > size as usize) {
        findings.push(
            Item::Table(id),
            format!("the table has {} entries, but its size is {}", table.entries.len(), table.size.unwrap_or(0)),
        );
    }
}

fn target(program: &Program, table: &Table, target: &Target) -> Result<(), String> {
    match (target, table.profile) {
        (Target::Action { .. }, Some(_)) => {
            Err("the entries of a table with a profile must name members or groups".to_owned())
        }
        (Target::ActionSet(_), _) => Err("only entries that the control plane writes have action sets".to_owned()),
        (Target::Member(_) | Target::Group(_), None) => {
            Err("the entries of a table without a profile must name actions".to_owned())
        }
        (Target::Member(_) | Target::Group(_), Some(_)) => Ok(()),
        (Target::Action { action, data }, None) => {
            check_data(program, table, *action, data)?;
            if table.actions[*action as usize].only_default {
                return Err(format!("`{}` is only allowed as the default", name(program, table, *action as usize)));
            }
            Ok(())
        }
    }
}

/// Returns the canonical form of an entry's key, as [`runtime::tables`] defines it.
fn canonical(entry: &TableEntry, fields: Vec<KeyField>) -> Result<Vec<FieldMatch>, TableError> {
    if fields.is_empty() {
        return Err(TableError::NoKey);
    }
    if entry.key.len() != fields.len() {
        return Err(TableError::FieldCount { expected: fields.len(), given: entry.key.len() });
    }
    entry.key.iter().zip(fields).enumerate().map(|(number, (asked, field))| asked.canonical(field, number)).collect()
}

/// Requires the values of an entry to have the canonical representation for the widths of the keys.
fn spelled(entry: &TableEntry, types: &[Type]) -> Result<(), String> {
    for (asked, ty) in entry.key.iter().zip(types) {
        let values = match asked {
            FieldMatch::Exact(value) | FieldMatch::Prefix { value, .. } => vec![value],
            FieldMatch::Mask { value, mask } => vec![value, mask],
            FieldMatch::Range { low, high } => vec![low, high],
            FieldMatch::Any => vec![],
        };
        if let Some(value) = values.into_iter().find(|value| !typing::is_canonical(value, ty.width())) {
            return Err(format!("{value} does not fit in {ty}"));
        }
    }
    Ok(())
}

fn name<'p>(program: &'p Program, table: &Table, action: usize) -> &'p str {
    let function = table.actions.get(action).and_then(|action| program.functions.get(action.function.index()));
    function.map_or("", |function| function.name.as_str())
}

/// Returns the number of words that a look-up of a table takes: those of its keys and of its selector.
pub(super) fn words(program: &Program, id: TableId) -> Result<usize, String> {
    let table = ids::table(program, id)?;
    let values = table.keys.iter().map(|key| &key.value).chain(&table.selector);
    let types = values.map(|value| expression(program, value));
    // Errors in the keys are reported with the table.
    let types: Result<Vec<Type>, _> = types.collect();
    types.map(|types| types.into_iter().map(words_of).sum()).map_err(|_| format!("`{}` has no keys", table.name))
}

/// Checks that what a table answers depends on its keys and the control plane alone.
pub(super) fn is_pure(program: &Program, table: TableId) -> Result<(), String> {
    let table = program.tables.get(table.index());
    let profile = table.and_then(|table| program.profiles.get(table.profile?.index()));
    match profile.and_then(|profile| profile.selection.as_ref()?.bits) {
        Some(_) => Err("a look-up cannot depend on bits of members, which packets write".to_owned()),
        None => Ok(()),
    }
}

/// Returns the type of the result of a look-up.
pub(super) fn answer(program: &Program, lookup: &Lookup) -> Result<Type, String> {
    let table = ids::table(program, lookup.table)?;
    let (action, data) = match lookup.result {
        LookupResult::Hit => return Ok(Type::Bool),
        LookupResult::Runs(action) => (action, None),
        LookupResult::Data { action, parameter, low, ty } => (action, Some((parameter, low, ty))),
    };
    let Some(listed) = table.actions.get(action as usize) else {
        return Err(format!("there is no action {action}: the table has {}, counted from 0", table.actions.len()));
    };
    let Some((parameter, low, ty)) = data else { return Ok(Type::Bool) };
    let function = ids::function(program, listed.function)?;
    let Some(&variable) = function.parameters.get(parameter as usize) else {
        let count = function.parameters.len();
        return Err(format!("there is no parameter {parameter}: `{}` has {count}, counted from 0", function.name));
    };
    let of = ids::variable(program, variable)?;
    typing::width(ty)?;
    typing::word(ty)?;
    if u32::from(low) + ty.width() > of.width() {
        return Err(format!("{} bits from bit {low} on are outside of {of}", ty.width()));
    }
    Ok(ty)
}
