//! Goes through code from its first statement to its last, and writes it down as a pipeline can have it.
//!
//! One walk, for what is known of variables is known in the order of the code; what becomes of each kind of statement is
//! in a file of its own.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Expression, Program, Statement, TableId, Type, VariableId};

use super::findings::Findings;
use super::knowledge::Knowledge;
use super::outcome::{Outcome, Stop};
use super::tables::{Application, Counted};
use super::{CounterPart, Options};
use crate::names::Names;

/// Where code stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Between parser and deparser.
    Pipeline,
    /// In a parser.
    Parser,
    /// In the deparser.
    Deparser,
}

/// What walks through code.
pub(super) struct Walk<'o> {
    /// The program, which gets more locals and registers on the way.
    pub(super) program: Program,
    /// How many registers the original has.
    pub(super) registers: usize,
    pub(super) names: Names,
    pub(super) options: &'o Options,
    pub(super) findings: Findings,
    pub(super) place: Place,
    pub(super) knowledge: Knowledge,
    /// Tables that were applied, in order.
    pub(super) applications: Vec<Application>,
    /// Tables that were applied again on the same way.
    pub(super) applied_twice: BTreeSet<TableId>,
    /// Counters that count, as registers.
    pub(super) counters: Vec<CounterPart>,
    /// Tables whose entries count.
    pub(super) counted: Vec<Counted>,
    /// What names a multicast group, which has to stay 0.
    pub(super) multicast_group: Option<VariableId>,
    /// The variable that counts the packet's bytes as it arrived.
    pub(super) length: Option<VariableId>,
    /// The bools that say what was stopped.
    flags: BTreeMap<Stop, VariableId>,
    /// What is known where something was stopped.
    stopped: BTreeMap<Stop, Knowledge>,
    /// What `break`, `continue`, `return` and `exit` would end here.
    pub(super) scope: Scope,
    scopes: u32,
    /// How many statements of functions were written down.
    pub(super) walked: usize,
}

/// What the statements that end something end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scope {
    pub(super) of_loop: u32,
    pub(super) of_turn: u32,
    pub(super) of_function: u32,
    pub(super) of_block: u32,
}

impl<'o> Walk<'o> {
    pub(super) fn new(program: &Program, options: &'o Options) -> Self {
        let multicast_group = options.architecture.group.and_then(|group| program.intrinsic(group));
        Self {
            names: Names::of(program),
            registers: program.registers.len(),
            program: program.clone(),
            options,
            findings: Findings::default(),
            place: Place::Pipeline,
            knowledge: Knowledge::default(),
            applications: Vec::new(),
            applied_twice: BTreeSet::new(),
            counters: Vec::new(),
            counted: Vec::new(),
            multicast_group,
            length: None,
            flags: BTreeMap::new(),
            stopped: BTreeMap::new(),
            scope: Scope::default(),
            scopes: 0,
            walked: 0,
        }
    }

    /// Statements, one after the other.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Outcome {
        let mut all = Outcome::default();
        for statement in statements {
            if !all.completes() {
                break;
            }
            let next = self.statement(statement);
            self.append(&mut all, next);
        }
        all
    }

    /// Code follows other code.
    pub(super) fn append(&mut self, all: &mut Outcome, next: Outcome) {
        all.then(next, &mut |stops| self.unless(stops));
    }

    fn unless(&mut self, stops: &BTreeSet<Stop>) -> Expression {
        let flags = stops.iter().map(|stop| Expression::Variable(self.flags[stop]));
        let any = flags.reduce(|one, other| Expression::binary(ir::BinaryOperator::Or, one, other));
        Expression::unary(ir::UnaryOperator::Not, any.unwrap_or(Expression::bool(false)))
    }

    /// Something ends here, which a bool says from now on.
    pub(super) fn stop(&mut self, stop: Stop) -> Outcome {
        let hint = match stop {
            Stop::Break(_) => "$broken",
            Stop::Continue(_) => "$continued",
            Stop::Return(_) => "$returned",
            Stop::Exit(_) => "$exited",
        };
        let flag = match self.flags.get(&stop) {
            Some(flag) => *flag,
            None => {
                let flag = self.local(hint, Type::Bool);
                self.flags.insert(stop, flag);
                flag
            }
        };
        match self.stopped.get_mut(&stop) {
            Some(known) => known.join(&self.knowledge),
            None => {
                self.stopped.insert(stop, self.knowledge.clone());
            }
        }
        Outcome::stopped(vec![Statement::Assign { variable: flag, value: Expression::bool(true) }], stop)
    }

    /// The scope of stops is over: code goes on wherever they stopped it.
    pub(super) fn absorb(&mut self, outcome: &mut Outcome, stops: &[Stop]) {
        let completed = outcome.completes();
        if !outcome.absorb(stops) {
            return;
        }
        let mut ways = stops.iter().filter_map(|stop| self.stopped.remove(stop));
        if !completed && let Some(way) = ways.next() {
            self.knowledge = way;
        }
        for way in ways {
            self.knowledge.join(&way);
        }
    }

    /// What is known where code ends however it ends, for statements that follow in any case.
    pub(super) fn meet(&mut self, outcome: &Outcome) {
        let mut ways = outcome.stops.iter().filter_map(|stop| self.stopped.get(stop));
        if !outcome.completes()
            && let Some(way) = ways.next()
        {
            self.knowledge = way.clone();
        }
        for way in ways {
            self.knowledge.join(way);
        }
    }

    /// Code that ended somehow goes its different ways again, all of which know what is known now.
    pub(super) fn part(&mut self, outcome: &Outcome) {
        for stop in &outcome.stops {
            self.stopped.insert(*stop, self.knowledge.clone());
        }
    }

    /// A number for something that can be ended.
    pub(super) fn scope_number(&mut self) -> u32 {
        self.scopes += 1;
        self.scopes
    }

    /// A branch: `then` and `otherwise` are gone through from what is known here.
    pub(super) fn branch(
        &mut self,
        condition: Expression,
        then: impl FnOnce(&mut Self) -> Outcome,
        otherwise: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        if let Some(known) = self.knowledge.value(&self.program, &condition) {
            return if known.value != 0 { then(self) } else { otherwise(self) };
        }
        let before = self.knowledge.clone();
        let then = then(self);
        let after_then = std::mem::replace(&mut self.knowledge, before);
        let otherwise = otherwise(self);
        match (then.completes(), otherwise.completes()) {
            (true, true) => self.knowledge.join(&after_then),
            (true, false) => self.knowledge = after_then,
            _ => {}
        }
        if then.code.is_empty() && otherwise.code.is_empty() {
            return Outcome::default();
        }
        Outcome::branch(condition, then, otherwise)
    }

    /// A fresh local.
    pub(super) fn local(&mut self, hint: &str, ty: Type) -> VariableId {
        // Tables and actions may be called anything, and variables not.
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.$".contains(letter);
        let mut hint: String = hint.chars().map(|letter| if is_part(letter) { letter } else { '_' }).collect();
        if hint.starts_with(|first: char| first.is_ascii_digit()) {
            hint.insert(0, '_');
        }
        self.names.local(&mut self.program, &hint, ty)
    }

    /// What a statement of `program` is called in messages.
    pub(super) fn quote(&self, statement: &Statement) -> String {
        let text = ir::print::statement(&self.program, statement).to_string();
        format!("`{}`", text.lines().next().unwrap_or_default())
    }
}
