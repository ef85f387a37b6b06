//! Setting a field in the text of a plan.

use diagnostics::{Diagnostic, Failure};
use files::PlanText;
use plans::Value;
use toml_edit::{DocumentMut, Item, Table, value};

/// Returns the text of a plan with a field set to a value; the field need not exist. A number in the path of the field
/// selects one of several tables, from 0; without a number, the field is set in all of them.
/// [`Value::Missing`] removes the table that such a number selects.
///
/// # Errors
/// Fails with all diagnostics of the plan if the text is not valid TOML, and if the field lies within something that is
/// not a table.
pub(crate) fn with_value(plan: &PlanText, text: &str, field: &str, to: &Value) -> Result<String, Failure> {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        // Reading the plan reports the errors at their places.
        return crate::plan::read(&plan.name, &plan.path, text, &plan.folder, None).map(|_| text.to_owned());
    };
    let parts: Vec<&str> = field.split('.').map(str::trim).collect();
    put(document.as_item_mut(), &parts, to).map_err(|what| {
        let message = format!("`{field}` is not a field of {}: {what}", plan.path);
        Diagnostic::without_place(message).hint("such as `seed`, `transport.kind` or `workload.0.bytes`")
    })?;
    Ok(document.to_string())
}

fn put(item: &mut Item, parts: &[&str], to: &Value) -> Result<(), String> {
    let [first, rest @ ..] = parts else { return Err("it names nothing".to_owned()) };
    if let Some(tables) = item.as_array_of_tables_mut() {
        if let Ok(number) = first.parse::<usize>() {
            let count = tables.len();
            if rest.is_empty() && *to == Value::Missing && number < count {
                tables.remove(number);
                return Ok(());
            }
            let table =
                tables.get_mut(number).ok_or_else(|| format!("there are {count} tables, from 0, and no {number}"))?;
            return put_into(table, rest, to);
        }
        return tables.iter_mut().try_for_each(|table| put_into(table, parts, to));
    }
    let table = item.as_table_mut().ok_or_else(|| format!("`{first}` lies within a value"))?;
    put_into(table, parts, to)
}

fn put_into(table: &mut Table, parts: &[&str], to: &Value) -> Result<(), String> {
    match parts {
        [] => Err("it names a table".to_owned()),
        [name] => {
            let is_table = |item: &Item| item.is_table() || item.is_array_of_tables();
            if table.get(name).is_some_and(is_table) {
                return Err(format!("`{name}` is a table, and what is in it can be set"));
            }
            table[*name] = match to {
                Value::Integer(integer) => value(i64::try_from(*integer).map_err(|_| "this number is too large")?),
                Value::Number(number) => value(*number),
                Value::Word(word) if word == "true" || word == "false" => value(word == "true"),
                Value::Word(word) => value(word.as_str()),
                Value::Missing => return Err("there is no value".to_owned()),
            };
            Ok(())
        }
        [name, rest @ ..] => put(table.entry(name).or_insert(Item::Table(Table::new())), rest, to),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const PLAN: &str =
        "seed = 1\n[transport] # what carries\nkind = \"ndp\"\n[[workload]]\nbytes = 1\n[[workload]]\nbytes = 2\n";

    fn with(field: &str, to: impl Into<Value>) -> Result<String, String> {
        let [name, path, text] = ["p", "p.toml", PLAN].map(str::to_owned);
        let plan = PlanText { name, path, text, folder: PathBuf::new() };
        with_value(&plan, PLAN, field, &to.into()).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_value_takes_the_place_of_a_field_and_all_else_stays() {
        let expected = PLAN.replace("\"ndp\"", "\"eqds\"");
        assert_eq!(with("transport.kind", "eqds").as_deref(), Ok(expected.as_str()));
        assert_eq!(with("workload.1.bytes", 9u64).as_deref(), Ok(PLAN.replace("bytes = 2", "bytes = 9").as_str()));
        let all = PLAN.replace("bytes = 1", "bytes = 9").replace("bytes = 2", "bytes = 9");
        assert_eq!(with("workload.bytes", 9u64).as_deref(), Ok(all.as_str()));
        let second = "[[workload]]\nbytes = 2\n";
        assert_eq!(with("workload.1", Value::Missing).as_deref(), Ok(PLAN.replace(second, "").as_str()));
        assert!(with("switch.limit", "8pkt").is_ok_and(|text| text.ends_with("[switch]\nlimit = \"8pkt\"\n")));
    }

    #[test]
    fn what_is_no_field_is_refused() {
        for field in ["transport", "seed.kind", "workload.7.bytes", "workload.0", "workload"] {
            assert!(with(field, 1u64).is_err_and(|text| text.contains("is not a field of p.toml")), "{field}");
        }
    }
}
