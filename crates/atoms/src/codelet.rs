//! A codelet as a function from the old values of its registers, and its inputs, to their new values.

use std::collections::{BTreeMap, BTreeSet};

use ir::{BinaryOperator, Expression, Program, RegisterId, Statement, Type, VariableId};

use crate::word::Word;
use crate::{Template, Unmappable};

/// The maximum number of statements of a codelet. No atom computes larger ones, and the limit bounds recursion.
const MOST_STATEMENTS: usize = 512;

/// One register of a codelet.
pub(crate) struct RegisterAccess {
    pub register: RegisterId,
    pub index: Option<Expression>,
    /// The variable that the register is read into, and the predicate of the read unless it is assumed to hold.
    pub read: Option<(VariableId, Option<Expression>)>,
    /// The value written, and the predicate of the write unless it is assumed to hold.
    pub write: Option<(Expression, Option<Expression>)>,
}

/// A codelet, analysed.
pub(crate) struct Codelet<'p> {
    pub program: &'p Program,
    /// The registers of the codelet; those that it writes come first.
    pub states: Vec<RegisterAccess>,
    /// The expressions of the variables that it assigns, other than those that it reads registers into.
    pub assigned: BTreeMap<VariableId, Expression>,
    /// The access predicate, which is assumed to hold.
    pub access: Option<Expression>,
}

impl<'p> Codelet<'p> {
    /// Analyses straight-line code in single assignment with at most one read and one write of each register.
    pub(crate) fn new(program: &'p Program, body: &[Statement]) -> Result<Self, Unmappable> {
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

    fn state(&mut self, register: RegisterId, index: Option<&Expression>) -> &mut RegisterAccess {
        let position = self.states.iter().position(|state| state.register == register).unwrap_or_else(|| {
            self.states.push(RegisterAccess { register, index: index.cloned(), read: None, write: None });
            self.states.len() - 1
        });
        &mut self.states[position]
    }

    /// Finds the predicate under which packets reach the atom at all, and removes it from reads and writes.
    ///
    /// A machine does not steer a packet to a register that it does not access, so the atom never sees one for which
    /// the predicate is false. The predicate must be the same for all registers, and be computed outside the codelet.
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

    /// Returns the type of the first register.
    pub(crate) fn ty(&self) -> Type {
        self.states.first().map_or(Type::INT32, |state| self.program.register(state.register).ty)
    }

    /// Returns the number of registers that the codelet writes.
    pub(crate) fn written(&self) -> usize {
        self.states.iter().filter(|state| state.write.is_some()).count()
    }

    /// Refuses codelets that the template cannot compute however it is configured.
    pub(crate) fn check(&self, template: Template) -> Result<(), Unmappable> {
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

    /// Refuses operations on the state that are not sums, about which the prover knows nothing.
    fn check_operations(&self, template: Template) -> Result<(), Unmappable> {
        let mut dependent: BTreeSet<VariableId> = BTreeSet::new();
        dependent.extend(self.states.iter().filter_map(|state| state.read.as_ref()).map(|(variable, _)| *variable));
        // The values are not in order of assignment here, so this repeats until nothing is added.
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
                // These may occur inside an update, but are not operations of any atom, and nothing is proved about
                // them.
                Expression::Lookup(_) => "looks up a table; no atom does",
                Expression::Checksum(_) => "computes a checksum; no atom does",
                Expression::Hash(..) if on_state(e) => "hashes its state; no atom does",
                Expression::Binary(operator, a, b) if on_state(e) => match operator {
                    BinaryOperator::Divide | BinaryOperator::Remainder => "divides its state; no atom does",
                    // A saturating sum is a choice between the sum and a bound, if guard bits can detect the overflow.
                    BinaryOperator::AddSaturating | BinaryOperator::SubtractSaturating if !has_guard_bits(a) => {
                        "adds to its state with saturation; no atom does for types of more than 61 bits"
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

/// Returns true if an expression contains a read of a register.
pub(crate) fn reads(expression: &Expression) -> bool {
    let mut found = false;
    expression.walk(&mut |inner| found |= matches!(inner, Expression::Read { .. }));
    found
}

pub(crate) fn constant(expression: &Expression) -> bool {
    matches!(expression, Expression::Constant(_))
}
