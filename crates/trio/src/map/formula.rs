//! Formulas of conditions, which become tables of truth.

use ir::BinaryOperator;

use crate::word::{Combination, MOST_INPUTS};

/// A formula of conditions.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Constant(bool),
    /// The condition of this ALU.
    Condition(u8),
    Not(Box<Formula>),
    Binary(BinaryOperator, Box<Formula>, Box<Formula>),
    Select(Box<[Formula; 3]>),
}

impl Formula {
    pub fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    pub fn with(self, operator: BinaryOperator, other: Self) -> Self {
        Self::Binary(operator, Box::new(self), Box::new(other))
    }

    /// Returns the numbers of the condition ALUs, each once, in the order of the text.
    pub fn inputs(&self) -> Vec<u8> {
        let mut inputs = Vec::new();
        self.collect(&mut inputs);
        inputs
    }

    fn collect(&self, inputs: &mut Vec<u8>) {
        match self {
            Self::Constant(_) => {}
            Self::Condition(number) if inputs.contains(number) => {}
            Self::Condition(number) => inputs.push(*number),
            Self::Not(inner) => inner.collect(inputs),
            Self::Binary(_, left, right) => [left, right].into_iter().for_each(|part| part.collect(inputs)),
            Self::Select(parts) => parts.iter().for_each(|part| part.collect(inputs)),
        }
    }

    fn holds(&self, condition: &impl Fn(u8) -> bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Condition(number) => condition(*number),
            Self::Not(inner) => !inner.holds(condition),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.holds(condition), right.holds(condition));
                match operator {
                    BinaryOperator::And => left & right,
                    BinaryOperator::Or => left | right,
                    BinaryOperator::Equal => left == right,
                    _ => left != right,
                }
            }
            Self::Select(parts) => {
                let [condition_of, if_true, if_false] = &**parts;
                if condition_of.holds(condition) { if_true.holds(condition) } else { if_false.holds(condition) }
            }
        }
    }

    /// Returns the table of truth; the number of inputs if there are too many.
    pub fn combination(&self) -> Result<Combination, usize> {
        let inputs = self.inputs();
        if inputs.len() > MOST_INPUTS {
            return Err(inputs.len());
        }
        let place = |number| inputs.iter().position(|input| *input == number).expect("all are collected");
        let row = |row: u32| self.holds(&|number| row >> place(number) & 1 == 1);
        let table = (0..1_u32 << inputs.len()).fold(0, |table, at| table | u16::from(row(at)) << at);
        Ok(Combination::new(&inputs, table).expect("each input is there once"))
    }
}
