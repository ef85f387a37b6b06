//! Static analysis of a program's functions and parsers: how many steps they can take at most, how deeply they nest
//! calls, and whether they can end their caller.

use ir::interpret::{CALL_DEPTH, IDLE_STATES, STEPS};
use ir::parser::{Next, Parser, Transition};
use ir::{Block, Flow, FunctionId, Header, ParserId, Program, SharedStatement, Statement};

/// The static properties of one function or parser.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// The maximum number of loop iterations, calls, table applications and parser states; `u64::MAX` if it is
    /// unbounded or unknown.
    steps: u64,
    /// The maximum depth of calls, including this block.
    depth: u32,
    /// Whether the block must count steps, because it, or an entry that reaches it, may take too many.
    pub(crate) counts_steps: bool,
    /// Whether the block can end in another way than by reaching its end.
    pub(crate) stops: bool,
    /// The number of call sites: those in the program text, and one if the block is an entry.
    calls: u32,
    /// Whether the block is compiled as a function of its own in any case.
    is_apart: bool,
    /// The number of statements, including those of the blocks that are inlined here.
    size: u32,
}

/// The static properties of all blocks that the entries of a program reach.
#[derive(Debug)]
pub(crate) struct Analysis {
    parsers: Vec<Option<Facts>>,
    functions: Vec<Option<Facts>>,
    /// Whether the depth of calls can exceed the limit and must be counted.
    pub(crate) counts_depth: bool,
    /// Whether all fields together of every header are whole bytes, so that parsers stop only between bytes.
    pub(crate) parses_bytes: bool,
    /// Whether deparsers too stop only between bytes.
    pub(crate) emits_bytes: bool,
}

/// Functions of at most this many statements are inlined into all callers.
const SMALL: u32 = 12;
/// Blocks with deeper calls than this are not inlined, so that compiling them needs little stack.
const SHALLOW: u32 = 16;

impl Analysis {
    /// Analyses the blocks that `entries` reach. If they are `joined`, each is inlined where all of them are run one
    /// after the other, unless the program calls it elsewhere too.
    pub(crate) fn new(program: &Program, entries: &[Block], joined: bool) -> Self {
        let parses_bytes = program.headers.iter().all(|header| fixed_bits(program, header).is_multiple_of(8));
        let mut fields = program.headers.iter().flat_map(|header| &header.fields);
        let mut analysis = Self {
            parsers: vec![None; program.parsers.len()],
            functions: vec![None; program.functions.len()],
            counts_depth: false,
            parses_bytes,
            // What a program emits of a field of variable length is as long as the program says.
            emits_bytes: parses_bytes && fields.all(|field| field.length.is_none()),
        };
        for entry in entries {
            let facts = analysis.visit(program, *entry);
            analysis.counts_depth |= facts.depth > CALL_DEPTH;
        }
        for entry in entries {
            let facts = analysis.place(*entry).as_mut().expect("visited");
            facts.calls += 1;
            facts.is_apart = !joined;
        }
        if analysis.counts_depth {
            // Any call can then exceed the depth.
            let all = analysis.parsers.iter_mut().chain(&mut analysis.functions);
            all.flatten().for_each(|facts| facts.stops = true);
        }
        for entry in entries {
            if analysis.of(*entry).steps > u64::from(STEPS) {
                analysis.count(program, *entry);
            }
        }
        analysis
    }

    /// Returns the properties of a block that an entry reaches.
    pub(crate) fn of(&self, block: Block) -> Facts {
        match block {
            Block::Parser(id) => self.parsers[id.index()],
            Block::Function(id) => self.functions[id.index()],
        }
        .unwrap_or_default()
    }

    /// Returns true if an entry reaches the block.
    pub(crate) fn is_reached(&self, block: Block) -> bool {
        match block {
            Block::Parser(id) => self.parsers[id.index()].is_some(),
            Block::Function(id) => self.functions[id.index()].is_some(),
        }
    }

    /// Returns true if the block is inlined into its callers.
    pub(crate) fn is_inlined(&self, block: Block) -> bool {
        is_inlined(self.of(block))
    }

    fn place(&mut self, block: Block) -> &mut Option<Facts> {
        match block {
            Block::Parser(id) => &mut self.parsers[id.index()],
            Block::Function(id) => &mut self.functions[id.index()],
        }
    }

    /// Analyses a block and what it calls. This terminates because calls are acyclic ([`ir::verify`]).
    fn visit(&mut self, program: &Program, block: Block) -> Facts {
        if let Some(facts) = *self.place(block) {
            return facts;
        }
        // Each block is visited once, so that each call site of the text is counted once.
        let facts = match block {
            Block::Function(id) => self.statements(program, &program.functions[id.index()].body),
            Block::Parser(id) => self.parser(program, &program.parsers[id.index()]),
        };
        // Running the block itself takes one step and one level of depth.
        let facts = Facts { steps: facts.steps.saturating_add(1), depth: facts.depth + 1, ..facts };
        let calls = self.place(block).map_or(0, |facts| facts.calls);
        *self.place(block) = Some(Facts { calls, ..facts });
        facts
    }

    fn statements(&mut self, program: &Program, statements: &[Statement]) -> Facts {
        let facts = statements.iter().map(|statement| self.statement(program, statement));
        facts.fold(Facts::default(), Facts::then)
    }

    fn statement(&mut self, program: &Program, statement: &Statement) -> Facts {
        let own = Facts { size: 1, ..Facts::default() };
        let facts = match statement {
            Statement::If { then, otherwise, .. } => {
                let (then, otherwise) = (self.statements(program, then), self.statements(program, otherwise));
                then.or(otherwise)
            }
            Statement::Flow(flow) => self.flow(program, flow),
            // Every statement of a parser may reject the packet.
            Statement::Packet(_) => Facts { size: 2, ..Facts::default() },
            Statement::Shared(SharedStatement::Assert { .. }) => Facts { stops: true, ..Facts::default() },
            _ => Facts::default(),
        };
        own.then(facts)
    }

    fn flow(&mut self, program: &Program, flow: &Flow) -> Facts {
        match flow {
            Flow::Loop { body, step, .. } => {
                let facts = self.statements(program, body).then(self.statements(program, step));
                Facts { steps: u64::MAX, stops: true, ..facts }
            }
            Flow::Break | Flow::Continue | Flow::Return => Facts::default(),
            Flow::Exit => Facts { stops: true, ..Facts::default() },
            Flow::Call { function, after } => {
                self.called(program, Block::Function(*function)).then(self.statements(program, after))
            }
            Flow::Parse { parser, after } => {
                let parsed = self.called(program, Block::Parser(*parser)).then(self.statements(program, after));
                Facts { stops: true, ..parsed }
            }
            Flow::Apply { table, .. } => {
                let own = Facts { steps: 1, size: 4, ..Facts::default() };
                let actions = program.tables[table.index()].actions.iter().map(|action| {
                    let before = self.statements(program, &action.before);
                    let called = self.called(program, Block::Function(action.function));
                    before.then(called).then(self.statements(program, &action.after))
                });
                own.then(actions.fold(Facts::default(), Facts::or))
            }
        }
    }

    fn called(&mut self, program: &Program, block: Block) -> Facts {
        self.visit(program, block);
        let facts = self.place(block).as_mut().expect("visited");
        facts.calls += 1;
        let facts = *facts;
        Facts { size: if is_inlined(facts) { facts.size + 1 } else { 1 }, ..facts }
    }

    fn parser(&mut self, program: &Program, parser: &Parser) -> Facts {
        let states: Vec<Facts> = parser.states.iter().map(|state| self.statements(program, &state.body)).collect();
        let all = states.iter().copied().fold(Facts::default(), Facts::or);
        let steps = longest_path(parser, &states);
        let size = states.iter().map(|facts| facts.size + 2).fold(0, u32::saturating_add);
        Facts { steps, stops: true, size, ..all }
    }

    /// Makes a block that may take too many steps, and everything that it reaches, count steps.
    fn count(&mut self, program: &Program, block: Block) {
        let Some(facts) = self.place(block) else { return };
        if std::mem::replace(&mut facts.counts_steps, true) {
            return;
        }
        facts.stops = true;
        let mut called = Vec::new();
        match block {
            Block::Function(id) => calls(program, &program.functions[id.index()].body, &mut called),
            Block::Parser(id) => {
                let states = program.parsers[id.index()].states.iter();
                states.for_each(|state| calls(program, &state.body, &mut called));
            }
        }
        called.into_iter().for_each(|block| self.count(program, block));
    }
}

fn is_inlined(facts: Facts) -> bool {
    !facts.is_apart && (facts.calls == 1 || facts.size <= SMALL) && facts.depth <= SHALLOW
}

impl Facts {
    fn join(self, other: Self, steps: u64) -> Self {
        Self {
            steps,
            depth: self.depth.max(other.depth),
            stops: self.stops | other.stops,
            size: self.size.saturating_add(other.size),
            ..Self::default()
        }
    }

    /// The properties of `self` followed by `other`.
    fn then(self, other: Self) -> Self {
        self.join(other, self.steps.saturating_add(other.steps))
    }

    /// The properties of either `self` or `other`.
    fn or(self, other: Self) -> Self {
        self.join(other, self.steps.max(other.steps))
    }
}

/// Appends the blocks that `statements` call to `called`.
fn calls(program: &Program, statements: &[Statement], called: &mut Vec<Block>) {
    let mut visit = |statement: &Statement| match statement {
        Statement::Flow(Flow::Call { function, .. }) => called.push(Block::Function(*function)),
        Statement::Flow(Flow::Parse { parser, .. }) => called.push(Block::Parser(*parser)),
        Statement::Flow(Flow::Apply { table, .. }) => {
            for action in &program.tables[table.index()].actions {
                called.push(Block::Function(action.function));
                calls(program, &action.before, called);
                calls(program, &action.after, called);
            }
        }
        _ => (),
    };
    statements.iter().for_each(|statement| statement.walk(&mut visit));
}

/// Returns the states to which a transition may lead.
pub(crate) fn successors(transition: &Transition) -> impl Iterator<Item = usize> {
    let nexts: Vec<Next> = match transition {
        Transition::To(next) => vec![*next],
        Transition::Select { cases, .. } => cases.iter().map(|case| case.next).collect(),
    };
    nexts.into_iter().filter_map(|next| match next {
        Next::State(state) => Some(state.index()),
        _ => None,
    })
}

/// Returns the maximum number of steps from the first state on, where each state takes one step beside those of its
/// statements; `u64::MAX` if states can repeat, or if there are so many that a parser could time out.
fn longest_path(parser: &Parser, states: &[Facts]) -> u64 {
    if has_cycle(parser) || states.len() > IDLE_STATES as usize {
        return u64::MAX;
    }
    let mut longest: Vec<Option<u64>> = vec![None; states.len()];
    let mut waiting = vec![0];
    while let Some(&state) = waiting.last() {
        let next: Vec<usize> = successors(&parser.states[state].transition).collect();
        if let Some(&first) = next.iter().find(|&&state| longest[state].is_none()) {
            waiting.push(first);
            continue;
        }
        let rest = next.iter().filter_map(|&state| longest[state]).max().unwrap_or(0);
        longest[state] = Some(states[state].steps.saturating_add(1).saturating_add(rest));
        waiting.pop();
    }
    longest[0].unwrap_or(0)
}

/// Returns true if a parser can enter a state twice.
pub(crate) fn has_cycle(parser: &Parser) -> bool {
    // Repeatedly remove states without predecessors; those that remain are on a cycle or behind one.
    let mut predecessors = vec![0u32; parser.states.len()];
    let reachable = reachable(parser);
    let edges = || (0..parser.states.len()).filter(|&state| reachable[state]);
    for state in edges() {
        successors(&parser.states[state].transition).for_each(|next| predecessors[next] += 1);
    }
    let mut free: Vec<usize> = edges().filter(|&state| predecessors[state] == 0).collect();
    let mut taken = 0;
    while let Some(state) = free.pop() {
        taken += 1;
        for next in successors(&parser.states[state].transition) {
            predecessors[next] -= 1;
            if predecessors[next] == 0 {
                free.push(next);
            }
        }
    }
    taken < edges().count()
}

/// Returns for each state whether the parser can reach it.
pub(crate) fn reachable(parser: &Parser) -> Vec<bool> {
    let mut found = vec![false; parser.states.len()];
    let mut waiting = vec![0];
    while let Some(state) = waiting.pop() {
        if !std::mem::replace(&mut found[state], true) {
            waiting.extend(successors(&parser.states[state].transition));
        }
    }
    found
}

/// Returns the number of bits of a header without its fields of variable length.
pub(crate) fn fixed_bits(program: &Program, header: &Header) -> u64 {
    let fixed = header.fields.iter().filter(|field| field.length.is_none());
    fixed.map(|field| u64::from(program.variable(field.variable).ty.width())).sum()
}

/// Returns the blocks that can be entered, each once: those that the program names for its architecture, in the order in
/// which it names them, or all blocks if it names none.
pub(crate) fn entries(program: &Program) -> Vec<Block> {
    if !program.entrances.is_empty() {
        let mut entries: Vec<Block> = Vec::with_capacity(program.entrances.len());
        for entrance in &program.entrances {
            if !entries.contains(&entrance.block) {
                entries.push(entrance.block);
            }
        }
        return entries;
    }
    let parsers = (0..program.parsers.len()).map(|id| Block::Parser(ParserId::from(id)));
    let functions = (0..program.functions.len()).map(|id| Block::Function(FunctionId::from(id)));
    parsers.chain(functions).collect()
}
