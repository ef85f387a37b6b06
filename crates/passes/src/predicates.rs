//! The Boolean values of a program, each as a canonical function of atoms: those that are not computed from others.
//!
//! Comparisons that are each other's complement (`x < 5` and `x >= 5`, `mux == 1` and `mux != 1`) are the same atom, so
//! that the two sides of a branch are known to exclude each other however they are written.

use std::collections::{BTreeSet, HashMap};

use ir::{
    BinaryOperator, Constant, Expression, Lookup, LookupResult, Program, Statement, TableId, Type, UnaryOperator,
    VariableId,
};
use runtime::tables::Target;

use crate::fresh_names::FreshNames;
use crate::functions::{Function, Functions};

/// The functions of the Boolean variables of a program in single assignment and three-address code.
pub(crate) struct Predicates {
    functions: Functions,
    of_variable: Vec<Function>,
    atoms: Vec<Atom>,
    numbers: HashMap<Key, u32>,
    subjects: HashMap<Subject, u32>,
    next_subject: u32,
    /// The variables that hold each function, in order of assignment.
    holders: HashMap<Function, Vec<VariableId>>,
    /// For each value, the constants that it is compared with, and the atoms of these comparisons.
    equalities: HashMap<Expression, Vec<(Constant, Function)>>,
    /// For each table and keys, the atoms that say which action runs.
    actions: HashMap<(TableId, Vec<Expression>), Vec<Function>>,
    /// A function that is true for every packet: `x == 1` and `x == 2` never both hold, and at most one action of a
    /// table runs.
    facts: Function,
}

/// A Boolean value that is not computed from others.
struct Atom {
    /// A variable that holds the atom or its complement.
    variable: VariableId,
    /// Whether the variable holds the complement.
    inverted: bool,
    /// The number of the atom's subject: a value that is compared with constants, or a table and its keys. Facts relate
    /// only atoms of the same subject.
    subject: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Value(Expression),
    Table(TableId, Vec<Expression>),
}

/// The maximum number of atoms of a subject that facts relate; more facts help no program and enlarge the functions.
const MOST_EQUALITIES: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Variable(VariableId),
    Less(Expression, Expression),
    Equal(Expression, Expression),
    /// A look-up with a Boolean result.
    Lookup(Lookup),
}

impl Predicates {
    /// Computes the functions of all Boolean variables of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut predicates = Self::of_fields(program);
        for statement in &program.packet {
            if let Statement::Assign { variable, value } = statement {
                predicates.learn(program, *variable, value);
            }
        }
        predicates
    }

    /// Computes only the functions of Boolean fields, which arrive with the packet.
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

    /// Records that `variable` is assigned `value`.
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

    /// Forgets that a variable holds its function. It must be the one recorded last; for a variable that is to be
    /// replaced.
    pub(crate) fn forget(&mut self, variable: VariableId) {
        let function = self.of_variable[variable.index()];
        if let Some(holders) = self.holders.get_mut(&function) {
            holders.retain(|&holder| holder != variable);
        }
    }

    /// Returns the function of a Boolean constant or variable.
    pub(crate) fn operand(&self, operand: &Expression) -> Function {
        match operand {
            Expression::Constant(constant) => Function::constant(constant.value != 0),
            Expression::Variable(variable) => self.of_variable[variable.index()],
            _ => unreachable!("three-address code"),
        }
    }

    /// Returns the function of a predicate; no predicate means always true.
    pub(crate) fn predicate(&self, predicate: Option<&Expression>) -> Function {
        predicate.map_or(Function::TRUE, |predicate| self.operand(predicate))
    }

    /// Gives access to the functions, to compute with them.
    pub(crate) fn functions(&mut self) -> &mut Functions {
        &mut self.functions
    }

    /// Returns true if `a` is known to imply `b`.
    pub(crate) fn implies(&mut self, a: Function, b: Function) -> bool {
        let facts = self.facts;
        let all = self.functions.and(a, facts);
        all.and_then(|a| self.functions.choose(a, b, Function::TRUE)) == Some(Function::TRUE)
    }

    /// Returns true if `a` and `b` are known never to hold both.
    pub(crate) fn exclude(&mut self, a: Function, b: Function) -> bool {
        let facts = self.facts;
        let both = self.functions.and(a, b);
        both.and_then(|both| self.functions.and(both, facts)) == Some(Function::FALSE)
    }

    /// Returns the disjunction of `a` and `b`, or true if it grows past the bound.
    pub(crate) fn either(&mut self, a: Function, b: Function) -> Function {
        self.functions.or(a, b).unwrap_or(Function::TRUE)
    }

    /// Returns the atoms that a function depends on.
    pub(crate) fn support(&self, function: Function) -> BTreeSet<u32> {
        self.functions.support(function)
    }

    /// Returns the numbers of the subjects that a function depends on. Two functions without a common subject cannot
    /// exclude each other, unless one of them is never true.
    pub(crate) fn subjects(&self, function: Function) -> BTreeSet<u32> {
        self.support(function).into_iter().map(|atom| self.atoms[atom as usize].subject).collect()
    }

    /// Returns a variable that holds an atom or its complement.
    pub(crate) fn atom_variable(&self, atom: u32) -> VariableId {
        self.atoms[atom as usize].variable
    }

    /// Returns the first variable that holds the function and that `usable` accepts.
    pub(crate) fn holder(&self, function: Function, usable: &dyn Fn(VariableId) -> bool) -> Option<VariableId> {
        self.holders.get(&function)?.iter().copied().find(|&variable| usable(variable))
    }

    /// Returns `function` with the atoms that `unknown` names quantified existentially, or true if that grows past the
    /// bound.
    pub(crate) fn some(&mut self, function: Function, unknown: &dyn Fn(u32) -> bool) -> Function {
        self.functions.some(function, unknown).unwrap_or(Function::TRUE)
    }

    /// Returns an operand that holds the function. If no variable that `usable` accepts does, new statements compute it
    /// from the variables of its atoms, which need not be accepted by `usable`.
    pub(crate) fn materialise(
        &mut self,
        function: Function,
        program: &mut Program,
        names: &mut FreshNames,
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
        // Its function is recorded directly, because computing it again from its operator could run into the bound.
        self.of_variable.resize(program.variables.len(), Function::FALSE);
        self.of_variable[variable.index()] = function;
        self.hold(variable);
        statements.push(Statement::Assign { variable, value });
        Expression::Variable(variable)
    }

    /// Records that a variable holds its function.
    pub(crate) fn hold(&mut self, variable: VariableId) {
        let function = self.of_variable[variable.index()];
        self.holders.entry(function).or_default().push(variable);
    }

    /// Returns the function of a Boolean operation or a comparison; `None` if it is neither, or grows past the bound.
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
            // Equal look-ups have equal results, because only the control plane changes tables.
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

    /// Records facts about a new atom: a value equals at most one of several constants, and at most one action of a
    /// table runs.
    fn learn_fact(&mut self, key: &Key, function: Function) {
        match key {
            // Constants sort before variables and are therefore on the left.
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

    /// Records that only the default action runs on a miss. This holds if the default is constant; otherwise the
    /// control plane may change it.
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

    /// Records that a function excludes each of `others`.
    fn exclude_all(&mut self, function: Function, others: &[Function]) {
        for &other in others {
            let both = self.functions.and(function, other);
            let fact = both.and_then(|both| self.functions.not(both));
            self.believe(fact);
        }
    }

    /// Adds a fact, which is true for every packet; does nothing if it grew past the bound.
    fn believe(&mut self, fact: Option<Function>) {
        if let Some(facts) = fact.and_then(|fact| self.functions.and(self.facts, fact)) {
            self.facts = facts;
        }
    }
}
