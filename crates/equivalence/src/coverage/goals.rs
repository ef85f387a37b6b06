//! The coverage goals of a program, and those that were reached.

use std::collections::HashMap;
use std::fmt;

use ir::parser::{Set, StateId, Transition};
use ir::threads::InstructionId;
use ir::{FunctionId, ParserId, Program, TableId, Threads};
use runtime::ProgramState;
use runtime::tables::{EntryHandle, Target};
use serde::Serialize;

use super::conditions::Conditions;

/// A coverage goal, which a packet can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// A state of a parser.
    State(ParserId, StateId),
    /// A case of a `select`, or, without an index, that no case matched.
    Case(ParserId, StateId, Option<usize>),
    /// An entry of a table, or, without a handle, that no entry matched.
    Entry(TableId, Option<EntryHandle>),
    /// An action that an entry, a member or a default names.
    Action(FunctionId),
    /// A condition, by its number, with one of its two outcomes.
    Branch(usize, bool),
    /// An instruction of threads.
    Instruction(InstructionId),
}

/// The kinds of goals, as a report groups them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalKind {
    /// States of parsers.
    ParserStates,
    /// Cases of `select`s.
    SelectCases,
    /// Entries of tables, and their misses.
    TableEntries,
    /// Actions that an entry, a member or a default names.
    Actions,
    /// Both outcomes of each condition.
    Branches,
    /// Instructions of threads.
    Instructions,
}

impl GoalKind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 6] =
        [Self::ParserStates, Self::SelectCases, Self::TableEntries, Self::Actions, Self::Branches, Self::Instructions];

    /// Returns the name of the kind in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ParserStates => "parser states",
            Self::SelectCases => "select cases",
            Self::TableEntries => "table entries and misses",
            Self::Actions => "actions",
            Self::Branches => "branches",
            Self::Instructions => "instructions",
        }
    }
}

impl Goal {
    /// Returns the kind of the goal.
    pub const fn kind(self) -> GoalKind {
        match self {
            Self::State(..) => GoalKind::ParserStates,
            Self::Case(..) => GoalKind::SelectCases,
            Self::Entry(..) => GoalKind::TableEntries,
            Self::Action(_) => GoalKind::Actions,
            Self::Branch(..) => GoalKind::Branches,
            Self::Instruction(_) => GoalKind::Instructions,
        }
    }
}

/// The coverage of one kind of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// The kind.
    pub kind: GoalKind,
    /// The number of goals of this kind that packets reached.
    pub reached: usize,
    /// The number of goals of this kind.
    pub total: usize,
}

/// The coverage of a program. Its [`fmt::Display`] form is a table for people.
#[derive(Clone, Debug)]
pub struct Coverage {
    goals: Vec<Goal>,
    names: Vec<String>,
    // Never iterated, so its order has no effect.
    numbers: HashMap<Goal, usize>,
    reached: Vec<bool>,
}

impl Coverage {
    /// Creates the coverage of a program with these tables, in which no goal is reached.
    pub(super) fn of(program: &Program, conditions: &Conditions, state: &ProgramState) -> Self {
        let mut coverage = Self { goals: Vec::new(), names: Vec::new(), numbers: HashMap::new(), reached: Vec::new() };
        coverage.parsers(program);
        coverage.tables(program, state);
        for (number, (place, text)) in conditions.places.iter().enumerate() {
            for holds in [true, false] {
                coverage.add(Goal::Branch(number, holds), format!("{place}: `{text}` is {holds}"));
            }
        }
        coverage
    }

    /// Creates the coverage of a program of threads, in which no goal is reached.
    pub(super) fn of_threads(threads: &Threads) -> Self {
        let mut coverage = Self { goals: Vec::new(), names: Vec::new(), numbers: HashMap::new(), reached: Vec::new() };
        for (number, instruction) in threads.instructions.iter().enumerate() {
            let goal = Goal::Instruction(InstructionId::from(number));
            coverage.add(goal, format!("the instruction {}", instruction.name));
        }
        coverage
    }

    fn add(&mut self, goal: Goal, name: String) {
        if self.numbers.insert(goal, self.goals.len()).is_none() {
            self.goals.push(goal);
            self.names.push(name);
            self.reached.push(false);
        }
    }

    fn parsers(&mut self, program: &Program) {
        for (number, parser) in program.parsers.iter().enumerate() {
            for (state_number, state) in parser.states.iter().enumerate() {
                let (parser_id, id) = (ParserId::from(number), StateId::from(state_number));
                let name = format!("{}.{}", parser.name, state.name);
                self.add(Goal::State(parser_id, id), format!("the state {name}"));
                let Transition::Select { cases, .. } = &state.transition else { continue };
                for place in 0..cases.len() {
                    self.add(Goal::Case(parser_id, id, Some(place)), format!("case {} of {name}", place + 1));
                }
                if !cases.iter().any(|case| case.sets.iter().all(|set| *set == Set::Any)) {
                    self.add(Goal::Case(parser_id, id, None), format!("no case of {name}"));
                }
            }
        }
    }

    fn tables(&mut self, program: &Program, state: &ProgramState) {
        let mut named = vec![false; program.functions.len()];
        for (number, (table, held)) in program.tables.iter().zip(&state.tables).enumerate() {
            let id = TableId::from(number);
            for (handle, _) in held.matches().entries() {
                self.add(Goal::Entry(id, Some(handle)), format!("{}: entry {}", table.name, handle.0));
            }
            self.add(Goal::Entry(id, None), format!("{}: a miss", table.name));
            let mut name = |action: u32| named[table.actions[action as usize].function.index()] = true;
            let targets = held.matches().entries().map(|(_, entry)| &entry.target);
            for target in targets.chain([held.default_target()]) {
                if let Target::Action { action, .. } = target {
                    name(*action);
                }
            }
            if let Some(profile) = table.profile {
                state.profiles[profile.index()].members().for_each(|(_, member)| name(member.action));
            }
        }
        for (number, function) in program.functions.iter().enumerate().filter(|(number, _)| named[*number]) {
            self.add(Goal::Action(FunctionId::from(number)), format!("the action {}", function.name));
        }
    }

    /// Records that a goal was reached. Returns true if it is the first time.
    pub(super) fn reach(&mut self, goal: Goal) -> bool {
        let Some(&number) = self.numbers.get(&goal) else { return false };
        !std::mem::replace(&mut self.reached[number], true)
    }

    /// Returns whether the goal exists and has not been reached.
    pub(super) fn lacks(&self, goal: Goal) -> bool {
        self.numbers.get(&goal).is_some_and(|&number| !self.reached[number])
    }

    /// Returns whether all goals are reached.
    pub fn is_complete(&self) -> bool {
        self.reached.iter().all(|&reached| reached)
    }

    /// Returns the coverage of each kind, without kinds that have no goals in the program.
    pub fn by_kind(&self) -> Vec<KindCount> {
        let count = |kind| {
            let of_kind = self.goals.iter().zip(&self.reached).filter(move |(goal, _)| goal.kind() == kind);
            let (total, reached) = of_kind.fold((0, 0), |(all, some), (_, &is)| (all + 1, some + usize::from(is)));
            KindCount { kind, reached, total }
        };
        GoalKind::ALL.into_iter().map(count).filter(|count| count.total > 0).collect()
    }

    /// Returns descriptions of the goals that no packet reached.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.names.iter().zip(&self.reached).filter(|(_, reached)| !**reached).map(|(name, _)| name.as_str())
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.by_kind();
        let longest = counts.iter().map(|count| count.kind.name().len()).max().unwrap_or(0);
        for KindCount { kind, reached, total } in counts {
            writeln!(f, "{:longest$}  {reached} of {total}", kind.name())?;
        }
        Ok(())
    }
}
