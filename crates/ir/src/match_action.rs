//! The phases of a match-action stage, in the order in which a packet passes them, and the phase in which each
//! operation works.
//!
//! A stage of a reconfigurable match table chip matches first and acts afterwards, in one pass (Bosshart et al.,
//! "Forwarding Metamorphosis", SIGCOMM 2013, sections 2 and 3): gateways, hashes and table matches read the values that
//! entered the stage; the results of the matches select the instruction of each ALU; each field is given one new value.
//! Data never flows backwards, so what an operation may read of its own stage follows from the phases of the two
//! operations.

use crate::expression::BinaryOperator;
use crate::{Expression, Lookup, Program, Statement, Type, VariableId};

/// The phase in which a value is made, in the order in which a packet passes the phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Before the stage: the value came with the packet or was made by an earlier stage.
    Before,
    /// A gateway: a comparison of values from before the stage, or bool logic over such comparisons.
    Gateway,
    /// A hash or checksum of values from before the stage.
    Hash,
    /// The result of looking up keys from before the stage in a table: the hit, the action, or its data.
    Match,
    /// Bool logic over gateways and matches.
    Logic,
    /// One operation of an ALU, or an atom with state.
    Action,
    /// A choice between values by bools of gateways, matches and logic, as the choice of an ALU's instruction.
    Choice,
}

/// The phases in which the operand of an action may be made. The constants below state this for the other kinds of
/// operand.
const WORDS: &[Phase] = &[Phase::Before, Phase::Match];
const CHOSEN: &[Phase] = &[Phase::Before, Phase::Match, Phase::Action, Phase::Choice];
const INDICES: &[Phase] = &[Phase::Before, Phase::Hash, Phase::Match];
const BOOLS: &[Phase] = &[Phase::Before, Phase::Gateway, Phase::Match, Phase::Logic];

/// The name of a phase in messages.
const fn called(phase: Phase) -> &'static str {
    match phase {
        Phase::Before => "an earlier stage",
        Phase::Gateway => "a gateway",
        Phase::Hash => "a hash",
        Phase::Match => "a table",
        Phase::Logic => "bool logic",
        Phase::Action => "an action",
        Phase::Choice => "a choice",
    }
}

/// Returns the phase in which an atom works, given the phases in which the variables that it reads are made.
///
/// An atom is one stateless operation, a group of look-ups of one table with the same keys, or a group of statements
/// that access registers. `made` is not called for variables that a stateful atom assigns itself.
///
/// # Errors
/// Says why the atom cannot work in the stage: it reads a value that is made too late, or is not an atom.
pub fn phase(program: &Program, body: &[Statement], made: &dyn Fn(VariableId) -> Phase) -> Result<Phase, String> {
    let asked = Asked { program, made };
    let touches = |statement: &Statement| {
        matches!(statement, Statement::Write { .. } | Statement::Assign { value: Expression::Read { .. }, .. })
    };
    if body.iter().any(touches) {
        return asked.stateful(body);
    }
    match body {
        [Statement::Assign { value, .. }] => asked.operation(value),
        _ if lookups(body).is_some() => {
            asked.all(body.iter().flat_map(Statement::expressions), &[Phase::Before]).map(|()| Phase::Match)
        }
        _ => Err("an atom must be a single operation".to_owned()),
    }
}

/// Returns the look-up whose table and keys all statements of an atom share, if the atom consists of such look-ups.
pub fn lookups(body: &[Statement]) -> Option<&Lookup> {
    let first = lookup(body.first()?)?;
    let same = |other: &Lookup| other.table == first.table && other.keys == first.keys;
    body.iter().all(|statement| lookup(statement).is_some_and(same)).then_some(first)
}

/// The look-up that a statement assigns the result of, if it does.
fn lookup(statement: &Statement) -> Option<&Lookup> {
    match statement {
        Statement::Assign { value: Expression::Lookup(lookup), .. } => Some(lookup),
        _ => None,
    }
}

struct Asked<'a> {
    program: &'a Program,
    made: &'a dyn Fn(VariableId) -> Phase,
}

impl<'a> Asked<'a> {
    fn operation(&self, value: &'a Expression) -> Result<Phase, String> {
        let is_bool = |operand: &Expression| self.program.type_of(operand) == Type::Bool;
        match value {
            Expression::Lookup(_) => self.all([value], &[Phase::Before]).map(|()| Phase::Match),
            Expression::Hash(..) | Expression::Checksum(_) => self.all([value], &[Phase::Before]).map(|()| Phase::Hash),
            Expression::Select(condition, if_true, if_false) => {
                if is_bool(if_true)
                    && let Ok(phase) = self.logic(value)
                {
                    return Ok(phase);
                }
                self.all([&**condition], BOOLS)?;
                self.all([&**if_true, &**if_false], CHOSEN)?;
                let chains = |side| self.phases(side).contains(&Phase::Choice);
                if chains(if_true) && chains(if_false) {
                    return Err("both sides are choices made in the same stage".to_owned());
                }
                Ok(Phase::Choice)
            }
            // Converting a bool to a number chooses between 1 and 0.
            Expression::Cast(to, operand) if *to != Type::Bool && is_bool(operand) => {
                self.all([value], BOOLS).map(|()| Phase::Choice)
            }
            Expression::Cast(Type::Bool, operand) if !is_bool(operand) => {
                self.all([value], &[Phase::Before]).map(|()| Phase::Gateway)
            }
            Expression::Binary(operator, left, _) if operator.is_comparison() && !is_bool(left) => {
                self.all([value], &[Phase::Before]).map(|()| Phase::Gateway)
            }
            _ if is_bool(value) && !is_shift(value) => self.logic(value),
            _ => self.all([value], WORDS).map(|()| Phase::Action),
        }
    }

    /// The phase of bool logic: a gateway if everything that it reads is available to gateways.
    fn logic(&self, value: &'a Expression) -> Result<Phase, String> {
        self.all([value], BOOLS)?;
        let of_gateways = self.phases(value).iter().all(|phase| *phase <= Phase::Gateway);
        Ok(if of_gateways { Phase::Gateway } else { Phase::Logic })
    }

    fn stateful(&self, body: &'a [Statement]) -> Result<Phase, String> {
        let own: Vec<VariableId> = body.iter().filter_map(assigned).collect();
        let own_made = |variable| if own.contains(&variable) { Phase::Before } else { (self.made)(variable) };
        let outside = Asked { program: self.program, made: &own_made };
        for statement in body {
            match statement {
                Statement::Assign { value: Expression::Read { index, predicate, .. }, .. } => {
                    outside.all(index.as_deref(), INDICES)?;
                    outside.all(predicate.as_deref(), BOOLS)?;
                }
                Statement::Write { index, value, predicate, .. } => {
                    outside.all(index, INDICES)?;
                    outside.all(predicate, BOOLS)?;
                    outside.operands(value)?;
                }
                other => {
                    for expression in other.expressions() {
                        if matches!(expression, Expression::Lookup(_)) {
                            return Err("a table is looked up between reading and writing a register".to_owned());
                        }
                        outside.operands(expression)?;
                    }
                }
            }
        }
        Ok(Phase::Action)
    }

    /// Checks the operands of a stateful atom.
    fn operands(&self, value: &Expression) -> Result<(), String> {
        for variable in value.variables() {
            let is_bool = self.program.variable(variable).ty == Type::Bool;
            self.allow(variable, if is_bool { BOOLS } else { WORDS })?;
        }
        Ok(())
    }

    fn phases(&self, value: &Expression) -> Vec<Phase> {
        value.variables().into_iter().map(self.made).collect()
    }

    /// Requires all variables in the expressions to be made in allowed phases.
    fn all<'e>(&self, values: impl IntoIterator<Item = &'e Expression>, allowed: &[Phase]) -> Result<(), String> {
        values.into_iter().flat_map(Expression::variables).try_for_each(|variable| self.allow(variable, allowed))
    }

    fn allow(&self, variable: VariableId, allowed: &[Phase]) -> Result<(), String> {
        let made = (self.made)(variable);
        if allowed.contains(&made) {
            return Ok(());
        }
        let name = crate::print::variable(self.program, variable);
        Err(format!("`{name}` is made too late, by {} of the same stage", called(made)))
    }
}

/// The variable that a statement assigns.
fn assigned(statement: &Statement) -> Option<VariableId> {
    match statement {
        Statement::Assign { variable, .. } => Some(*variable),
        _ => None,
    }
}

/// Shifts do not count as bool logic even where their result is a bool, because the count is a number.
fn is_shift(value: &Expression) -> bool {
    matches!(value, Expression::Binary(BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, ..))
}
