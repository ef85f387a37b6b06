//! Which statement needs which: the graph that codelets and stages are cut from.
//!
//! A statement depends on those that assign what it reads. The read and the write of one register depend on each
//! other, for state must be read, changed and written within one stage, before the next packet comes (Banzai's
//! atomicity: Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section 4.2). What lies on a cycle must
//! therefore be done by one atom; nothing else must.

use std::fmt::Write;

use ir::{Expression, Program, RegisterId, Statement, VariableId};
use petgraph::graph::{DiGraph, NodeIndex};

/// The statements of a program in single assignment, and what each one needs.
pub(crate) struct DependencyGraph {
    /// An edge from a statement to each that needs it.
    graph: DiGraph<(), ()>,
    /// Which statement assigns a variable.
    definitions: Vec<Option<usize>>,
}

/// Which dependencies count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependencies {
    /// All.
    All,
    /// All but that of reads and writes on their predicates: for finding out what a predicate may depend on.
    WithoutPredicates,
}

impl DependencyGraph {
    /// The graph of straight-line code in single assignment.
    pub(crate) fn of(program: &Program, which: Dependencies) -> Self {
        let graph = DiGraph::with_capacity(program.packet.len(), 2 * program.packet.len());
        let mut built = Self { graph, definitions: vec![None; program.variables.len()] };
        let mut accesses: Vec<Vec<usize>> = vec![Vec::new(); program.registers.len()];
        for statement in &program.packet {
            built.define(statement);
        }
        for (number, statement) in program.packet.iter().enumerate() {
            for variable in inputs(statement, which) {
                built.add(variable, number);
            }
            if let Some(register) = accessed(statement) {
                accesses[register.index()].push(number);
            }
        }
        for together in accesses {
            for pair in together.windows(2) {
                built.edge(pair[0], pair[1]);
                built.edge(pair[1], pair[0]);
            }
        }
        built
    }

    /// Adds a statement at the end, which accesses no register.
    pub(crate) fn push(&mut self, statement: &Statement) {
        let number = self.define(statement);
        for variable in inputs(statement, Dependencies::All) {
            self.add(variable, number);
        }
    }

    fn define(&mut self, statement: &Statement) -> usize {
        let number = self.graph.add_node(()).index();
        if let Statement::Assign { variable, .. } = statement {
            if self.definitions.len() <= variable.index() {
                self.definitions.resize(variable.index() + 1, None);
            }
            self.definitions[variable.index()] = Some(number);
        }
        number
    }

    /// Makes a statement depend on the one that assigns a variable, if any does.
    pub(crate) fn add(&mut self, variable: VariableId, user: usize) {
        if let Some(Some(definition)) = self.definitions.get(variable.index()).copied() {
            self.edge(definition, user);
        }
    }

    /// Which statement assigns a variable; `None` for what comes with the packet.
    pub(crate) fn definition(&self, variable: VariableId) -> Option<usize> {
        self.definitions.get(variable.index()).copied().flatten()
    }

    /// The statements that a statement depends on.
    pub(crate) fn needs(&self, statement: usize) -> impl Iterator<Item = usize> {
        let incoming = self.graph.neighbors_directed(NodeIndex::new(statement), petgraph::Incoming);
        incoming.map(NodeIndex::index)
    }

    /// Marks every statement that some of `from` lead to, themselves included.
    pub(crate) fn reached_from(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut marked = vec![false; self.graph.node_count()];
        let mut open: Vec<usize> = from.into_iter().collect();
        while let Some(statement) = open.pop() {
            if !std::mem::replace(&mut marked[statement], true) {
                open.extend(self.graph.neighbors(NodeIndex::new(statement)).map(NodeIndex::index));
            }
        }
        marked
    }

    /// The strongly connected components in an order in which each comes after all that it needs; statements inside
    /// in order of the program.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        // Kosaraju's algorithm, for petgraph's version of it does not recurse: programs may be long.
        let mut components: Vec<Vec<usize>> = petgraph::algo::kosaraju_scc(&self.graph)
            .into_iter()
            .map(|component| component.into_iter().map(NodeIndex::index).collect())
            .collect();
        components.iter_mut().for_each(|component| component.sort_unstable());
        self.in_stable_order(components)
    }

    /// The same components, those that do not need each other in order of the program.
    fn in_stable_order(&self, components: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let mut component_of = vec![0; self.graph.node_count()];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|&statement| component_of[statement] = number);
        }
        let mut missing = vec![0usize; components.len()];
        for edge in self.graph.raw_edges() {
            let (from, to) = (component_of[edge.source().index()], component_of[edge.target().index()]);
            missing[to] += usize::from(from != to);
        }
        let mut ready = std::collections::BinaryHeap::new();
        let first = |number: usize| std::cmp::Reverse((components[number][0], number));
        ready.extend((0..components.len()).filter(|&number| missing[number] == 0).map(first));
        let mut order = Vec::with_capacity(components.len());
        while let Some(std::cmp::Reverse((_, number))) = ready.pop() {
            order.push(number);
            for &statement in &components[number] {
                for next in self.graph.neighbors(NodeIndex::new(statement)) {
                    let next = component_of[next.index()];
                    if next != number {
                        missing[next] -= 1;
                        if missing[next] == 0 {
                            ready.push(first(next));
                        }
                    }
                }
            }
        }
        let mut components: Vec<Option<Vec<usize>>> = components.into_iter().map(Some).collect();
        order.into_iter().map(|number| components[number].take().expect("each once")).collect()
    }

    fn edge(&mut self, from: usize, to: usize) {
        self.graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
}

/// The register that a three-address statement accesses.
pub(crate) fn accessed(statement: &Statement) -> Option<RegisterId> {
    match statement {
        Statement::Assign { value: Expression::Read { register, .. }, .. } => Some(*register),
        Statement::Write { register, .. } => Some(*register),
        _ => None,
    }
}

/// The index and predicate of a three-address statement's access.
pub(crate) fn access(statement: &Statement) -> Option<(RegisterId, Option<&Expression>, Option<&Expression>)> {
    match statement {
        Statement::Assign { value: Expression::Read { register, index, predicate }, .. } => {
            Some((*register, index.as_deref(), predicate.as_deref()))
        }
        Statement::Write { register, index, predicate, .. } => Some((*register, index.as_ref(), predicate.as_ref())),
        _ => None,
    }
}

fn inputs(statement: &Statement, which: Dependencies) -> Vec<VariableId> {
    let mut inputs: Vec<VariableId> = match (which, statement) {
        (Dependencies::WithoutPredicates, Statement::Assign { value: Expression::Read { index, .. }, .. }) => {
            index.iter().flat_map(|index| index.variables()).collect()
        }
        (Dependencies::WithoutPredicates, Statement::Write { index, value, .. }) => {
            index.iter().chain([value]).flat_map(|operand| operand.variables()).collect()
        }
        _ => statement.expressions().into_iter().flat_map(Expression::variables).collect(),
    };
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// The graph of a program in single assignment for Graphviz: statements as boxes, codelets as frames around them.
pub fn graphviz(program: &Program) -> String {
    let graph = DependencyGraph::of(program, Dependencies::All);
    let mut text = String::from("digraph dependencies {\n  node [shape=box, fontname=monospace];\n");
    for (number, component) in graph.components().into_iter().enumerate() {
        let stateful = component.iter().any(|&statement| accessed(&program.packet[statement]).is_some());
        if stateful {
            let _ = writeln!(text, "  subgraph cluster_{number} {{");
        }
        for &statement in &component {
            let label = ir::print::statement(program, &program.packet[statement]).to_string();
            let label = label.trim().replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "  s{statement} [label=\"{label}\"];");
        }
        if stateful {
            text.push_str("  }\n");
        }
    }
    for user in 0..program.packet.len() {
        let mut needs: Vec<usize> = graph.needs(user).collect();
        needs.sort_unstable();
        needs.dedup();
        for definition in needs {
            let _ = writeln!(text, "  s{definition} -> s{user};");
        }
    }
    text.push_str("}\n");
    text
}
