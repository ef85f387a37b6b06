//! The variables that blocks read and write. The switch sets intrinsic variables only if something reads them.

use ir::{Block, Effect, Expression, Flow, PacketStatement, Program, SharedStatement, Statement, TableId, VariableId};

/// Returns true if some block of a program assigns a variable.
pub(super) fn is_written(program: &Program, variable: VariableId) -> bool {
    Accesses::new(program, program.entrances.iter().map(|entrance| entrance.block)).writes(variable)
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

/// The variables that some blocks and everything they call read and write.
pub(super) struct Accesses<'p> {
    program: &'p Program,
    read: Vec<bool>,
    written: Vec<bool>,
    asks: bool,
    functions: Vec<bool>,
    parsers: Vec<bool>,
}

impl<'p> Accesses<'p> {
    /// Collects the variables that the given blocks read and write. Fields of headers and elements of arrays always count as
    /// both.
    pub(super) fn new(program: &'p Program, blocks: impl IntoIterator<Item = Block>) -> Self {
        let mut accesses = Self {
            program,
            read: vec![false; program.variables.len()],
            written: Vec::new(),
            asks: false,
            functions: vec![false; program.functions.len()],
            parsers: vec![false; program.parsers.len()],
        };
        let fields = program.headers.iter().flat_map(|header| {
            let fields = header.fields.iter().flat_map(|field| [Some(field.variable), field.length]);
            fields.flatten().chain([header.valid])
        });
        let elements = program.arrays.iter().flat_map(|array| array.elements.iter().copied());
        let stacks = program.stacks.iter().map(|stack| stack.next);
        fields.chain(elements).chain(stacks).for_each(|variable| accesses.read[variable.index()] = true);
        accesses.written.clone_from(&accesses.read);
        blocks.into_iter().for_each(|block| accesses.block(block));
        accesses
    }

    /// Returns true if the blocks read a variable.
    pub(super) fn reads(&self, variable: VariableId) -> bool {
        self.read[variable.index()]
    }

    /// Returns true if the blocks write a variable.
    pub(super) fn writes(&self, variable: VariableId) -> bool {
        self.written[variable.index()]
    }

    /// Returns true if the blocks can make requests to the switch.
    pub(super) fn asks(&self) -> bool {
        self.asks
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
                Statement::Assign { variable, .. } => self.write([*variable]),
                Statement::Packet(PacketStatement::Lookahead { variables }) => self.write(variables.iter().copied()),
                Statement::Shared(shared) => self.shared(shared),
                Statement::Flow(Flow::Call { function, .. }) => self.block(Block::Function(*function)),
                Statement::Flow(Flow::Parse { parser, .. }) => self.block(Block::Parser(*parser)),
                Statement::Flow(Flow::Apply { table, hit, action, entry }) => {
                    self.write([*hit, *action, *entry].into_iter().flatten());
                    self.table(*table);
                }
                _ => {}
            }
        }
    }

    fn shared(&mut self, statement: &SharedStatement) {
        match statement {
            SharedStatement::Random { variable: to, .. }
            | SharedStatement::Measure { color: to, .. }
            | SharedStatement::Filter { result: to, .. }
            | SharedStatement::Wred { drops: to, .. } => self.write([*to]),
            SharedStatement::Effect(_) => self.asks = true,
            SharedStatement::Count { .. } | SharedStatement::Log { .. } | SharedStatement::Assert { .. } => {}
        }
    }

    fn table(&mut self, table: TableId) {
        let program = self.program;
        let table = &program.tables[table.index()];
        self.expressions(table.keys.iter().map(|key| &key.value).chain(&table.selector));
        self.write(table.meter.map(|(_, color)| color));
        for action in &table.actions {
            self.statements(&action.before);
            self.statements(&action.after);
            self.write(program.functions[action.function.index()].parameters.iter().copied());
            self.block(Block::Function(action.function));
        }
    }

    fn write(&mut self, variables: impl IntoIterator<Item = VariableId>) {
        variables.into_iter().for_each(|variable| self.written[variable.index()] = true);
    }

    fn expressions<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expression>) {
        for expression in expressions {
            expression.variables().into_iter().for_each(|variable| self.read[variable.index()] = true);
        }
    }
}
