//! Finds programs that access state under a condition that depends on state, in their text and as compiled.
//!
//! "For three of the four applications, the program had predicates which could not be resolved preemptively,
//! potentially resulting in wasted cycles" (MP5 section 4.4). Whether an access is wasted depends on the compiler too:
//! where both branches access the same index, or the value is written back unchanged, the access happens in any case,
//! and only the value depends on state.

use ir::pipeline::Predicate;
use ir::{Expression, Program, Statement};
use passes::Compiled;

/// The conditions of a program that depend on state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicates {
    /// Whether its text has an access to state under a condition that depends on state.
    pub depends_on_state: bool,
    /// The number of accesses, as compiled, that packets may turn out not to make. Each packet that does not make one
    /// wastes a cycle.
    pub late_accesses: usize,
    /// The number of accesses.
    pub accesses: usize,
}

impl Predicates {
    /// Finds the conditions of a program and of its compiled form.
    pub fn of(program: &Program, compiled: &Compiled) -> Self {
        let mut search = Search { tainted: vec![false; program.variables.len()], found: false };
        search.block(&program.packet, false);
        let accesses = &compiled.pipeline.accesses;
        let late = accesses.iter().filter(|access| matches!(access.predicate, Predicate::Late(_)));
        Self { depends_on_state: search.found, late_accesses: late.count(), accesses: accesses.len() }
    }
}

/// A walk through a program in its order. Programs have no loops, so one pass is enough.
struct Search {
    /// The variables whose values depend on state.
    tainted: Vec<bool>,
    found: bool,
}

impl Search {
    /// Walks a block; `late` is true if it depends on state whether the block runs.
    fn block(&mut self, block: &[Statement], late: bool) {
        for statement in block {
            self.found |= late && accesses_state(statement);
            match statement {
                // A variable that one branch does not assign keeps its earlier dependence.
                Statement::Assign { variable, value } => {
                    let tainted = late || self.depends(value);
                    let kept = &mut self.tainted[variable.index()];
                    *kept = *kept || tainted;
                }
                Statement::Write { predicate, .. } => {
                    self.found |= predicate.as_ref().is_some_and(|predicate| self.depends(predicate));
                }
                Statement::AssignElement { .. } | Statement::Flow(_) | Statement::Packet(_) | Statement::Shared(_) => {
                    unreachable!("a Domino program is flat")
                }
                Statement::If { condition, then, otherwise } => {
                    let late = late || self.depends(condition);
                    self.block(then, late);
                    self.block(otherwise, late);
                }
            }
        }
    }

    fn depends(&self, expression: &Expression) -> bool {
        let mut depends = false;
        expression.walk(&mut |part| {
            depends |= match part {
                Expression::Read { .. } => true,
                Expression::Variable(variable) => self.tainted[variable.index()],
                _ => false,
            };
        });
        depends
    }
}

fn accesses_state(statement: &Statement) -> bool {
    let mut reads = false;
    for expression in statement.expressions() {
        expression.walk(&mut |part| reads |= matches!(part, Expression::Read { .. }));
    }
    reads || matches!(statement, Statement::Write { .. })
}
