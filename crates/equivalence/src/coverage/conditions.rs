//! Numbering of the conditions of a program.

use std::collections::HashMap;

use ir::{Expression, Flow, PacketStatement, Program, Statement};

/// The numbers of a program's conditions. A condition is identified by its address, because an observer is given a
/// reference to the condition inside the program.
#[derive(Debug)]
pub(super) struct Conditions {
    // Never iterated, so its order has no effect.
    numbers: HashMap<usize, usize>,
    /// For each condition, the name of the block that contains it, and its text.
    pub(super) places: Vec<(String, String)>,
    /// For each condition, whether it computes a checksum.
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

    /// Returns the number of a condition, which must belong to the same program.
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
