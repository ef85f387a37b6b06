//! What is known of the bools of a program: each as a canonical function of the bools that are not made of others.
//!
//! Comparisons that are each other's complement (`x < 5` and `x >= 5`, `mux == 1` and `mux != 1`) are one atom, so
//! that the two sides of a branch are seen to exclude each other however they were written.

use std::collections::{BTreeSet, HashMap};

use ir::{
    BinaryOperator, Constant, Expression, Lookup, LookupResult, Program, Statement, TableId, Type, UnaryOperator,
    VariableId,
};
use runtime::tables::Target;

use crate::functions::{Function, Functions};
use crate::names::Names;

/// The functions of a program's bools, which is in single assignment and three-address code.
pub(crate) struct Predicates {
    functions: Functions,
    of_variable: Vec<Function>,
    atoms: Vec<Atom>,
    numbers: HashMap<Key, u32>,
    subjects: HashMap<Subject, u32>,
    next_subject: u32,
    /// The variables that have a function, in order of assignment.
    holders: HashMap<Function, Vec<VariableId>>,
    /// The atoms that compare a value with a constant.
    equalities: HashMap<Expression, Vec<(Constant, Function)>>,
    /// The atoms that say which action of a table runs for some keys.
    actions: HashMap<(TableId, Vec<Expression>), Vec<Function>>,
    /// True for every packet: `x == 1` and `x == 2` are never both true, nor do two actions of a table run.
    facts: Function,
}

/// A bool that is not made of others.
struct Atom {
    /// A variable that holds it.
    variable: VariableId,
    /// That variable holds its complement.
    inverted: bool,
    /// What it asks about: a value that is compared with constants, or a table and its keys. Facts relate the atoms of
    /// one subject only.
    subject: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Value(Expression),
    Table(TableId, Vec<Expression>),
}

/// Facts about more constants than this help no program and grow the functions.
const MOST_EQUALITIES: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Variable(VariableId),
    Less(Expression, Expression),
    Equal(Expression, Expression),
    /// What a table says, if that is a bool.
    Lookup(Lookup),
}

impl Predicates {
    /// Computes the functions of all bools.
    pub(crate) fn of(program: &Program) -> Self {
        let mut predicates = Self::of_fields(program);
        for statement in &program.packet {
            if let Statement::Assign { variable, value } = statement {
                predicates.learn(program, *variable, value);
            }
        }
        predicates
    }

    /// Knows only what comes with a packet.
    pub(crate) fn of_fields(program: &Program) -> Self {
        let mut predicates = Self {
            functions: Functions::new(),
            of_variable: vec![Function::FALSE; program.variables.len()],
            atoms: Vec::new(),
            numbers: HashMap::new(),
            subjects: HashMap::new(),
            next_subject: 0,
            holders: HashMap::new(),
            equalities: HashMap::new(),
            actions: HashMap::new(),
            facts: Function::TRUE,
        };
        for (field, described) in program.fields() {
            if described.ty == Type::Bool {
                predicates.of_variable[field.index()] = predicates.atom(Key::Variable(field), field, false);
                predicates.hold(field);
            }
        }
        predicates
    }

    /// Learns of a variable that is assigned `value`.
    pub(crate) fn learn(&mut self, program: &Program, variable: VariableId, value: &Expression) {
        self.of_variable.resize(program.variables.len(), Function::FALSE);
        if program.variable(variable).ty != Type::Bool {
            return;
        }
        let function = self.composed(program, variable, value);
        let function = function.unwrap_or_else(|| self.atom(Key::Variable(variable), variable, false));
        self.of_variable[variable.index()] = function;
        self.hold(variable);
    }

    /// Forgets that a variable, the last one learnt of, holds its function: for one that is replaced.
    pub(crate) fn forget(&mut self, variable: VariableId) {
        let function = self.of_variable[variable.index()];
        if let Some(holders) = self.holders.get_mut(&function) {
            holders.retain(|&holder| holder != variable);
        }
    }

    /// The function of a bool that is a constant or a variable.
    pub(crate) fn operand(&self, operand: &Expression) -> Function {
        match operand {
            Expression::Constant(constant) => Function::constant(constant.value != 0),
            Expression::Variable(variable) => self.of_variable[variable.index()],
            _ => unreachable!("three-address code"),
        }
    }

    /// The function of a predicate, of which none is always true.
    pub(crate) fn predicate(&self, predicate: Option<&Expression>) -> Function {
        predicate.map_or(Function::TRUE, |predicate| self.operand(predicate))
    }

    /// The functions themselves, to compute with.
    pub(crate) fn functions(&mut self) -> &mut Functions {
        &mut self.functions
    }

    /// True if `a` is known to hold only where `b` does.
    pub(crate) fn implies(&mut self, a: Function, b: Function) -> bool {
        let facts = self.facts;
        let all = self.functions.and(a, facts);
        all.and_then(|a| self.functions.choose(a, b, Function::TRUE)) == Some(Function::TRUE)
    }

    /// True if `a` and `b` are known never to hold both.
    pub(crate) fn exclude(&mut self, a: Function, b: Function) -> bool {
        let facts = self.facts;
        let both = self.functions.and(a, b);
        both.and_then(|both| self.functions.and(both, facts)) == Some(Function::FALSE)
    }

    /// Where `a` holds or `b` does; always, if that cannot be told.
    pub(crate) fn either(&mut self, a: Function, b: Function) -> Function {
        self.functions.or(a, b).unwrap_or(Function::TRUE)
    }

    /// The atoms of a bool.
    pub(crate) fn support(&self, function: Function) -> BTreeSet<u32> {
        self.functions.support(function)
    }

    /// What a bool asks about, by number. Two bools that have no subject in common cannot exclude each other, unless one
    /// of them is never true.
    pub(crate) fn subjects(&self, function: Function) -> BTreeSet<u32> {
        self.support(function).into_iter().map(|atom| self.atoms[atom as usize].subject).collect()
    }

    /// The variables whose values decide an atom, and one that holds it.
    pub(crate) fn atom_variable(&self, atom: u32) -> VariableId {
        self.atoms[atom as usize].variable
    }

    /// The first variable that has the function and that `usable` accepts.
    pub(crate) fn holder(&self, function: Function, usable: &dyn Fn(VariableId) -> bool) -> Option<VariableId> {
        self.holders.get(&function)?.iter().copied().find(|&variable| usable(variable))
    }

    /// What is left of `function` when the atoms that `unknown` names may have any value; always, if that cannot be
    /// told.
    pub(crate) fn some(&mut self, function: Function, unknown: &dyn Fn(u32) -> bool) -> Function {
        self.functions.some(function, unknown).unwrap_or(Function::TRUE)
    }

    /// An operand with the function, computed by new statements if no variable that `usable` accepts has it. The
    /// variables of its atoms are always used.
    pub(crate) fn materialise(
        &mut self,
        function: Function,
        program: &mut Program,
        names: &mut Names,
        statements: &mut Vec<Statement>,
        usable: &dyn Fn(VariableId) -> bool,
    ) -> Expression {
        if let Some(value) = function.as_constant() {
            return Expression::bool(value);
        }
        if let Some(holder) = self.holder(function, usable) {
            return Expression::Variable(holder);
        }
        let node = self.functions.node(function);
        let atom = &self.atoms[node.atom as usize];
        let (literal, inverted) = (Expression::Variable(atom.variable), atom.inverted);
        let (if_true, if_false) = if inverted { (node.if_false, node.if_true) } else { (node.if_true, node.if_false) };
        let mut inner = |predicates: &mut Self, function, program: &mut Program| {
            predicates.materialise(function, program, names, statements, usable)
        };
        use BinaryOperator::{And, Or};
        let not = |operand| Expression::unary(UnaryOperator::Not, operand);
        let (hint, value) = match (if_true.as_constant(), if_false.as_constant()) {
            (Some(true), Some(_)) => return literal,
            (Some(false), _) if if_false == Function::TRUE => ("not", not(literal)),
            (Some(true), None) => {
                let rest = inner(self, if_false, program);
                ("either", Expression::binary(Or, literal, rest))
            }
            (None, Some(false)) => {
                let rest = inner(self, if_true, program);
                ("both", Expression::binary(And, literal, rest))
            }
            _ => {
                let (if_true, if_false) = (inner(self, if_true, program), inner(self, if_false, program));
                ("choice", Expression::select(literal, if_true, if_false))
            }
        };
        let variable = names.local(program, hint, Type::Bool);
        // Known by its function at once: computing it again from its operator could run into the bound.
        self.of_variable.resize(program.variables.len(), Function::FALSE);
        self.of_variable[variable.index()] = function;
        self.hold(variable);
        statements.push(Statement::Assign { variable, value });
        Expression::Variable(variable)
    }

    /// Says that a variable holds its function.
    pub(crate) fn hold(&mut self, variable: VariableId) {
        let function = self.of_variable[variable.index()];
        self.holders.entry(function).or_default().push(variable);
    }

    /// The function of an operation on bools or of a comparison; `None` if it is neither, or past the bound.
    fn composed(&mut self, program: &Program, variable: VariableId, value: &Expression) -> Option<Function> {
        use BinaryOperator::*;
        let is_bool = |operand: &Expression| program.type_of(operand) == Type::Bool;
        match value {
            Expression::Constant(_) | Expression::Variable(_) => Some(self.operand(value)),
            Expression::Unary(UnaryOperator::Not | UnaryOperator::Complement, a) => {
                let a = self.operand(a);
                self.functions.not(a)
            }
            Expression::Cast(Type::Bool, a) if is_bool(a) => Some(self.operand(a)),
            Expression::Cast(Type::Bool, a) => {
                let zero = Expression::Constant(Constant { ty: program.type_of(a), value: 0 });
                self.comparison(NotEqual, a, &zero, variable)
            }
            Expression::Select(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|operand| self.operand(operand));
                self.functions.choose(c, a, b)
            }
            Expression::Binary(operator, a, b) if is_bool(a) => {
                let [a, b] = [a, b].map(|operand| self.operand(operand));
                match operator {
                    And => self.functions.and(a, b),
                    Or => self.functions.or(a, b),
                    Xor | NotEqual => self.functions.xor(a, b),
                    Equal => self.functions.xor(a, b).and_then(|different| self.functions.not(different)),
                    _ => None,
                }
            }
            Expression::Binary(operator, a, b) if operator.is_comparison() => {
                self.comparison(*operator, a, b, variable)
            }
            // Equal look-ups have equal answers: nothing but the control plane changes a table.
            Expression::Lookup(lookup) => {
                let function = self.atom(Key::Lookup((**lookup).clone()), variable, false);
                self.learn_of_misses(program, lookup);
                Some(function)
            }
            _ => None,
        }
    }

    fn comparison(
        &mut self,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
        variable: VariableId,
    ) -> Option<Function> {
        use BinaryOperator::*;
        let (key, inverted) = match operator {
            Less => (Key::Less(a.clone(), b.clone()), false),
            GreaterEqual => (Key::Less(a.clone(), b.clone()), true),
            Greater => (Key::Less(b.clone(), a.clone()), false),
            LessEqual => (Key::Less(b.clone(), a.clone()), true),
            _ if a <= b => (Key::Equal(a.clone(), b.clone()), operator == NotEqual),
            _ => (Key::Equal(b.clone(), a.clone()), operator == NotEqual),
        };
        let function = self.atom(key, variable, inverted);
        if inverted { self.functions.not(function) } else { Some(function) }
    }

    fn atom(&mut self, key: Key, variable: VariableId, inverted: bool) -> Function {
        if let Some(&number) = self.numbers.get(&key) {
            return self.functions.atom(number);
        }
        let number = u32::try_from(self.atoms.len()).expect("no program has so many bools");
        let function = self.functions.atom(number);
        self.learn_fact(&key, function);
        let subject = self.subject(&key);
        self.numbers.insert(key, number);
        self.atoms.push(Atom { variable, inverted, subject });
        function
    }

    fn subject(&mut self, key: &Key) -> u32 {
        let subject = match key {
            Key::Equal(Expression::Constant(_), value) => Some(Subject::Value(value.clone())),
            Key::Lookup(Lookup { table, keys, .. }) => Some(Subject::Table(*table, keys.clone())),
            _ => None,
        };
        let next = self.next_subject;
        let number = subject.map_or(next, |subject| *self.subjects.entry(subject).or_insert(next));
        self.next_subject += u32::from(number == next);
        number
    }

    /// A value equals at most one of several constants, and of a table at most one action runs.
    fn learn_fact(&mut self, key: &Key, function: Function) {
        match key {
            // Constants sort before variables, so that they are on the left.
            Key::Equal(Expression::Constant(constant), value) => {
                let known = self.equalities.entry(value.clone()).or_default();
                if known.len() >= MOST_EQUALITIES {
                    return;
                }
                debug_assert!(known.iter().all(|(other, _)| other.ty == constant.ty));
                let others: Vec<Function> =
                    known.iter().filter(|(other, _)| other != constant).map(|(_, function)| *function).collect();
                known.push((*constant, function));
                self.exclude_all(function, &others);
            }
            Key::Lookup(Lookup { table, keys, result: LookupResult::Runs(_) }) => {
                let known = self.actions.entry((*table, keys.clone())).or_default();
                if known.len() >= MOST_EQUALITIES {
                    return;
                }
                let others = known.clone();
                known.push(function);
                self.exclude_all(function, &others);
            }
            _ => {}
        }
    }

    /// On a miss the default runs, and nothing else does; the control plane may say which, unless it is constant.
    fn learn_of_misses(&mut self, program: &Program, lookup: &Lookup) {
        let table = &program.tables[lookup.table.index()];
        let Target::Action { action: default, .. } = table.default else { return };
        if !table.is_default_constant || table.profile.is_some() {
            return;
        }
        let asked = |result| Lookup { result, ..lookup.clone() };
        let Some(&hit) = self.numbers.get(&Key::Lookup(asked(LookupResult::Hit))) else { return };
        let hit = self.functions.atom(hit);
        for action in 0..table.actions.len() as u32 {
            let Some(&runs) = self.numbers.get(&Key::Lookup(asked(LookupResult::Runs(action)))) else { continue };
            let runs = self.functions.atom(runs);
            let fact = if action == default {
                self.functions.or(hit, runs)
            } else {
                self.functions.choose(runs, hit, Function::TRUE)
            };
            self.believe(fact);
        }
    }

    /// Learns that a function never holds together with one of others.
    fn exclude_all(&mut self, function: Function, others: &[Function]) {
        for &other in others {
            let both = self.functions.and(function, other);
            let fact = both.and_then(|both| self.functions.not(both));
            self.believe(fact);
        }
    }

    /// Adds what is true for every packet, if it could be made.
    fn believe(&mut self, fact: Option<Function>) {
        if let Some(facts) = fact.and_then(|fact| self.functions.and(self.facts, fact)) {
            self.facts = facts;
        }
    }
}
