//! Decisions of a program: conditions, selections and look-ahead.

use ir::interpret::Test;
use ir::parser::{Case, Next, Set, StateId, Transition};
use ir::{Expression, ParserId, Type, VariableId};
use runtime::{Bits, read_bits};

use super::names::TraceNames;
use super::notes::Seen;
use super::parts::{Case as Chosen, Condition, Field};
use super::tree::Step;
use super::value::Value;
use super::words::seen_ahead;

impl TraceNames<'_> {
    /// Returns the step of a condition, unless the front end generated the condition and it holds.
    pub(super) fn tested(&self, test: Test, condition: &Expression, holds: bool, seen: Vec<Seen>) -> Option<Step> {
        let is_made = |Seen { variable, .. }: &Seen| self.title(*variable).is_none();
        let is_check = !matches!(condition, Expression::Variable(_) | Expression::Unary(..));
        if test == Test::If && holds && is_check && !seen.is_empty() && seen.iter().all(is_made) {
            return None;
        }
        let mut tested =
            Condition { condition: self.expression(condition), holds, values: Vec::new(), undefined: Vec::new() };
        for Seen { variable, value } in seen {
            // The validity of a header or the hit of a table is shown in the condition itself.
            let is_known = self.is_hidden(variable) && self.program.variable(variable).ty == Type::Bool;
            let kept = || self.kept_in(variable).map(|value| self.expression(value));
            let Some(name) = self.title(variable).or_else(kept).filter(|_| !is_known) else { continue };
            match value {
                Some(bits) => tested.values.push(Field { name, value: self.value(variable, bits) }),
                None => tested.undefined.push(name),
            }
        }
        Some(match test {
            Test::If => Step::If(tested),
            Test::Loop => Step::Loop(tested),
        })
    }

    /// Returns the step of a selection: the compared values and the case that was taken.
    pub(super) fn selected(&self, parser: ParserId, state: StateId, seen: Vec<Bits>, case: Option<usize>) -> Step {
        let parser = &self.program.parsers[parser.index()];
        let Transition::Select { keys, cases } = &parser.states[state.index()].transition else {
            return Step::Select { keys: Vec::new(), case: None };
        };
        let named = |(key, bits): (&Expression, Bits)| Field {
            name: self.expression(key),
            value: Value { ty: self.program.type_of(key), bits },
        };
        let fields: Vec<Field> = keys.iter().zip(seen).map(named).collect();
        let case = case.and_then(|case| cases.get(case)).map(|case| {
            let next = match case.next {
                Next::Accept => "accept".to_owned(),
                Next::Reject => "reject".to_owned(),
                Next::State(state) => parser.states[state.index()].name.clone(),
            };
            Chosen { sets: self.sets(case, &fields), next }
        });
        Step::Select { keys: fields, case }
    }

    fn sets(&self, case: &Case, keys: &[Field]) -> String {
        if case.sets.iter().all(|set| matches!(set, Set::Any)) {
            return "default".into();
        }
        let set = |(place, set): (usize, &Set)| match set {
            Set::Any => "_".to_owned(),
            // Show the constant in the same format as the key.
            Set::Value(Expression::Constant(constant)) if case.sets.len() == keys.len() => {
                let bits = Bits::from_u64(constant.value, constant.ty.width());
                Value { ty: constant.ty, bits }.shown(&keys[place].name)
            }
            Set::Value(value) => self.expression(value),
            Set::Mask(value, mask) => format!("{} &&& {}", self.hexadecimal(value), self.hexadecimal(mask)),
            Set::Range(low, high) => format!("{} .. {}", self.expression(low), self.expression(high)),
            Set::ValueSet(set) => format!("value set {}", self.program.value_sets[set.index()].name),
        };
        let sets: Vec<String> = case.sets.iter().enumerate().map(set).collect();
        sets.join(", ")
    }

    fn hexadecimal(&self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(constant) => format!("{:#x}", constant.value),
            other => self.expression(other),
        }
    }

    /// Returns the step of a look-ahead.
    pub(super) fn looked_ahead(&self, variables: &[VariableId], bytes: &[u8], from: usize) -> Step {
        let mut position = from;
        let mut field = |&variable: &VariableId| {
            let width = self.program.variable(variable).ty.width();
            let value = self.value(variable, read_bits(bytes, position, width));
            position += width as usize;
            let name = self.variable(variable);
            let part = seen_ahead(&name).unwrap_or(name);
            Field { name: if part.is_empty() { "value".into() } else { part }, value }
        };
        let fields = variables.iter().map(&mut field).collect();
        Step::Lookahead { from, bits: position - from, fields }
    }
}
