//! Rewrites expressions during the walk through the code.
//!
//! An element of an array becomes a variable if its index is known, and a choice among variables otherwise. A
//! comparison with the number of an action becomes the Boolean result of the look-up that says whether this action
//! runs.

use ir::{ArrayId, BinaryOperator, Expression, Statement, Type, UnaryOperator, VariableId};

use super::walk::{ProgramPart, Walk};
use super::words::number;

impl Walk<'_> {
    /// Returns an expression without run-time indices. Statements that it needs are appended to `code`.
    pub(super) fn resolved(&mut self, expression: &Expression, code: &mut Vec<Statement>) -> Expression {
        let mut resolved = expression.clone();
        self.resolve(&mut resolved, code);
        resolved
    }

    fn resolve(&mut self, expression: &mut Expression, code: &mut Vec<Statement>) {
        for child in expression.children_mut() {
            self.resolve(child, code);
        }
        match expression {
            Expression::Element { array, index } => {
                let index = std::mem::replace(&mut **index, Expression::bool(false));
                *expression = self.element(*array, index, code);
            }
            Expression::Binary(operator @ (BinaryOperator::Equal | BinaryOperator::NotEqual), left, right) => {
                if let Some(runs) = self.runs(left, right).or_else(|| self.runs(right, left)) {
                    let is_inverted = *operator == BinaryOperator::NotEqual;
                    *expression = if is_inverted { Expression::unary(UnaryOperator::Not, runs) } else { runs };
                }
            }
            Expression::Select(condition, if_true, if_false) => {
                if let Some(known) = self.knowledge.value(&self.program, condition) {
                    let taken = if known.value != 0 { if_true } else { if_false };
                    *expression = std::mem::replace(&mut **taken, Expression::bool(false));
                }
            }
            Expression::Read { register, .. } if self.part != ProgramPart::Pipeline => {
                let name = &self.program.registers[register.index()].name;
                let message = format!("the parser or the deparser reads the register `{name}`");
                self.findings.say(message + ", but a pipeline has state only in its stages");
            }
            _ => {}
        }
    }

    /// Returns whether the action with the given number runs, if `variable` holds the number of a table's action.
    fn runs(&self, variable: &Expression, number: &Expression) -> Option<Expression> {
        let (Expression::Variable(variable), Expression::Constant(number)) = (variable, number) else { return None };
        let application = &self.applications[self.knowledge.action(*variable)?];
        Some(application.runs.get(number.value as usize).cloned().unwrap_or(Expression::bool(false)))
    }

    fn element(&mut self, array: ArrayId, index: Expression, code: &mut Vec<Statement>) -> Expression {
        let elements = self.program.arrays[array.index()].elements.clone();
        let ty = self.program.variable(elements[0]).ty;
        if let Some(known) = self.knowledge.value(&self.program, &index) {
            let element = usize::try_from(known.value).ok().and_then(|place| elements.get(place));
            return element.map_or(Expression::Undefined(ty), |element| Expression::Variable(*element));
        }
        let index = if index.is_operand() { index } else { self.held("$index", index, code) };
        let places = self.nameable(&index, elements.len());
        // If the type of the index has no values beyond the last element, the last one needs no test.
        let all = self.program.type_of(&index).width() < 32 && 1 << self.program.type_of(&index).width() <= places;
        let (last, others) = match all {
            true => (Expression::Variable(elements[places - 1]), &elements[..places - 1]),
            false => (Expression::Undefined(ty), &elements[..places]),
        };
        others.iter().enumerate().rev().fold(last, |otherwise, (place, element)| {
            Expression::select(self.is_at(&index, place), Expression::Variable(*element), otherwise)
        })
    }

    /// Returns how many of the first `places` elements the type of an index can address.
    pub(super) fn nameable(&self, index: &Expression, places: usize) -> usize {
        match self.program.type_of(index).width() {
            width if width < 32 => places.min(1 << width),
            _ => places,
        }
    }

    /// Returns the comparison of an index with a place.
    pub(super) fn is_at(&self, index: &Expression, place: usize) -> Expression {
        let place = number(self.program.type_of(index), place as u64);
        Expression::binary(BinaryOperator::Equal, index.clone(), place)
    }

    /// Returns a value that can be used several times: a local variable that holds it, unless it is a constant.
    pub(super) fn held(&mut self, hint: &str, value: Expression, code: &mut Vec<Statement>) -> Expression {
        if value.is_constant() {
            return value;
        }
        Expression::Variable(self.kept(hint, value, code))
    }

    /// Assigns a value to a new local variable.
    pub(super) fn kept(&mut self, hint: &str, value: Expression, code: &mut Vec<Statement>) -> VariableId {
        let variable = self.local(hint, self.program.type_of(&value));
        self.knowledge.assign(&self.program, variable, &value);
        code.push(Statement::Assign { variable, value });
        variable
    }

    /// Casts a number to a type, if it is not of that type already.
    pub(super) fn converted(&self, ty: Type, value: Expression) -> Expression {
        if self.program.type_of(&value) == ty { value } else { Expression::Cast(ty, Box::new(value)) }
    }
}
