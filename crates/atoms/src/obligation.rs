//! Obligations: a codelet as closed definitions over the old states and chosen operands, to be matched by an atom.

use std::collections::{BTreeMap, BTreeSet};

use ir::{BinaryOperator as Operator, Expression, Program, Type, Variable, VariableId, VariableKind};

use crate::codelet::Codelet;
use crate::configuration::GUARDED;
use crate::inputs::Inputs;
use crate::word::Word;
use crate::{Claim, Premise};

/// A claim for one choice of operands in which the atom's side of the equalities is still missing.
#[derive(Debug)]
pub(crate) struct Obligation {
    /// The codelet's definitions, without equalities.
    pub claim: Claim,
    /// The claim's variables for the old values of the states.
    pub states: Vec<VariableId>,
    /// The new values of the states, over the claim's variables.
    pub targets: Vec<Expression>,
    /// The claim's variables for the operands, of the type of the states.
    pub operands: Vec<VariableId>,
    /// The operands that stand for Boolean variables.
    pub bools: Vec<VariableId>,
    /// The numeric type of the states.
    pub word: Word,
    /// Whether the new values depend on every operand.
    pub uses_all_operands: bool,
}

struct Builder<'a> {
    codelet: &'a Codelet<'a>,
    inputs: &'a Inputs,
    premise: Premise,
    claim: Claim,
    known: BTreeMap<VariableId, Expression>,
    states: Vec<VariableId>,
    operands: BTreeMap<VariableId, VariableId>,
    bools: Vec<VariableId>,
}

impl Obligation {
    /// States the codelet in terms of `operands`. Other inputs are replaced by their definitions, where there are any.
    pub(crate) fn new(codelet: &Codelet<'_>, inputs: &Inputs, operands: &[VariableId], premise: Premise) -> Self {
        let claim = Claim {
            scope: Program { name: codelet.program.name.clone(), ..Program::default() },
            free: Vec::new(),
            definitions: Vec::new(),
            assumptions: Vec::new(),
            exact: Vec::new(),
            equalities: Vec::new(),
        };
        let (known, states, bools) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut builder = Builder { codelet, inputs, premise, claim, known, states, operands: BTreeMap::new(), bools };
        for state in &codelet.states {
            let name = format!("@{}", codelet.program.register(state.register).name);
            let old = builder.free(name, codelet.ty());
            builder.states.push(old);
        }
        for &operand in operands {
            let variable = codelet.program.variable(operand);
            let name = if variable.ty == Type::Bool { format!("{}.int", variable.name) } else { variable.name.clone() };
            let container = builder.free(name, codelet.ty());
            if variable.ty == Type::Bool {
                builder.bools.push(container);
            }
            builder.operands.insert(operand, container);
        }
        if let Some(access) = &codelet.access {
            // This comes first, so that its variables are shared wherever the codelet uses them.
            let access = builder.expression(access);
            builder.claim.assumptions.push(access);
        }
        let targets: Vec<_> = (0..codelet.states.len()).map(|number| builder.target(number)).collect();
        let reached = reached(&builder.claim, &targets);
        Self {
            states: builder.states,
            targets,
            operands: operands.iter().map(|operand| builder.operands[operand]).collect(),
            bools: builder.bools,
            // The type is missing only for codelets that merely read, which are never matched.
            word: Word::of(codelet.ty()).unwrap_or(Word::INT32),
            uses_all_operands: builder.operands.values().all(|container| reached.contains(container)),
            claim: builder.claim,
        }
    }
}

impl Builder<'_> {
    fn add(&mut self, name: String, ty: Type) -> VariableId {
        self.claim.scope.variables.push(Variable { name, ty, kind: VariableKind::Local });
        VariableId::from(self.claim.scope.variables.len() - 1)
    }

    fn free(&mut self, name: String, ty: Type) -> VariableId {
        let id = self.add(name, ty);
        self.claim.free.push(id);
        id
    }

    fn define(&mut self, value: Expression) -> Expression {
        let ty = self.claim.scope.type_of(&value);
        let name = format!("t{}", self.claim.definitions.len());
        let id = self.add(name, ty);
        if self.premise == Premise::NoOverflow && may_overflow(ty, &value) {
            self.claim.exact.push(id);
        }
        self.claim.definitions.push((id, value));
        Expression::Variable(id)
    }

    /// Returns the new value of a state.
    fn target(&mut self, number: usize) -> Expression {
        let old = Expression::Variable(self.states[number]);
        match &self.codelet.states[number].write {
            None => old,
            Some((value, None)) => self.expression(value),
            Some((value, Some(predicate))) => {
                let (predicate, value) = (self.expression(predicate), self.expression(value));
                self.define(Expression::select(predicate, value, old))
            }
        }
    }

    /// Translates an expression of the codelet to a constant or variable of the claim.
    fn expression(&mut self, expression: &Expression) -> Expression {
        match expression {
            Expression::Constant(_) => expression.clone(),
            Expression::Variable(id) => self.variable(*id),
            _ => {
                let mut copy = expression.clone();
                for child in copy.children_mut() {
                    *child = self.expression(child);
                }
                match copy {
                    Expression::Binary(operator @ (Operator::AddSaturating | Operator::SubtractSaturating), a, b) => {
                        self.saturating(operator, *a, *b)
                    }
                    other => self.define(other),
                }
            }
        }
    }

    /// Translates a saturating sum to a choice between the sum and the bounds of its type, so that the prover knows its
    /// meaning and an atom may compute it.
    fn saturating(&mut self, operator: Operator, a: Expression, b: Expression) -> Expression {
        let ty = self.claim.scope.type_of(&a);
        let wrapping = if operator == Operator::AddSaturating { Operator::Add } else { Operator::Subtract };
        let Some(word) = Word::of(ty).filter(|word| word.has_guard_bits()) else {
            return self.define(Expression::binary(operator, a, b));
        };
        let [wide_a, wide_b] =
            [&a, &b].map(|operand| self.define(Expression::Cast(GUARDED, Box::new(operand.clone()))));
        let wide = self.define(Expression::binary(wrapping, wide_a, wide_b));
        let mut result = self.define(Expression::binary(wrapping, a, b));
        let (least, greatest) = word.ends();
        for (relation, end) in [(Operator::Greater, greatest), (Operator::Less, least)] {
            let passes = Expression::binary(relation, wide.clone(), Expression::number(GUARDED, end));
            let passes = self.define(passes);
            result = self.define(Expression::select(passes, Expression::number(ty, end), result));
        }
        result
    }

    fn variable(&mut self, id: VariableId) -> Expression {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let (codelet, inputs) = (self.codelet, self.inputs);
        let variable = codelet.program.variable(id);
        let state =
            codelet.states.iter().position(|state| state.read.as_ref().is_some_and(|(variable, _)| *variable == id));
        let value = if let Some(&container) = self.operands.get(&id) {
            let container = Expression::Variable(container);
            match variable.ty {
                Type::Bool => self.define(Expression::Cast(Type::Bool, Box::new(container))),
                _ => container,
            }
        } else if let Some(number) = state {
            let old = Expression::Variable(self.states[number]);
            match codelet.states[number].read.as_ref().and_then(|(_, predicate)| predicate.as_ref()) {
                None => old,
                Some(predicate) => {
                    let predicate = self.expression(predicate);
                    self.define(Expression::select(predicate, old, Expression::number(codelet.ty(), 0)))
                }
            }
        } else if let Some(value) = codelet.assigned.get(&id).or(inputs.definitions.get(&id)) {
            self.expression(value)
        } else {
            Expression::Variable(self.free(variable.name.clone(), variable.ty))
        };
        self.known.insert(id, value.clone());
        value
    }
}

/// Returns the variables that the targets depend on, without those that only the access predicate depends on.
fn reached(claim: &Claim, targets: &[Expression]) -> BTreeSet<VariableId> {
    let mut reached: BTreeSet<VariableId> = targets.iter().flat_map(Expression::variables).collect();
    for (variable, value) in claim.definitions.iter().rev() {
        if reached.contains(variable) {
            reached.extend(value.variables());
        }
    }
    reached
}

/// Returns true for a sum, a difference or a constant multiple of signed 32-bit numbers.
fn may_overflow(ty: Type, value: &Expression) -> bool {
    let constant = |e: &Expression| matches!(e, Expression::Constant(_));
    ty == Type::INT32
        && Claim::exact_parts(value)
            .is_some_and(|(operator, a, b)| operator != Operator::Multiply || constant(&a) || constant(&b))
}
