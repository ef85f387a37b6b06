//! Decides whether outputs of a circuit can be true, by a SAT solver with a bound on its conflicts.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, Var, lbool};

use super::gates::{Gates, Wire};

/// The answer of the solver.
pub(super) enum Answer {
    /// The wires cannot all be true.
    Unsatisfiable,
    /// The wires are all true for these values of the nodes.
    Satisfiable(Vec<bool>),
    /// The bound on conflicts was reached.
    Unknown,
}

/// The maximum number of conflicts. One takes some microseconds for circuits of this size, so this is a second or two.
const MOST_CONFLICTS: u64 = 60_000;

/// Counts conflicts, each of which yields one learnt clause, so that the bound is on steps and not on time.
struct Bound {
    conflicts: u64,
}

impl Callbacks for Bound {
    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.conflicts > MOST_CONFLICTS
    }
}

/// Decides whether all of `wires` can be true at once.
pub(super) fn solve(gates: &Gates, wires: &[Wire]) -> Answer {
    if wires.contains(&Wire::FALSE) {
        return Answer::Unsatisfiable;
    }
    let mut solver = Solver::new(batsat::SolverOpts::default(), Bound { conflicts: 0 });
    let mut variables: Vec<Option<Var>> = vec![None; gates.len()];
    let mut waiting: Vec<usize> = wires.iter().map(|wire| wire.node()).collect();
    let mut order = Vec::new();
    while let Some(node) = waiting.pop() {
        if variables[node].is_none() {
            variables[node] = Some(solver.new_var_default());
            order.push(node);
            waiting.extend(gates.inputs(node).into_iter().flat_map(|(a, b)| [a.node(), b.node()]));
        }
    }
    let literal = |wire: Wire| {
        let variable = variables[wire.node()].expect("the cone of every wire has variables");
        Lit::new(variable, !wire.is_inverted())
    };
    for &node in &order {
        let gate = Wire((node as u32) << 1);
        match gates.inputs(node) {
            // Tseitin: gate <=> a & b.
            Some((a, b)) => {
                let (gate, a, b) = (literal(gate), literal(a), literal(b));
                solver.add_clause_reuse(&mut vec![!gate, a]);
                solver.add_clause_reuse(&mut vec![!gate, b]);
                solver.add_clause_reuse(&mut vec![gate, !a, !b]);
            }
            None if node == 0 => {
                solver.add_clause_reuse(&mut vec![literal(Wire::TRUE)]);
            }
            None => {}
        }
    }
    for &wire in wires {
        solver.add_clause_reuse(&mut vec![literal(wire)]);
    }
    let result = solver.solve_limited(&[]);
    if result == lbool::FALSE {
        Answer::Unsatisfiable
    } else if result == lbool::TRUE {
        let value = |variable: &Option<Var>| variable.is_some_and(|variable| solver.value_var(variable) == lbool::TRUE);
        Answer::Satisfiable(variables.iter().map(value).collect())
    } else {
        Answer::Unknown
    }
}
