//! Unrolls parsers, so that they have no loops and apply no other parsers.
//!
//! Entering a state of a parser with different positions in stacks makes it a different state: the `next` of each stack
//! is a known number there, and so is the header that is extracted. If the parser reaches a state again and nothing
//! that is known has changed, only the packet ends the loop. Such a parser has no bound and is refused.

use std::collections::{BTreeMap, BTreeSet};

use ir::parser::{Case, Next, Parser, ParserState, Set, StateId, Transition};
use ir::{Constant, Expression, Flow, PacketStatement, ParserId, Statement, VariableId};

use super::knowledge::Knowledge;
use super::outcome::Outcome;
use super::relevance::Relevance;
use super::walk::{ProgramPart, Walk};
use crate::report::Finding;

/// The maximum number of states of an unrolled parser, many more than any chip has room for.
const MOST_STATES: usize = 4096;

/// A point in a parser, with what is known there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    /// The statements at which the enclosing parsers continue when this one accepts, the innermost last.
    around: Vec<At>,
    at: At,
    constants: BTreeMap<VariableId, Constant>,
}

/// The location of a statement in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    parser: ParserId,
    state: StateId,
    statement: usize,
}

/// The reason why a parser cannot be unrolled.
enum Endless {
    Loop(String),
    Deep(String),
}

struct Unroll<'w, 'o> {
    walk: &'w mut Walk<'o>,
    /// The variables whose known values distinguish states.
    distinguishing: BTreeSet<VariableId>,
    relevance: &'w Relevance,
    states: Vec<ParserState>,
    made: BTreeMap<Position, StateId>,
    /// The states on the path from the start, with the locations that they come from.
    path: Vec<(StateId, At)>,
    names: BTreeSet<String>,
    endless: Option<Endless>,
}

/// Unrolls a parser; adds a finding and returns `None` if it cannot be unrolled.
pub(super) fn unrolled(walk: &mut Walk<'_>, parser: ParserId) -> Option<Parser> {
    walk.part = ProgramPart::Parser;
    let name = walk.program.parsers[parser.index()].name.clone();
    let nexts: BTreeSet<VariableId> = walk.program.stacks.iter().map(|stack| stack.next).collect();
    let everything = (0..walk.program.variables.len()).map(VariableId::from).collect();
    // Most loops end with a stack. For those that count, all known values distinguish states, which makes more of them.
    let relevance = Relevance::of(&walk.program);
    let mut endless = None;
    for distinguishing in [nexts.clone(), everything] {
        let zero = |&next: &VariableId| (next, Constant { ty: walk.program.variable(next).ty, value: 0 });
        let constants = nexts.iter().map(zero).collect();
        let mut unroll = Unroll {
            walk,
            distinguishing,
            relevance: &relevance,
            states: Vec::new(),
            made: BTreeMap::new(),
            path: Vec::new(),
            names: BTreeSet::new(),
            endless: None,
        };
        let at = At { parser, state: StateId(0), statement: 0 };
        unroll.visit(Position { around: Vec::new(), at, constants });
        match unroll.endless {
            None => return Some(Parser { name, states: unroll.states }),
            Some(found) => endless = Some(found),
        }
    }
    let message = format!("the parser `{name}` has no known bound, but a pipeline needs one");
    walk.findings.push(Finding::new(message).note(match endless? {
        Endless::Loop(states) => format!("a packet may go through {states} any number of times"),
        Endless::Deep(why) => why,
    }));
    None
}

impl Unroll<'_, '_> {
    /// Returns the state for a position, which is created if it is new.
    fn visit(&mut self, mut position: Position) -> Next {
        let Position { around, at, constants } = &mut position;
        let places = || around.iter().chain([&*at]);
        constants.retain(|variable, _| {
            let is_read = |at: &At| self.relevance.is_read(at.parser, at.state, *variable);
            self.distinguishing.contains(variable) && places().any(is_read)
        });
        if let Some(&state) = self.made.get(&position) {
            if let Some(begin) = self.path.iter().position(|(on_path, _)| *on_path == state) {
                let states: Vec<String> = self.path[begin..].iter().map(|(_, at)| self.called(*at)).collect();
                self.endless = Some(Endless::Loop(states.join(", ")));
            }
            return Next::State(state);
        }
        let state = StateId::from(self.states.len());
        let at = position.at;
        let turns = self.path.iter().filter(|(_, on_path)| *on_path == at).count();
        let options = self.walk.options;
        if self.states.len() >= MOST_STATES {
            self.endless
                .get_or_insert(Endless::Deep(format!("it has more than {MOST_STATES} states once loops are unrolled")));
        } else if self.path.len() >= options.parser_states {
            let most = options.parser_states;
            self.endless.get_or_insert(Endless::Deep(format!("a packet may pass more than {most} states")));
        } else if turns >= options.parser_turns {
            let (name, most) = (self.called(at), options.parser_turns);
            self.endless.get_or_insert(Endless::Deep(format!("a packet may enter {name} more than {most} times")));
        }
        if self.endless.is_some() {
            return Next::Reject;
        }
        let name = self.name(at);
        let (body, transition) = (Vec::new(), Transition::To(Next::Reject));
        self.states.push(ParserState { name, body, transition });
        self.made.insert(position.clone(), state);
        self.path.push((state, at));
        let (body, transition) = self.state(position);
        self.path.pop();
        let made = &mut self.states[state.index()];
        (made.body, made.transition) = (body, transition);
        Next::State(state)
    }

    fn state(&mut self, position: Position) -> (Vec<Statement>, Transition) {
        let at = position.at;
        let state = self.walk.program.parsers[at.parser.index()].states[at.state.index()].clone();
        self.walk.knowledge = Knowledge::of(&position.constants);
        let taken_back = self.taken_back(&position.around);
        let mut all = Outcome::default();
        if at.statement > 0
            && let Statement::Flow(Flow::Parse { after, .. }) = &state.body[at.statement - 1]
        {
            let after = self.walk.block(after);
            self.walk.append(&mut all, after);
        }
        for (number, statement) in state.body.iter().enumerate().skip(at.statement) {
            if let Statement::Flow(Flow::Parse { parser, after }) = statement {
                self.refuse_mixed(*parser, after);
                let mut around = position.around.clone();
                around.push(At { statement: number + 1, ..at });
                let at = At { parser: *parser, state: StateId(0), statement: 0 };
                let next = self.visit(Position { around, at, constants: self.constants() });
                return (all.code, Transition::To(next));
            }
            let next = self.walk.block(&before_rejections(std::slice::from_ref(statement), &taken_back));
            self.walk.append(&mut all, next);
            if all.code.last().is_some_and(always_rejects) {
                return (all.code, Transition::To(Next::Reject));
            }
        }
        let mut code = all.code;
        let transition = self.transition(&state.transition, &position, &mut code);
        if !matches!(transition, Transition::To(Next::Accept | Next::State(_))) {
            code.extend(self.walk.block(&taken_back).code);
        }
        (code, transition)
    }

    fn transition(&mut self, transition: &Transition, position: &Position, code: &mut Vec<Statement>) -> Transition {
        let (keys, cases) = match transition {
            Transition::To(next) => return Transition::To(self.next(*next, position, self.constants())),
            Transition::Select { keys, cases } => (keys, cases),
        };
        let keys: Vec<Expression> = keys.iter().map(|key| self.walk.resolved(key, code)).collect();
        let cases: Vec<Case> = cases.iter().map(|case| self.case(case, code)).collect();
        let constants = self.constants();
        if let Some(next) = self.decided(&keys, &cases) {
            return Transition::To(self.next(next, position, constants));
        }
        let next = |mut case: Case| {
            case.next = self.next(case.next, position, constants.clone());
            case
        };
        Transition::Select { keys, cases: cases.into_iter().map(next).collect() }
    }

    fn case(&mut self, case: &Case, code: &mut Vec<Statement>) -> Case {
        let mut resolved = |value| self.walk.resolved(value, code);
        let sets = case.sets.iter().map(|set| match set {
            Set::Value(value) => Set::Value(resolved(value)),
            Set::Mask(value, mask) => Set::Mask(resolved(value), resolved(mask)),
            Set::Range(low, high) => Set::Range(resolved(low), resolved(high)),
            Set::ValueSet(_) | Set::Any => set.clone(),
        });
        Case { sets: sets.collect(), next: case.next }
    }

    /// Returns the target of a selection if all compared values are known.
    fn decided(&self, keys: &[Expression], cases: &[Case]) -> Option<Next> {
        let value = |expression| self.walk.knowledge.value(&self.walk.program, expression).map(|known| known.value);
        for case in cases {
            let mut matches = true;
            for (key, set) in keys.iter().zip(&case.sets) {
                matches &= match set {
                    Set::Any => true,
                    Set::Value(expected) => value(key)? == value(expected)?,
                    Set::Mask(expected, mask) => value(key)? & value(mask)? == value(expected)? & value(mask)?,
                    Set::Range(..) | Set::ValueSet(_) => return None,
                };
            }
            if matches {
                return Some(case.next);
            }
        }
        // If no case matches, the parser ends with `NoMatch`, for which the selection is kept.
        None
    }

    fn next(&mut self, next: Next, position: &Position, constants: BTreeMap<VariableId, Constant>) -> Next {
        match next {
            Next::Reject => Next::Reject,
            Next::State(state) => {
                let at = At { state, statement: 0, ..position.at };
                self.visit(Position { around: position.around.clone(), at, constants })
            }
            Next::Accept => match position.around.split_last() {
                None => Next::Accept,
                Some((at, around)) => self.visit(Position { around: around.to_vec(), at: *at, constants }),
            },
        }
    }

    /// Returns the variables whose values are known at the current point.
    fn constants(&self) -> BTreeMap<VariableId, Constant> {
        self.walk.knowledge.constants()
    }

    /// Returns the statements by which the enclosing parsers copy results out, even if the inner one rejects; the
    /// innermost first.
    fn taken_back(&self, around: &[At]) -> Vec<Statement> {
        let parsers = &self.walk.program.parsers;
        let after = around.iter().rev().map(|at| {
            match &parsers[at.parser.index()].states[at.state.index()].body[at.statement - 1] {
                Statement::Flow(Flow::Parse { after, .. }) => after.clone(),
                _ => Vec::new(),
            }
        });
        after.flatten().collect()
    }

    /// Refuses parsers for which copying results out early would be visible: it is done before every statement that may
    /// reject, so the inner parser must not use the variables assigned by it.
    fn refuse_mixed(&mut self, parser: ParserId, after: &[Statement]) {
        let mut taken = BTreeSet::new();
        let mut is_simple = true;
        for statement in after {
            match statement {
                Statement::Assign { variable, .. } => {
                    taken.insert(*variable);
                }
                _ => is_simple = false,
            }
        }
        let inside = &self.walk.program.parsers[parser.index()];
        let mut is_mentioned = false;
        for state in &inside.states {
            for statement in &state.body {
                statement.walk(&mut |statement| {
                    let read = statement.expressions().into_iter().flat_map(|expression| expression.variables());
                    is_mentioned |= read.into_iter().any(|variable| taken.contains(&variable));
                    let changed = super::edges::changed(&self.walk.program, statement);
                    is_mentioned |= changed.into_iter().any(|variable| taken.contains(&variable));
                    // A call may use any variable.
                    is_mentioned |= matches!(statement, Statement::Flow(_)) && !taken.is_empty();
                });
            }
        }
        if !is_simple || is_mentioned {
            let name = &inside.name;
            let message = format!("the parser `{name}` works on the same variable as the parser that applies it");
            self.walk.findings.say(message);
        }
    }

    fn called(&self, at: At) -> String {
        format!("`{}`", self.walk.program.parsers[at.parser.index()].states[at.state.index()].name)
    }

    fn name(&mut self, at: At) -> String {
        let name = &self.walk.program.parsers[at.parser.index()].states[at.state.index()].name;
        let mut unique = name.clone();
        let mut number = 0;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}.{number}");
        }
        unique
    }
}

/// Inserts `others` before each statement that may reject.
fn before_rejections(statements: &[Statement], others: &[Statement]) -> Vec<Statement> {
    if others.is_empty() {
        return statements.to_vec();
    }
    let mut code = Vec::new();
    for statement in statements {
        match statement {
            Statement::Packet(step) if !matches!(step, PacketStatement::SetValid { .. }) => {
                code.extend_from_slice(others);
                code.push(statement.clone());
            }
            Statement::If { condition, then, otherwise } => {
                let [then, otherwise] = [then, otherwise].map(|side| before_rejections(side, others));
                code.push(Statement::If { condition: condition.clone(), then, otherwise });
            }
            other => code.push(other.clone()),
        }
    }
    code
}

fn always_rejects(statement: &Statement) -> bool {
    let Statement::Packet(PacketStatement::Verify { condition, .. }) = statement else { return false };
    *condition == Expression::bool(false)
}
