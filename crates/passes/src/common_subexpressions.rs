//! Computes equal expressions only once (common subexpression elimination).
//!
//! Two expressions are equal if they apply the same operation to the same operands, and two Boolean values if they are
//! the same function of the same comparisons. Fewer operations need fewer atoms; moreover, two accesses of an array are
//! recognised to be at the same index by the name of the index.
//!
//! A Boolean value whose computation mentions more than the value depends on, such as `(s & p) | (!s & p)`, is
//! recomputed from what it does depend on: a predicate that seems to depend on state could not be resolved before that
//! state is accessed.
//!
//! Two reads of a register are equal if they are at the same index, happen for the same packets, and no write of that
//! register lies between them. So `a[b[0]] = a[b[0]] + 1` accesses one index of `a`. Reads that happen for different
//! packets are left to hoisting.

use std::collections::{BTreeSet, HashMap};

use ir::{Expression, Program, RegisterId, Statement, Type, VariableId};

use crate::fresh_names::FreshNames;
use crate::functions::Function;
use crate::predicates::Predicates;

/// Merges equal expressions of a program in single assignment and three-address code.
pub fn run(program: &mut Program) {
    let packet = std::mem::take(&mut program.packet);
    let mut names = FreshNames::of(program);
    let mut predicates = Predicates::of_fields(program);
    let mut mentions: Mentions = Mentions::new();
    for (field, described) in program.fields() {
        if described.ty == Type::Bool {
            mentions.insert(field.index(), predicates.support(predicates.operand(&Expression::Variable(field))));
        }
    }
    let mut substitutes: Vec<Expression> =
        (0..program.variables.len()).map(|number| Expression::Variable(number.into())).collect();
    let mut seen: HashMap<Expression, Expression> = HashMap::new();
    let mut reads = Reads { writes: vec![0; program.registers.len()], seen: HashMap::new() };
    let mut kept = Vec::with_capacity(packet.len());
    for mut statement in packet {
        for expression in statement.expressions_mut() {
            substitute(expression, &substitutes);
        }
        if let Statement::Write { register, .. } = &statement {
            reads.writes[register.index()] += 1;
        }
        let Statement::Assign { variable, value } = &statement else {
            kept.push(statement);
            continue;
        };
        let (variable, value) = (*variable, value.clone());
        let equal = match &value {
            Expression::Read { register, index, predicate } => {
                let happens = predicates.predicate(predicate.as_deref());
                reads.equal(*register, index.as_deref(), happens, variable)
            }
            value => seen.get(value).or_else(|| seen.get(&mirrored(value)?)).cloned(),
        };
        if let Some(equal) = equal {
            substitutes[variable.index()] = equal;
            continue;
        }
        predicates.learn(program, variable, &value);
        if program.variable(variable).ty == Type::Bool {
            let function = predicates.operand(&Expression::Variable(variable));
            let support = predicates.support(function);
            predicates.forget(variable);
            if let Some(constant) = function.as_constant() {
                substitutes[variable.index()] = Expression::bool(constant);
                continue;
            }
            let mentioned = mentioned(&mentions, &value);
            let dependence_shrinks = mentioned.is_superset(&support) && mentioned.len() > support.len();
            // Earlier variables mention only what their functions depend on; this loop ensures it.
            if let Some(earlier) = predicates.holder(function, &|_| true) {
                substitutes[variable.index()] = Expression::Variable(earlier);
                continue;
            }
            if dependence_shrinks {
                let mut made = Vec::new();
                let operand = predicates.materialise(function, program, &mut names, &mut made, &|_| true);
                substitutes[variable.index()] = operand;
                for statement in made {
                    if let Statement::Assign { variable, value } = &statement {
                        let function = predicates.operand(&Expression::Variable(*variable));
                        mentions.insert(variable.index(), predicates.support(function));
                        seen.insert(value.clone(), Expression::Variable(*variable));
                    }
                    kept.push(statement);
                }
                continue;
            }
            mentions.insert(variable.index(), support);
            predicates.hold(variable);
        }
        if !matches!(value, Expression::Read { .. }) {
            seen.insert(value, Expression::Variable(variable));
        }
        kept.push(statement);
    }
    for export in &mut program.exports {
        substitute(&mut export.value, &substitutes);
    }
    program.packet = kept;
}

/// The reads of registers seen so far.
struct Reads {
    /// The number of writes of each register so far.
    writes: Vec<u32>,
    /// The value of each read, by register, number of writes before the read, index, and predicate of the read.
    seen: HashMap<(RegisterId, u32, Option<Expression>, Function), Expression>,
}

impl Reads {
    /// Returns a variable that was assigned the same read, or remembers that `variable` is.
    fn equal(
        &mut self,
        register: RegisterId,
        index: Option<&Expression>,
        happens: Function,
        variable: VariableId,
    ) -> Option<Expression> {
        let read = (register, self.writes[register.index()], index.cloned(), happens);
        if let Some(earlier) = self.seen.get(&read) {
            return Some(earlier.clone());
        }
        self.seen.insert(read, Expression::Variable(variable));
        None
    }
}

/// The atoms that the computation of each variable mentions, by the index of the variable.
type Mentions = HashMap<usize, BTreeSet<u32>>;

/// Returns the atoms that the operands of an expression mention.
fn mentioned(mentions: &Mentions, value: &Expression) -> BTreeSet<u32> {
    let operands = value.variables().into_iter();
    operands.filter_map(|operand| mentions.get(&operand.index())).flatten().copied().collect()
}

/// Returns a commutative operation with its operands exchanged; `None` for other expressions.
fn mirrored(value: &Expression) -> Option<Expression> {
    match value {
        Expression::Binary(operator, a, b) if operator.is_commutative() => {
            Some(Expression::Binary(*operator, b.clone(), a.clone()))
        }
        _ => None,
    }
}

fn substitute(expression: &mut Expression, substitutes: &[Expression]) {
    expression.rewrite(&mut |inner| {
        if let Expression::Variable(variable) = inner
            && let Some(substitute) = substitutes.get(variable.index())
        {
            *inner = substitute.clone();
        }
    });
}
