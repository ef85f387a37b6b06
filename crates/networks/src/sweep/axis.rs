//! A field of a plan that takes several values.

use diagnostics::{Diagnostic, Failure};
use plans::Value;

/// The greatest number of values in a range.
const MOST_VALUES: u64 = 100_000;

/// A field of a plan, and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The field, as a path from the plan's root: `seed`, `transport.kind`, `workload.0.bytes`.
    pub field: String,
    /// The values in order.
    pub values: Vec<Value>,
}

impl Axis {
    /// Parses an axis as it is written on the command line: `transport.kind=ndp,eqds`, `seed=1..20` (1 to 20, both
    /// included), `topology.k=4..16:4` (in steps of 4).
    ///
    /// # Errors
    /// Fails with what is wrong, and with a hint about how axes are written.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let refuse = |what: String| {
            let hint =
                "such as `transport.kind=ndp,eqds`, `seed=1..20` (1 to 20) or `topology.k=4..16:4` (in steps of 4)";
            Failure::from(Diagnostic::without_place(what).hint(hint))
        };
        let Some((field, list)) = text.split_once('=') else {
            return Err(refuse(format!("`{text}` does not name a field and its values")));
        };
        let field = field.trim();
        if field.is_empty() || field.split('.').any(|part| part.trim().is_empty()) {
            return Err(refuse(format!("`{text}` does not name a field of a plan")));
        }
        let mut values = Vec::new();
        for part in list.split(',').map(str::trim) {
            if part.is_empty() {
                return Err(refuse(format!("`{text}` has an empty value")));
            }
            match range(part) {
                Some((first, last, step)) if first <= last && step > 0 => {
                    if (last - first) / step >= MOST_VALUES {
                        return Err(refuse(format!("`{part}` has more than {MOST_VALUES} values")));
                    }
                    values.extend((first..=last).step_by(step as usize).map(Value::Integer));
                }
                Some(_) => return Err(refuse(format!("`{part}` has no values: a range goes from the smaller number"))),
                None => values.push(value(part)),
            }
        }
        if let Some(twice) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return Err(refuse(format!("`{text}` has the value {} twice", twice.1)));
        }
        Ok(Self { field: field.to_owned(), values })
    }
}

/// Parses a range: `1..20` or `4..16:4`.
fn range(text: &str) -> Option<(u64, u64, u64)> {
    let (first, rest) = text.split_once("..")?;
    let (last, step) = rest.split_once(':').map_or((rest, "1"), |(last, step)| (last, step));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?, step.trim().parse().ok()?))
}

/// Parses a whole number, any other number, or a word.
fn value(text: &str) -> Value {
    if let Ok(integer) = text.parse::<u64>() {
        return integer.into();
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => number.into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_lists_ranges_and_steps() {
        let axis = |text: &str| Axis::parse(text).expect("it is an axis");
        assert_eq!(axis("transport.kind = ndp, eqds").values, [Value::from("ndp"), Value::from("eqds")]);
        assert_eq!(axis("seed=1..3,7").values, [1u64, 2, 3, 7].map(Value::from));
        assert_eq!(axis("topology.k=4..12:4").values, [4u64, 8, 12].map(Value::from));
        assert_eq!(axis("workload.0.load=0.5,0.9").values, [0.5, 0.9].map(Value::from));
        assert_eq!(axis("switch.limit=8pkt").values, [Value::from("8pkt")]);
    }

    #[test]
    fn errors_say_how_axes_are_written() {
        for text in
            ["seed", "=1", "a..b=1", "seed=", "seed=1,,2", "seed=9..1", "seed=1..9:0", "seed=1,1", "seed=0..99999999"]
        {
            let failure = Axis::parse(text).expect_err(text);
            assert!(failure.to_string().contains("such as `transport.kind=ndp,eqds`"), "{text}: {failure}");
        }
    }
}
