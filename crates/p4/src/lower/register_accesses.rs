//! The accesses of register actions on the way of a packet: a stage reads and writes a register once for a packet, so two
//! accesses to one register on one way are refused.
//!
//! Two ways are different if the control flow or the choice of a table's action tells them apart; conditions are not
//! compared.

use std::collections::{BTreeMap, HashMap, HashSet};

use diagnostics::{Diagnostic, Span};
use ir::{Block, Expression, Flow, FunctionId, Program, RegisterId, Statement};

use crate::findings::Findings;

/// The calls of register actions by the function in which they are written, in the order of the text, with the first
/// array of the register.
#[derive(Default)]
pub(super) struct RegisterAccesses {
    /// Those of the functions that are still being written.
    open: Vec<(RegisterId, Span)>,
    of_functions: HashMap<FunctionId, Vec<(RegisterId, Span)>>,
}

impl RegisterAccesses {
    /// Notes a call in the function that is being written.
    pub(super) fn note(&mut self, register: RegisterId, span: Span) {
        self.open.push((register, span));
    }

    /// Returns the number of calls that are not assigned to a function yet.
    pub(super) fn mark(&self) -> usize {
        self.open.len()
    }

    /// Assigns the calls since a mark to a function, which has been written.
    pub(super) fn close(&mut self, mark: usize, function: FunctionId) {
        let own = self.open.split_off(mark.min(self.open.len()));
        if !own.is_empty() {
            self.of_functions.insert(function, own);
        }
    }

    /// Reports registers that one way through a block of the switch accesses twice.
    pub(super) fn check(&self, program: &Program, found: &mut Findings) {
        if self.of_functions.is_empty() {
            return;
        }
        let mut ways = Ways { accesses: self, program, known: HashMap::new(), told: HashSet::new(), found };
        for entrance in &program.entrances {
            if let Block::Function(function) = entrance.block {
                ways.of_function(function);
            }
        }
    }
}

/// The registers that the ways so far have accessed, with one access to each.
type Accessed = BTreeMap<RegisterId, Span>;

struct Ways<'w> {
    accesses: &'w RegisterAccesses,
    program: &'w Program,
    /// What functions access, which is computed once for each.
    known: HashMap<FunctionId, Accessed>,
    told: HashSet<(RegisterId, Span)>,
    found: &'w mut Findings,
}

impl Ways<'_> {
    fn of_function(&mut self, function: FunctionId) -> Accessed {
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        let own = self.accesses.of_functions.get(&function).map_or(&[][..], Vec::as_slice);
        let mut own = own.iter().copied();
        let mut accessed = Accessed::new();
        let program = self.program;
        self.follow(&program.functions[function.index()].body, &mut own, &mut accessed);
        self.known.insert(function, accessed.clone());
        accessed
    }

    /// Follows statements. `own` are the accesses in them, which stand in the order of the text.
    fn follow(
        &mut self,
        statements: &[Statement],
        own: &mut dyn Iterator<Item = (RegisterId, Span)>,
        accessed: &mut Accessed,
    ) {
        let mut next = None;
        for statement in statements {
            match statement {
                Statement::Assign { value: Expression::Read { register, .. }, .. } => {
                    let access = next.take().or_else(|| own.next());
                    match access {
                        Some((first, span)) if first == *register => self.access(first, span, accessed),
                        // The register has several arrays, of which this is a further one.
                        other => next = other,
                    }
                }
                Statement::If { then, otherwise, .. } => {
                    let mut own = next.take().into_iter().chain(&mut *own);
                    let mut second = accessed.clone();
                    self.follow(then, &mut own, accessed);
                    self.follow(otherwise, &mut own, &mut second);
                    accessed.append(&mut second);
                }
                Statement::Flow(Flow::Call { function, after }) => {
                    self.call(*function, accessed);
                    let mut own = next.take().into_iter().chain(&mut *own);
                    self.follow(after, &mut own, accessed);
                }
                Statement::Flow(Flow::Loop { body, step, .. }) => {
                    let mut own = next.take().into_iter().chain(&mut *own);
                    self.follow(body, &mut own, accessed);
                    self.follow(step, &mut own, accessed);
                }
                Statement::Flow(Flow::Apply { table, .. }) => {
                    let before = accessed.clone();
                    let program = self.program;
                    for action in &program.tables[table.index()].actions {
                        let mut way = before.clone();
                        self.call(action.function, &mut way);
                        accessed.append(&mut way);
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, function: FunctionId, accessed: &mut Accessed) {
        for (register, span) in self.of_function(function) {
            self.access(register, span, accessed);
        }
    }

    fn access(&mut self, register: RegisterId, span: Span, accessed: &mut Accessed) {
        let Some(&earlier) = accessed.get(&register) else {
            accessed.insert(register, span);
            return;
        };
        if self.told.insert((register, span)) {
            let name = &self.program.register(register).name;
            let error = if earlier == span {
                let message = format!("a packet may access the register `{name}` here twice");
                Diagnostic::error(span, message).label("two tables that it passes can run this")
            } else {
                let message = format!("a packet accesses the register `{name}` a second time here");
                Diagnostic::error(span, message).related(earlier, "the first time is here")
            };
            self.found.report(error.hint("one `RegisterAction` reads and writes a register once for each packet"));
        }
    }
}
