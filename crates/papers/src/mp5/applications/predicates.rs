//! Which programs have state behind a condition that depends on state, as their text has it and as it is compiled.
//!
//! "For three of the four applications, the program had predicates which could not be resolved preemptively,
//! potentially resulting in wasted cycles" (MP5 section 4.4). Whether an access is wasted depends on the compiler
//! too: where both branches access the same index, or the value is written back unchanged, the access happens anyway,
//! and what depends on state is only the value.

use ir::pipeline::Predicate;
use ir::{Expression, Program, Statement};
use passes::Compiled;

/// What there is to know of a program's conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicates {
    /// Its text has an access to state under a condition that depends on state.
    pub depends_on_state: bool,
    /// As compiled, how many of its accesses are expected of packets that may turn out not to make them: each such
    /// packet wastes a cycle.
    pub late_accesses: usize,
    /// How many accesses there are.
    pub accesses: usize,
}

impl Predicates {
    /// Those of a program and what came of compiling it.
    pub fn of(program: &Program, compiled: &Compiled) -> Self {
        let mut search = Search { tainted: vec![false; program.variables.len()], found: false };
        search.block(&program.packet, false);
        let accesses = &compiled.pipeline.accesses;
        let late = accesses.iter().filter(|access| matches!(access.predicate, Predicate::Late(_)));
        Self { depends_on_state: search.found, late_accesses: late.count(), accesses: accesses.len() }
    }
}

/// Goes through a program in its order. Programs have no loops, so once is enough.
struct Search {
    /// Variables whose values depend on state.
    tainted: Vec<bool>,
    found: bool,
}

impl Search {
    /// `late`: whether the block is run depends on state.
    fn block(&mut self, block: &[Statement], late: bool) {
        for statement in block {
            self.found |= late && accesses_state(statement);
            match statement {
                // A value that was not replaced on some way keeps what it had.
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
