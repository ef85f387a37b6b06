//! Rewritten code and the ways in which it ends: early ends become Boolean variables.
//!
//! `return`, `exit`, `break` and `continue` skip what follows. If one side of a branch always does so, the code that
//! follows moves into the other side; otherwise it is put under the condition that no stop has happened (P4_16, 12.4,
//! 12.5).

use std::collections::BTreeSet;

use ir::Statement;

/// A stop, which ends code early. The number identifies the loop, function or block that it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// Ends a loop.
    Break(u32),
    /// Ends an iteration of a loop.
    Continue(u32),
    /// Ends a function.
    Return(u32),
    /// Ends a block of the architecture, such as ingress.
    Exit(u32),
}

/// Rewritten code, and the place where code that follows it belongs.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// The code.
    pub(super) code: Vec<Statement>,
    /// The stops that may have ended it early.
    pub(super) stops: BTreeSet<Stop>,
    /// The place reached if no stop happened; `None` if one always happens.
    end: Option<CompletionPoint>,
}

/// The place where code completes, into which the code that follows goes.
#[derive(Clone, Debug, Default)]
struct CompletionPoint {
    /// The path to the place: the side of the last statement, which is a branch, then the side of the last statement in
    /// there, and so on. True stands for `then`.
    path: Vec<bool>,
    /// The stops that may have happened at that place and have to be tested.
    guard: BTreeSet<Stop>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self { code: Vec::new(), stops: BTreeSet::new(), end: Some(CompletionPoint::default()) }
    }
}

impl Outcome {
    /// Creates the outcome of code that always completes.
    pub(super) fn of(code: Vec<Statement>) -> Self {
        Self { code, ..Self::default() }
    }

    /// Creates the outcome of code that ends with a stop.
    pub(super) fn stopped(code: Vec<Statement>, stop: Stop) -> Self {
        Self { code, stops: BTreeSet::from([stop]), end: None }
    }

    /// Returns true if the code may complete.
    pub(super) fn completes(&self) -> bool {
        self.end.is_some()
    }

    /// Creates the outcome of a branch.
    pub(super) fn branch(condition: ir::Expression, then: Self, otherwise: Self) -> Self {
        let stops: BTreeSet<Stop> = then.stops.union(&otherwise.stops).copied().collect();
        let into = |side: bool, end: CompletionPoint| CompletionPoint {
            path: [vec![side], end.path].concat(),
            guard: end.guard,
        };
        let end = match (then.end, otherwise.end) {
            (Some(_), Some(_)) => Some(CompletionPoint { path: Vec::new(), guard: stops.clone() }),
            (Some(end), None) => Some(into(true, end)),
            (None, Some(end)) => Some(into(false, end)),
            (None, None) => None,
        };
        let branch = Statement::If { condition, then: then.code, otherwise: otherwise.code };
        Self { code: vec![branch], stops, end }
    }

    /// Appends code that follows where this code completes. `unless` returns the condition that none of the given stops
    /// has happened.
    pub(super) fn then(&mut self, next: Self, unless: &mut dyn FnMut(&BTreeSet<Stop>) -> ir::Expression) {
        let Some(end) = &mut self.end else { return };
        self.stops.extend(&next.stops);
        if next.code.is_empty() && next.end.is_some() {
            return;
        }
        let mut code = &mut self.code;
        for &side in &end.path {
            code = match code.last_mut() {
                Some(Statement::If { then, otherwise, .. }) => {
                    if side {
                        then
                    } else {
                        otherwise
                    }
                }
                _ => unreachable!("a path goes through branches"),
            };
        }
        // Stops in a branch that is no longer the last statement cannot be expressed by a path.
        if !end.guard.is_empty() {
            let condition = unless(&std::mem::take(&mut end.guard));
            code.push(Statement::If { condition, then: next.code, otherwise: Vec::new() });
            end.path.push(true);
        } else {
            code.extend(next.code);
        }
        match next.end {
            Some(next) => {
                end.path.extend(next.path);
                end.guard = next.guard;
            }
            None => self.end = None,
        }
    }

    /// Ends the scope of `stops`: the code that they stopped continues with what follows. Returns true if one of them
    /// may have happened.
    pub(super) fn absorb(&mut self, stops: &[Stop]) -> bool {
        let mut absorbed = false;
        for stop in stops {
            absorbed |= self.stops.remove(stop);
        }
        if absorbed {
            self.end = Some(CompletionPoint { path: Vec::new(), guard: self.stops.clone() });
        }
        absorbed
    }

    /// Appends code that is executed in any case.
    pub(super) fn always(&mut self, code: Vec<Statement>) {
        if !code.is_empty() {
            self.code.extend(code);
            if let Some(end) = &mut self.end {
                *end = CompletionPoint { path: Vec::new(), guard: self.stops.clone() };
            }
        }
    }
}
