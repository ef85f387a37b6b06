//! The walk through the code, from its first statement to its last, that rewrites it for a pipeline.
//!
//! There is a single walk, because what is known of variables follows the order of the code. Each kind of statement is
//! handled in a file of its own.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Expression, Program, Statement, TableId, Type, VariableId};

use super::findings::Findings;
use super::knowledge::Knowledge;
use super::outcome::{Outcome, Stop};
use super::tables::{Application, Counted};
use super::{CounterPart, Options};
use crate::fresh_names::FreshNames;

/// The part of the program that is being walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramPart {
    /// The code between the parser and the deparser.
    Pipeline,
    /// A parser.
    Parser,
    /// The deparser.
    Deparser,
}

/// The state of a walk through code.
pub(super) struct Walk<'o> {
    /// The program, to which the walk adds local variables and registers.
    pub(super) program: Program,
    /// The number of registers of the original program.
    pub(super) registers: usize,
    pub(super) names: FreshNames,
    pub(super) options: &'o Options,
    pub(super) findings: Findings,
    pub(super) part: ProgramPart,
    pub(super) knowledge: Knowledge,
    /// The applications of tables so far, in order.
    pub(super) applications: Vec<Application>,
    /// The tables that are applied more than once on the same path.
    pub(super) applied_twice: BTreeSet<TableId>,
    /// The registers that replace the counters used so far.
    pub(super) counters: Vec<CounterPart>,
    /// The tables with direct counters.
    pub(super) counted: Vec<Counted>,
    /// The variable that holds the multicast group, which has to stay 0.
    pub(super) multicast_group: Option<VariableId>,
    /// The variable that holds the length of the packet on arrival, in bytes, if it is used.
    pub(super) length: Option<VariableId>,
    /// The Boolean variables that say which stops have happened.
    flags: BTreeMap<Stop, VariableId>,
    /// What is known at the points where each stop happens.
    stopped: BTreeMap<Stop, Knowledge>,
    /// The constructs that `break`, `continue`, `return` and `exit` would end at this point.
    pub(super) scope: Scope,
    scopes: u32,
    /// The number of statements inlined from functions so far.
    pub(super) walked: usize,
}

/// The numbers of the constructs that `break`, `continue`, `return` and `exit` end.
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
            names: FreshNames::of(program),
            registers: program.registers.len(),
            program: program.clone(),
            options,
            findings: Findings::default(),
            part: ProgramPart::Pipeline,
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

    /// Walks through statements in order.
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

    /// Appends code to other code.
    pub(super) fn append(&mut self, all: &mut Outcome, next: Outcome) {
        all.then(next, &mut |stops| self.unless(stops));
    }

    fn unless(&mut self, stops: &BTreeSet<Stop>) -> Expression {
        let flags = stops.iter().map(|stop| Expression::Variable(self.flags[stop]));
        let any = flags.reduce(|one, other| Expression::binary(ir::BinaryOperator::Or, one, other));
        Expression::unary(ir::UnaryOperator::Not, any.unwrap_or(Expression::bool(false)))
    }

    /// Writes down a stop, which a Boolean variable records from now on.
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

    /// Ends the scope of stops: execution continues wherever they stopped it.
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

    /// Reduces what is known to what holds however the code ends, for statements that follow in any case.
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

    /// Separates the different ends of code again after such statements: what is known now is known at all of them.
    pub(super) fn part(&mut self, outcome: &Outcome) {
        for stop in &outcome.stops {
            self.stopped.insert(*stop, self.knowledge.clone());
        }
    }

    /// Returns a fresh number for a construct that can be ended early.
    pub(super) fn scope_number(&mut self) -> u32 {
        self.scopes += 1;
        self.scopes
    }

    /// Walks through both sides of a branch, each beginning with what is known here; only one if the condition is
    /// known.
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

    /// Adds a local variable with a fresh name.
    pub(super) fn local(&mut self, hint: &str, ty: Type) -> VariableId {
        // Tables and actions may have any name, but variables may not.
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.$".contains(letter);
        let mut hint: String = hint.chars().map(|letter| if is_part(letter) { letter } else { '_' }).collect();
        if hint.starts_with(|first: char| first.is_ascii_digit()) {
            hint.insert(0, '_');
        }
        self.names.local(&mut self.program, &hint, ty)
    }

    /// Quotes a statement of `program` for messages.
    pub(super) fn quote(&self, statement: &Statement) -> String {
        let text = ir::print::statement(&self.program, statement).to_string();
        format!("`{}`", text.lines().next().unwrap_or_default())
    }
}
