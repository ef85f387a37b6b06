//! A codelet as a function: from the old values of its registers and its inputs to their new values.

use std::collections::{BTreeMap, BTreeSet};

use ir::{BinaryOperator, Expression, Program, RegisterId, Statement, Type, VariableId};

use super::word::Word;
use super::{Template, Unmappable};

/// More statements than this are not a codelet that any atom computes, and bound the depth of recursions.
const MOST_STATEMENTS: usize = 512;

/// One register of a codelet.
pub(super) struct State {
    pub register: RegisterId,
    pub index: Option<Expression>,
    /// The variable of its read, with the read's predicate if that is not taken for granted.
    pub read: Option<(VariableId, Option<Expression>)>,
    /// The value written and the write's predicate if that is not taken for granted.
    pub write: Option<(Expression, Option<Expression>)>,
}

/// What a codelet computes.
pub(super) struct Codelet<'p> {
    pub program: &'p Program,
    /// Its registers, those that it writes first, in order of their writes.
    pub states: Vec<State>,
    /// What the variables that it assigns are, but for those that it reads registers into.
    pub assigned: BTreeMap<VariableId, Expression>,
    /// The access predicate that is taken for granted.
    pub access: Option<Expression>,
}

impl<'p> Codelet<'p> {
    /// Reads straight-line single-assignment code with at most one read and one write of each register.
    pub(super) fn new(program: &'p Program, body: &[Statement]) -> Result<Self, Unmappable> {
        let malformed = |what: &str| Err(Unmappable::Malformed(what.to_owned()));
        if body.len() > MOST_STATEMENTS {
            return Err(Unmappable::Operation("takes more than 512 operations; no atom does"));
        }
        let mut codelet = Self { program, states: Vec::new(), assigned: BTreeMap::new(), access: None };
        let (mut seen, mut used) = (BTreeSet::new(), BTreeSet::new());
        for statement in body {
            used.extend(statement.expressions().into_iter().flat_map(Expression::variables));
            match statement {
                Statement::Assign { variable, value } => {
                    if !seen.insert(*variable) {
                        return malformed("a variable is assigned twice");
                    }
                    if used.contains(variable) {
                        return malformed("a variable is used before it is assigned");
                    }
                    if let Expression::Read { register, index, predicate } = value {
                        let state = codelet.state(*register, index.as_deref());
                        if state.read.replace((*variable, predicate.as_deref().cloned())).is_some() {
                            return malformed("a register is read twice");
                        }
                    } else {
                        if reads(value) {
                            return malformed("a read is inside an expression");
                        }
                        codelet.assigned.insert(*variable, value.clone());
                    }
                }
                Statement::Write { register, index, value, predicate } => {
                    let state = codelet.state(*register, index.as_ref());
                    if state.write.replace((value.clone(), predicate.clone())).is_some() {
                        return malformed("a register is written twice");
                    }
                    if reads(value) || predicate.as_ref().is_some_and(reads) {
                        return malformed("a read is inside a write");
                    }
                }
                Statement::If { .. } => return malformed("it branches"),
                Statement::AssignElement { .. } | Statement::Flow(_) | Statement::Packet(_) | Statement::Shared(_) => {
                    return malformed("it is not flat");
                }
            }
        }
        codelet.states.sort_by_key(|state| state.write.is_none());
        codelet.take_access_for_granted();
        Ok(codelet)
    }

    fn state(&mut self, register: RegisterId, index: Option<&Expression>) -> &mut State {
        let position = self.states.iter().position(|state| state.register == register).unwrap_or_else(|| {
            self.states.push(State { register, index: index.cloned(), read: None, write: None });
            self.states.len() - 1
        });
        &mut self.states[position]
    }

    /// Finds the predicate under which packets come here at all, and drops it from reads and writes.
    ///
    /// A machine does not even steer a packet to a register that it does not access, so that the atom never sees
    /// one whose predicate is false. The predicate must be the same for all registers, and known outside.
    fn take_access_for_granted(&mut self) {
        let outside = |predicate: &Expression| {
            let own = |id: &VariableId| {
                self.assigned.contains_key(id)
                    || self.states.iter().any(|state| state.read.as_ref().is_some_and(|(read, _)| read == id))
            };
            !reads(predicate) && !predicate.variables().iter().any(own)
        };
        let predicates: Vec<Option<&Expression>> = if self.states.iter().all(|state| state.read.is_some()) {
            self.states
                .iter()
                .filter_map(|state| state.read.as_ref())
                .map(|(_, predicate)| predicate.as_ref())
                .collect()
        } else if self.states.iter().all(|state| state.read.is_none()) {
            self.states.iter().filter_map(|state| state.write.as_ref()).map(|(_, p)| p.as_ref()).collect()
        } else {
            return;
        };
        let Some(Some(first)) = predicates.first().copied() else { return };
        if !outside(first) || predicates.iter().any(|predicate| *predicate != Some(first)) {
            return;
        }
        let access = first.clone();
        for state in &mut self.states {
            if let Some((_, predicate)) = &mut state.read {
                *predicate = None;
            }
            if let Some((_, predicate)) = &mut state.write
                && *predicate == Some(access.clone())
            {
                *predicate = None;
            }
        }
        if access != Expression::bool(true) {
            self.access = Some(access);
        }
    }

    /// The type of its registers, or of the first one.
    pub(super) fn ty(&self) -> Type {
        self.states.first().map_or(Type::INT32, |state| self.program.register(state.register).ty)
    }

    /// How many registers it updates.
    pub(super) fn written(&self) -> usize {
        self.states.iter().filter(|state| state.write.is_some()).count()
    }

    /// Refuses what the template cannot do however it is configured.
    pub(super) fn check(&self, template: Template) -> Result<(), Unmappable> {
        for state in &self.states {
            let register = self.program.register(state.register);
            if register.ty != self.ty() || Word::of(register.ty).is_none() {
                return Err(Unmappable::Width { register: register.name.clone() });
            }
        }
        if self.states.len() > template.states() {
            return Err(Unmappable::States { needed: self.states.len(), template });
        }
        self.check_operations(template)
    }

    /// Refuses operations on the state that are no sums: a proof would know nothing of them.
    fn check_operations(&self, template: Template) -> Result<(), Unmappable> {
        let mut dependent: BTreeSet<VariableId> = BTreeSet::new();
        dependent.extend(self.states.iter().filter_map(|state| state.read.as_ref()).map(|(variable, _)| *variable));
        // Values are not in order of assignment here, so go over them until nothing is added.
        loop {
            let before = dependent.len();
            for (variable, value) in &self.assigned {
                if value.variables().iter().any(|used| dependent.contains(used)) {
                    dependent.insert(*variable);
                }
            }
            if dependent.len() == before {
                break;
            }
        }
        let mut found = None;
        let on_state = |e: &Expression| e.variables().iter().any(|used| dependent.contains(used));
        let has_guard_bits = |e: &Expression| Word::of(self.program.type_of(e)).is_some_and(Word::has_guard_bits);
        let mut check = |e: &Expression| {
            let what = match e {
                // Nothing is proved of what stands inside an update and is none of its operations.
                Expression::Lookup(_) => "looks up a table; no atom does",
                Expression::Checksum(_) => "computes a checksum; no atom does",
                Expression::Hash(..) if on_state(e) => "hashes its state; no atom does",
                Expression::Binary(operator, a, b) if on_state(e) => match operator {
                    BinaryOperator::Divide | BinaryOperator::Remainder => "divides its state; no atom does",
                    // What stops is a choice between a sum and an end, where there are bits to see it.
                    BinaryOperator::AddSaturating | BinaryOperator::SubtractSaturating if !has_guard_bits(a) => {
                        "adds to its state and stops at the ends of its type; no atom does"
                    }
                    BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if !constant(b) => {
                        "shifts its state by a variable; no atom does"
                    }
                    BinaryOperator::Multiply
                        if template != Template::MultiplyAccumulate && !constant(a) && !constant(b) =>
                    {
                        "multiplies its state; only `mul_acc` does"
                    }
                    _ => return,
                },
                _ => return,
            };
            found = found.or(Some(what));
        };
        let mut values: Vec<&Expression> = self.assigned.values().collect();
        for (value, predicate) in self.states.iter().filter_map(|state| state.write.as_ref()) {
            values.push(value);
            values.extend(predicate);
        }
        for value in values {
            value.walk(&mut check);
        }
        found.map_or(Ok(()), |what| Err(Unmappable::Operation(what)))
    }
}

/// True if a register is read inside.
pub(super) fn reads(expression: &Expression) -> bool {
    let mut found = false;
    expression.walk(&mut |inner| found |= matches!(inner, Expression::Read { .. }));
    found
}

pub(super) fn constant(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(_))
}
