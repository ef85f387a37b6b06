//! Turns branches into predicated straight-line code.
//!
//! A pipeline has no branches: every packet passes every atom. The code of a branch is therefore executed for every
//! packet, and its effects are kept only where the branch is taken: `x = c ? new : x` for a variable, `@r = new if c`
//! for a register. This is safe because every operation of the IR is total.
//!
//! Reads inside branches, and inside the sides of a choice, carry the predicate under which they happen, so that later
//! passes know exactly which packets access a register.

use ir::form::{FlatBlock, FlatStatement};
use ir::{BinaryOperator, Expression, Flat, Program, Statement, Type, UnaryOperator, VariableId};

use crate::fresh_names::FreshNames;

/// Converts a program to straight-line code.
pub fn run(flat: &mut Flat) {
    let code = flat.take_code();
    let program = flat.edit();
    let names = FreshNames::of(program);
    let mut conversion = Conversion { program, names, statements: Vec::new() };
    conversion.block(code.block(), None);
    let statements = conversion.statements;
    program.packet = statements;
}

struct Conversion<'p> {
    program: &'p mut Program,
    names: FreshNames,
    statements: Vec<Statement>,
}

/// The Boolean variable that says whether a point of the program is reached; `None` if it always is.
type Reached = Option<VariableId>;

impl Conversion<'_> {
    fn block(&mut self, block: FlatBlock<'_>, reached: Reached) {
        for statement in block.statements() {
            match statement {
                FlatStatement::Assign { variable, value } => {
                    let value = self.expression(value, reached);
                    let value = match reached {
                        Some(predicate) => Expression::select(var(predicate), value, var(variable)),
                        None => value,
                    };
                    self.statements.push(Statement::Assign { variable, value });
                }
                FlatStatement::Write { register, index, value, predicate } => {
                    let reached = self.narrowed(predicate, reached);
                    let index = index.map(|index| self.expression(index, reached));
                    let value = self.expression(value, reached);
                    let predicate = reached.map(var);
                    self.statements.push(Statement::Write { register, index, value, predicate });
                }
                FlatStatement::If { condition, then, otherwise } => {
                    // The condition is kept in a variable, because the branches may change its inputs.
                    let condition = self.expression(condition, reached);
                    let condition = self.keep("condition", Type::Bool, condition);
                    if !then.is_empty() {
                        let reached = self.both(condition, reached, false);
                        self.block(then, Some(reached));
                    }
                    if !otherwise.is_empty() {
                        let reached = self.both(condition, reached, true);
                        self.block(otherwise, Some(reached));
                    }
                }
            }
        }
    }

    /// Returns the expression with its reads predicated.
    fn expression(&mut self, expression: &Expression, reached: Reached) -> Expression {
        match expression {
            Expression::Read { register, index, predicate } => {
                let reached = self.narrowed(predicate.as_deref(), reached);
                let index = index.as_ref().map(|index| Box::new(self.expression(index, reached)));
                let predicate = reached.map(|predicate| Box::new(var(predicate)));
                Expression::Read { register: *register, index, predicate }
            }
            Expression::Select(condition, if_true, if_false) if reads(if_true) || reads(if_false) => {
                let condition = self.expression(condition, reached);
                let condition = self.keep("condition", Type::Bool, condition);
                let [if_true, if_false] = [(if_true, false), (if_false, true)].map(|(side, inverted)| {
                    if reads(side) {
                        let reached = self.both(condition, reached, inverted);
                        self.expression(side, Some(reached))
                    } else {
                        (**side).clone()
                    }
                });
                Expression::select(var(condition), if_true, if_false)
            }
            other => {
                let mut other = other.clone();
                for child in other.children_mut() {
                    *child = self.expression(child, reached);
                }
                other
            }
        }
    }

    /// Returns `reached` narrowed to where `predicate` holds, too. The predicate may itself read registers.
    fn narrowed(&mut self, predicate: Option<&Expression>, reached: Reached) -> Reached {
        let Some(predicate) = predicate else { return reached };
        let predicate = self.expression(predicate, reached);
        let predicate = self.keep("predicate", Type::Bool, predicate);
        Some(self.both(predicate, reached, false))
    }

    /// Computes `reached & condition`, or `reached & !condition` if `inverted`.
    fn both(&mut self, condition: VariableId, reached: Reached, inverted: bool) -> VariableId {
        let condition = if inverted {
            let not = Expression::unary(UnaryOperator::Not, var(condition));
            self.keep("otherwise", Type::Bool, not)
        } else {
            condition
        };
        match reached {
            Some(reached) => {
                let both = Expression::binary(BinaryOperator::And, var(reached), var(condition));
                self.keep("reached", Type::Bool, both)
            }
            None => condition,
        }
    }

    fn keep(&mut self, hint: &str, ty: Type, value: Expression) -> VariableId {
        let variable = self.names.local(self.program, hint, ty);
        self.statements.push(Statement::Assign { variable, value });
        variable
    }
}

fn var(variable: VariableId) -> Expression {
    Expression::Variable(variable)
}

fn reads(expression: &Expression) -> bool {
    let mut found = false;
    expression.walk(&mut |inner| found |= matches!(inner, Expression::Read { .. }));
    found
}
