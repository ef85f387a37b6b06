//! The conditions of a program, numbered.

use std::collections::HashMap;

use ir::{Expression, Flow, PacketStatement, Program, Statement};

/// Where each condition of a program stands. A condition is known by its place in memory, for an observer is shown the
/// one that the program holds.
#[derive(Debug)]
pub(super) struct Conditions {
    // Looked up only, never iterated: no order comes from it.
    numbers: HashMap<usize, usize>,
    /// The name of what each stands in, and its text.
    pub(super) places: Vec<(String, String)>,
    /// Whether it computes a checksum.
    has_checksum: Vec<bool>,
}

impl Conditions {
    pub(super) fn of(program: &Program) -> Self {
        let mut conditions = Self { numbers: HashMap::new(), places: Vec::new(), has_checksum: Vec::new() };
        for parser in &program.parsers {
            for state in &parser.states {
                conditions.block(program, &format!("{}.{}", parser.name, state.name), &state.body);
            }
        }
        for function in &program.functions {
            conditions.block(program, &function.name, &function.body);
        }
        for table in &program.tables {
            for action in &table.actions {
                conditions.block(program, &table.name, &action.before);
                conditions.block(program, &table.name, &action.after);
            }
        }
        conditions
    }

    /// The number of a condition of the same program.
    pub(super) fn number(&self, condition: &Expression) -> Option<usize> {
        self.numbers.get(&address(condition)).copied()
    }

    pub(super) fn has_checksum(&self, number: usize) -> bool {
        self.has_checksum[number]
    }

    fn block(&mut self, program: &Program, name: &str, block: &[Statement]) {
        for statement in block {
            statement.walk(&mut |statement| {
                if let Statement::If { condition, .. }
                | Statement::Flow(Flow::Loop { condition, .. })
                | Statement::Packet(PacketStatement::Verify { condition, .. }) = statement
                {
                    self.numbers.insert(address(condition), self.places.len());
                    let text = ir::print::expression(program, condition).to_string();
                    self.places.push((name.to_owned(), text));
                    let mut has_checksum = false;
                    condition.walk(&mut |inner| has_checksum |= matches!(inner, Expression::Checksum(_)));
                    self.has_checksum.push(has_checksum);
                }
            });
        }
    }
}

fn address(condition: &Expression) -> usize {
    std::ptr::from_ref(condition).addr()
}
