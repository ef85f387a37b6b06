//! Finds the differences in meaning between two P4Infos.

use super::text_format::Value;

/// Repeated fields whose order is significant. The elements of all others are found by id or name, so their order is
/// not.
const ORDERED: [&str; 3] = ["members", "expressions", "kv_pairs"];
/// A field that compilers before 2024 did not write.
const LATER: &str = "initial_default_action";

/// A field that means nothing if it is empty.
const EMPTY: &str = "type_info";

type Fields = [(String, Value)];

/// Returns the differences between two P4Infos, each with the path to it: `-` marks what only the expected one has, `+`
/// what only the found one has. If the expected one contains no `initial_default_action`, it was written by a compiler
/// that did not know the field, and the field is left out of the comparison.
pub(super) fn differences(expected: &Fields, found: &Fields) -> Vec<String> {
    let is_early = !mentions(expected, LATER);
    let mut differences = Vec::new();
    compare(&prepared(expected, is_early), &prepared(found, is_early), "", &mut differences);
    differences
}

fn mentions(fields: &Fields, wanted: &str) -> bool {
    fields.iter().any(|(name, value)| match value {
        _ if name == wanted => true,
        Value::Message(inner) => mentions(inner, wanted),
        _ => false,
    })
}

/// Sorts the fields and removes those that are not compared. Repeated fields whose order is significant keep it.
fn prepared(fields: &Fields, is_early: bool) -> Vec<(String, Value)> {
    let mut result: Vec<(String, Value)> = Vec::with_capacity(fields.len());
    let is_empty = |name: &str, value: &Value| name == EMPTY && *value == Value::Message(vec![]);
    let said = fields.iter().filter(|(name, value)| !(is_empty(name, value) || is_early && name == LATER));
    for (name, value) in said {
        let value = match value {
            Value::Message(inner) => Value::Message(prepared(inner, is_early)),
            other => other.clone(),
        };
        result.push((name.clone(), value));
    }
    result.sort_by(|(one, a), (other, b)| {
        let by_name = one.cmp(other);
        if ORDERED.contains(&one.as_str()) { by_name } else { by_name.then_with(|| a.cmp(b)) }
    });
    result
}

/// Adds the differences between two messages at the path `way`. Fields of one name are paired in order if their order
/// is significant. Otherwise equal ones are paired first, then those with the same name, then the rest in order.
fn compare(expected: &Fields, found: &Fields, way: &str, differences: &mut Vec<String>) {
    let mut names: Vec<&str> = expected.iter().chain(found).map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |fields: &Fields| -> Vec<Value> {
            fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.clone()).collect()
        };
        let (mut left, mut right) = (of(expected), of(found));
        if left == right {
            continue;
        }
        if !ORDERED.contains(&name) {
            left.retain(|value| match right.iter().position(|other| other == value) {
                Some(at) => {
                    right.remove(at);
                    false
                }
                None => true,
            });
        }
        for value in left {
            let same = right.iter().position(|other| called(other).is_some() && called(other) == called(&value));
            let next = (!right.is_empty()).then_some(0);
            let pair = if ORDERED.contains(&name) { next } else { same.or(next.filter(|_| called(&value).is_none())) };
            let here = format!("{way}/{name}{}", called(&value).map_or(String::new(), |own| format!("({own})")));
            match (pair.map(|at| right.remove(at)), value) {
                (Some(Value::Message(other)), Value::Message(own)) => compare(&own, &other, &here, differences),
                (Some(other), own) => {
                    differences.push(format!("- {here}: {}", shown(&own)));
                    differences.push(format!("+ {here}: {}", shown(&other)));
                }
                (None, own) => differences.push(format!("- {here}: {}", shown(&own))),
            }
        }
        differences.extend(right.iter().map(|other| {
            let here = called(other).map_or(String::new(), |own| format!("({own})"));
            format!("+ {way}/{name}{here}: {}", shown(other))
        }));
    }
}

/// Returns the name of a message: that of its preamble, its own name or its key.
fn called(value: &Value) -> Option<String> {
    let Value::Message(fields) = value else { return None };
    fields.iter().find_map(|(name, value)| match value {
        Value::Message(_) if name == "preamble" => called(value),
        Value::Bytes(bytes) if name == "name" || name == "key" => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

/// Formats the beginning of a value.
fn shown(value: &Value) -> String {
    const MOST: usize = 120;
    let text = match value {
        Value::Word(word) => word.clone(),
        Value::Bytes(bytes) => format!("\"{}\"", bytes.escape_ascii()),
        Value::Message(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
            format!("{{ {} }}", fields.join(" "))
        }
    };
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::p4info::text_format::read;

    fn differ(expected: &str, found: &str) -> Vec<String> {
        differences(&read(expected).expect("right"), &read(found).expect("right"))
    }

    #[test]
    fn order_matters_only_in_types() {
        let one = "tables { preamble { id: 1 name: \"a\" } initial_default_action { } } tables { preamble { id: 2 name: \"b\" } }";
        let other = "tables { preamble { name: \"b\" id: 2 } } tables { initial_default_action { } preamble { id: 1 name: \"a\" } }";
        assert_eq!(differ(one, other), Vec::<String>::new());
        let fields = |names: [&str; 2]| {
            format!("s {{ members {{ name: \"{}\" }} members {{ name: \"{}\" }} }}", names[0], names[1])
        };
        assert_eq!(differ(&fields(["x", "y"]), &fields(["x", "y"])), Vec::<String>::new());
        assert!(!differ(&fields(["x", "y"]), &fields(["y", "x"])).is_empty());
    }

    #[test]
    fn differences_show_their_path() {
        let expected = "tables { preamble { name: \"a\" id: 1 } size: 3 initial_default_action { } } actions { preamble { name: \"x\" } }";
        let found = "tables { preamble { name: \"a\" id: 2 } size: 3 initial_default_action { } } digests { }";
        assert_eq!(
            differ(expected, found),
            [
                "- /actions(x): { preamble: { name: \"x\" } }",
                "+ /digests: {  }",
                "- /tables(a)/preamble(a)/id: 1",
                "+ /tables(a)/preamble(a)/id: 2",
            ]
        );
    }

    #[test]
    fn a_field_unknown_to_the_compiler_is_left_out() {
        let found = "tables { preamble { name: \"a\" } initial_default_action { action_id: 7 } }";
        assert_eq!(differ("tables { preamble { name: \"a\" } }", found), Vec::<String>::new());
        let knows =
            "tables { preamble { name: \"a\" } } tables { preamble { name: \"b\" } initial_default_action { } }";
        assert!(!differ(knows, &found.replace("tables {", "tables { preamble { name: \"b\" } } tables {")).is_empty());
    }
}
