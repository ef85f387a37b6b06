//! Entries and default actions of tables.

use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

use super::json::{Reader, Value};
use crate::plane::check_field;
use crate::{
    ActionCall, ActionNumber, EntityKind, EntryError, Error, MatchField, Request, TableNumber, TableRequest, Target,
};

pub(super) fn entry(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Request> {
    const KNOWN: [&str; 7] = ["table", "match", "action_name", "action_params", "default_action", "priority", "pipe"];
    let object = reader.object(value, "an entry")?;
    reader.check_names(object, &KNOWN);
    let pipe = match object.get("pipe") {
        Some(pipe) => Some(reader.index(&pipe.value, "pipe")?),
        None => None,
    };
    let (table, action) = (reader.need(object, "table"), reader.need(object, "action_name"));
    let (table, action) = (reader.text(table?, "the name of a table"), reader.text(action?, "the name of an action"));
    let table = reader.resolver.table(&table?)?;
    let action = reader.resolver.action(table, &action?);
    let is_default = object.get_boolean("default_action").is_some_and(|flag| flag.value);
    let asked = object.get("match").map(|property| &property.value);
    let key = if is_default { Some(Vec::new()) } else { key(reader, table, asked, value) };
    let priority = object.get("priority").map(|property| reader.index(&property.value, "priority"));
    let parameters = object.get("action_params").map(|property| &property.value);
    let target = Target::Action(call(reader, action?, parameters, value)?);
    if is_default {
        return Some(Request::Table(table, TableRequest::set_default(target)).in_pipe(pipe));
    }
    let priority = match priority {
        Some(given) => Some(given?),
        None => None,
    };
    let checked = reader.resolver.info.table(table).check_priority(priority);
    let span = reader.span(value);
    reader.resolver.ok(checked, span)?;
    Some(Request::Table(table, TableRequest::insert(key?, priority, target)).in_pipe(pipe))
}

/// Builds the whole key of an entry from fields that are given by name.
fn key(
    reader: &mut Reader<'_>,
    table: TableNumber,
    asked: Option<&Value<'_>>,
    entry: &Value<'_>,
) -> Option<Vec<FieldMatch>> {
    let about = reader.resolver.info.table(table);
    let mut key: Vec<Option<FieldMatch>> = vec![None; about.fields.len()];
    let mut is_right = true;
    if let Some(asked) = asked {
        for property in &reader.object(asked, "a match")?.properties {
            let name = reader.name(property);
            let found = reader.resolver.info.field_named(table, &name.text);
            let at = reader.resolver.ok(found, name.span);
            let read = at.and_then(|at| field(reader, &about.identity.name, &about.fields[at], &property.value));
            match (at, read) {
                (Some(at), Some(read)) if key[at].is_none() => key[at] = Some(read),
                (Some(_), Some(_)) => {
                    reader.resolver.error(name.span, format!("key field `{}` is given twice", name.text));
                    is_right = false;
                }
                _ => is_right = false,
            }
        }
    }
    for (asked, field) in key.iter().zip(&about.fields) {
        // Only a match of everything may be omitted (P4Runtime specification 1.4, section 9.1.1).
        if is_right && asked.is_none() && field.kind == MatchKind::Exact {
            let message = format!("key field `{}` of table `{}` is missing", field.name, about.identity.name);
            let span = reader.span(entry);
            reader.resolver.error(span, message);
            is_right = false;
        }
    }
    is_right.then(|| key.into_iter().map(|asked| asked.unwrap_or(FieldMatch::Any)).collect())
}

fn field(reader: &mut Reader<'_>, table: &str, field: &MatchField, value: &Value<'_>) -> Option<FieldMatch> {
    let items = value.as_array().map_or(std::slice::from_ref(value), |list| list.elements.as_slice());
    let place = || format!("key field `{}` of table `{table}`", field.name);
    let span = reader.span(value);
    let asked = match (field.kind, items) {
        (MatchKind::Exact | MatchKind::Optional, [value]) => {
            FieldMatch::Exact(number(reader, value, field.width, place)?)
        }
        (MatchKind::Lpm, [value, length]) => FieldMatch::Prefix {
            value: number(reader, value, field.width, place)?,
            length: reader.index(length, "prefix length")?,
        },
        (MatchKind::Ternary, [value, mask]) => FieldMatch::Mask {
            value: number(reader, value, field.width, place)?,
            mask: number(reader, mask, field.width, place)?,
        },
        (MatchKind::Range, [low, high]) => FieldMatch::Range {
            low: number(reader, low, field.width, place)?,
            high: number(reader, high, field.width, place)?,
        },
        _ => {
            let error = EntryError::Mismatch { field: field.name.clone(), kind: field.kind };
            return reader
                .resolver
                .ok(Err(Error::Entry { kind: EntityKind::Table, name: table.to_owned(), error }), span);
        }
    };
    let checked = check_field(EntityKind::Table, table, field, &asked);
    reader.resolver.ok(checked, span)
}

fn number(reader: &mut Reader<'_>, value: &Value<'_>, width: u32, place: impl Fn() -> String) -> Option<Bits> {
    let word = reader.scalar(value, &place())?;
    reader.resolver.value(&word, width, place)
}

/// Reads an action whose parameters are given by name.
fn call(
    reader: &mut Reader<'_>,
    action: ActionNumber,
    parameters: Option<&Value<'_>>,
    entry: &Value<'_>,
) -> Option<ActionCall> {
    let about = reader.resolver.info.action(action);
    let name = &about.identity.name;
    let mut data: Vec<Option<Bits>> = vec![None; about.parameters.len()];
    let mut is_right = true;
    let mut given = 0;
    if let Some(parameters) = parameters {
        for property in &reader.object(parameters, "`action_params`")?.properties {
            given += 1;
            let word = reader.name(property);
            let found = reader.resolver.info.parameter_named(action, &word.text);
            let at = reader.resolver.ok(found, word.span);
            let value = at.and_then(|at| {
                let parameter = &about.parameters[at];
                let place = || format!("parameter `{}` of action `{name}`", parameter.name);
                number(reader, &property.value, parameter.width, place)
            });
            match (at, value) {
                (Some(at), Some(value)) => data[at] = Some(value),
                _ => is_right = false,
            }
        }
    }
    if is_right && data.iter().any(Option::is_none) {
        let parameters = about.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let span = reader.span(entry);
        return reader.resolver.ok(Err(Error::ParameterCount { action: name.clone(), parameters, given }), span);
    }
    let data = data.into_iter().collect::<Option<Vec<Bits>>>()?;
    is_right.then_some(ActionCall { action, data })
}
