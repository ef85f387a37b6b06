//! Code that was written down, and how it ends: the end of a function is a bool from here on.
//!
//! `return`, `exit`, `break` and `continue` skip what follows. Where one side of a branch does so always, what follows
//! belongs to the other side; else it belongs under a condition that nothing was skipped (P4_16, 12.4, 12.5).

use std::collections::BTreeSet;

use ir::Statement;

/// What ends code before its end; the number says which loop, function or block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// A loop.
    Break(u32),
    /// A turn of a loop.
    Continue(u32),
    /// A function.
    Return(u32),
    /// A block of the architecture, such as ingress.
    Exit(u32),
}

/// Code, and where it comes to its end.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// The code.
    pub(super) code: Vec<Statement>,
    /// What may have stopped it.
    pub(super) stops: BTreeSet<Stop>,
    /// Where it is when nothing has; `None` if something always has.
    end: Option<End>,
}

/// Where code comes to its end: what follows goes there.
#[derive(Clone, Debug, Default)]
struct End {
    /// Into which side of the last statement, a branch, and again of the last statement there: true is `then`.
    path: Vec<bool>,
    /// What may have been stopped there, and has to be asked for.
    guard: BTreeSet<Stop>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self { code: Vec::new(), stops: BTreeSet::new(), end: Some(End::default()) }
    }
}

impl Outcome {
    /// Code that comes to its end.
    pub(super) fn of(code: Vec<Statement>) -> Self {
        Self { code, ..Self::default() }
    }

    /// Code that ends with a stop.
    pub(super) fn stopped(code: Vec<Statement>, stop: Stop) -> Self {
        Self { code, stops: BTreeSet::from([stop]), end: None }
    }

    /// True if the code may come to its end.
    pub(super) fn completes(&self) -> bool {
        self.end.is_some()
    }

    /// A branch with these sides.
    pub(super) fn branch(condition: ir::Expression, then: Self, otherwise: Self) -> Self {
        let stops: BTreeSet<Stop> = then.stops.union(&otherwise.stops).copied().collect();
        let into = |side: bool, end: End| End { path: [vec![side], end.path].concat(), guard: end.guard };
        let end = match (then.end, otherwise.end) {
            (Some(_), Some(_)) => Some(End { path: Vec::new(), guard: stops.clone() }),
            (Some(end), None) => Some(into(true, end)),
            (None, Some(end)) => Some(into(false, end)),
            (None, None) => None,
        };
        let branch = Statement::If { condition, then: then.code, otherwise: otherwise.code };
        Self { code: vec![branch], stops, end }
    }

    /// Other code follows where this one comes to its end. `unless` makes a condition that nothing of this stopped it.
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
        // What was stopped in a branch that is not the last statement any more cannot be told by a path.
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

    /// The scope that `stops` end is over: whatever they stopped goes on with what follows. True if one of them may
    /// have.
    pub(super) fn absorb(&mut self, stops: &[Stop]) -> bool {
        let mut absorbed = false;
        for stop in stops {
            absorbed |= self.stops.remove(stop);
        }
        if absorbed {
            self.end = Some(End { path: Vec::new(), guard: self.stops.clone() });
        }
        absorbed
    }

    /// Code that is done in any case follows.
    pub(super) fn always(&mut self, code: Vec<Statement>) {
        if !code.is_empty() {
            self.code.extend(code);
            if let Some(end) = &mut self.end {
                *end = End { path: Vec::new(), guard: self.stops.clone() };
            }
        }
    }
}
