//! State: lengths of arrays and initial values.

use diagnostics::Diagnostic;
use ir::{Initial, Register, Type};

use super::{Checker, Entity};
use crate::constant;
use crate::limits::{MOST_VALUES, MOST_VALUES_TOGETHER};
use crate::syntax::{Expression, Global, Initializer, Shape};

impl Checker<'_> {
    pub(super) fn globals(&mut self, globals: &[Global]) {
        let mut together = 0;
        for global in globals {
            let length = match &global.shape {
                Shape::Scalar => None,
                Shape::Array(length) => Some(self.length(global, length.as_ref())),
            };
            let initial = self.initial(global, length);
            let before = together;
            together += u64::from(length.unwrap_or(1));
            if before <= MOST_VALUES_TOGETHER && together > MOST_VALUES_TOGETHER {
                let message = format!("the state has more than {MOST_VALUES_TOGETHER} values in total");
                self.report.push(Diagnostic::error(global.name.span, message).hint("make the arrays smaller"));
            }
            let register = Register { name: global.name.text.to_string(), ty: Type::INT32, length, initial };
            if self.declare(&global.name, Entity::Register(self.registers.len())) {
                self.registers.push(register);
                self.register_places.push((global.name.span, false));
            }
        }
    }

    /// Returns the length of an array, or 1 after an error.
    fn length(&mut self, global: &Global, length: Option<&Expression>) -> u32 {
        let Some(length) = length else {
            return match &global.initial {
                Initializer::List(values, _) if !values.is_empty() => values.len() as u32,
                _ => {
                    let error = Diagnostic::error(global.name.span, "this array has no length");
                    self.report.push(error.hint("write how many values it holds, as in `int counts[1024];`"));
                    1
                }
            };
        };
        let Some(value) = constant::evaluate(length, self.report) else { return 1 };
        if let Ok(value @ 1..=MOST_VALUES) = u32::try_from(value) {
            return value;
        }
        // The value as written is more helpful than its lower 32 bits.
        let is_length = |value: &i64| (1..=i64::from(MOST_VALUES)).contains(value);
        let value = Some(constant::unwrapped(length)).filter(|value| !is_length(value)).unwrap_or(i64::from(value));
        let error = if value > 0 {
            let error = Diagnostic::error(length.span, format!("an array holds at most {MOST_VALUES} values"));
            error.hint("no switch has the memory; index a smaller array by `hash2(...) % LENGTH`")
        } else {
            Diagnostic::error(length.span, "an array holds at least one value")
        };
        self.report.push(error.label(format!("this is {value}")));
        1
    }

    fn initial(&mut self, global: &Global, length: Option<u32>) -> Initial {
        match &global.initial {
            Initializer::None => Initial::Fill(0),
            Initializer::Single(value) => {
                if length.is_some() {
                    let error = Diagnostic::error(value.span, "the initial values of an array must be in braces");
                    self.report.push(error.hint("`{0}` sets every value to 0, `{1, 2}` sets the first two"));
                }
                Initial::Fill(self.first_value(value))
            }
            Initializer::List(values, span) => {
                let size = length.unwrap_or(1) as usize;
                if values.len() > size {
                    let error = Diagnostic::error(*span, format!("{} values for an array of {size}", values.len()));
                    self.report.push(error.related(global.name.span, "declared here"));
                }
                let bits: Vec<u64> = values.iter().map(|value| self.first_value(value)).collect();
                match bits.as_slice() {
                    [] => Initial::Fill(0),
                    // One value fills the array. In C, the other values would be 0: see docs/domino.md.
                    [single] => Initial::Fill(*single),
                    _ => Initial::List(bits),
                }
            }
        }
    }

    fn first_value(&mut self, value: &Expression) -> u64 {
        Type::INT32.value_of(i64::from(constant::evaluate(value, self.report).unwrap_or(0)))
    }
}
