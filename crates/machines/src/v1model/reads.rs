//! The variables that blocks read and write. The switch sets intrinsic variables only if something reads them.

use ir::{Block, Effect, Expression, Flow, Program, SharedStatement, Statement, VariableId};

/// Returns true if some statement of a program assigns a variable, which must not be part of a header or an array.
pub(super) fn is_written(program: &Program, variable: VariableId) -> bool {
    let mut found = false;
    program.walk(&mut |statement| {
        found |= match statement {
            Statement::Assign { variable: to, .. } => *to == variable,
            Statement::Shared(
                SharedStatement::Random { variable: to, .. }
                | SharedStatement::Measure { color: to, .. }
                | SharedStatement::Filter { result: to, .. }
                | SharedStatement::Wred { drops: to, .. },
            ) => *to == variable,
            _ => false,
        };
    });
    found
}

/// Returns true if some statement of a program asks for a packet with data in front of it.
pub(super) fn puts_data_in_front(program: &Program) -> bool {
    let mut found = false;
    program.walk(&mut |statement| {
        if let Statement::Shared(SharedStatement::Effect(effect)) = statement {
            found |= match effect {
                Effect::Mirror { .. } => true,
                Effect::Resubmit { data, .. } => !data.is_empty(),
                _ => false,
            };
        }
    });
    found
}

/// The variables that some blocks and everything they call read.
pub(super) struct Reads<'p> {
    program: &'p Program,
    found: Vec<bool>,
    functions: Vec<bool>,
    parsers: Vec<bool>,
}

impl<'p> Reads<'p> {
    /// Collects the variables that the given blocks read. Fields of headers and elements of arrays always count as
    /// read.
    pub(super) fn new(program: &'p Program, blocks: impl IntoIterator<Item = Block>) -> Self {
        let mut reads = Self {
            program,
            found: vec![false; program.variables.len()],
            functions: vec![false; program.functions.len()],
            parsers: vec![false; program.parsers.len()],
        };
        let fields = program.headers.iter().flat_map(|header| {
            let fields = header.fields.iter().flat_map(|field| [Some(field.variable), field.length]);
            fields.flatten().chain([header.valid])
        });
        let elements = program.arrays.iter().flat_map(|array| array.elements.iter().copied());
        let stacks = program.stacks.iter().map(|stack| stack.next);
        fields.chain(elements).chain(stacks).for_each(|variable| reads.found[variable.index()] = true);
        blocks.into_iter().for_each(|block| reads.block(block));
        reads
    }

    /// Returns true if the blocks read a variable.
    pub(super) fn has(&self, variable: VariableId) -> bool {
        self.found[variable.index()]
    }

    fn block(&mut self, block: Block) {
        let program = self.program;
        match block {
            Block::Function(id) => {
                if !std::mem::replace(&mut self.functions[id.index()], true) {
                    self.statements(&program.functions[id.index()].body);
                }
            }
            Block::Parser(id) => {
                if !std::mem::replace(&mut self.parsers[id.index()], true) {
                    for state in &program.parsers[id.index()].states {
                        self.statements(&state.body);
                        self.expressions(state.transition.expressions());
                    }
                }
            }
        }
    }

    fn statements(&mut self, statements: &'p [Statement]) {
        for statement in statements {
            self.expressions(statement.expressions());
            statement.blocks().into_iter().for_each(|block| self.statements(block));
            match statement {
                Statement::Flow(Flow::Call { function, .. }) => self.block(Block::Function(*function)),
                Statement::Flow(Flow::Parse { parser, .. }) => self.block(Block::Parser(*parser)),
                Statement::Flow(Flow::Apply { table, .. }) => {
                    let table = &self.program.tables[table.index()];
                    self.expressions(table.keys.iter().map(|key| &key.value).chain(&table.selector));
                    for action in &table.actions {
                        self.statements(&action.before);
                        self.statements(&action.after);
                        self.block(Block::Function(action.function));
                    }
                }
                _ => {}
            }
        }
    }

    fn expressions<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expression>) {
        for expression in expressions {
            expression.variables().into_iter().for_each(|variable| self.found[variable.index()] = true);
        }
    }
}
