//! The dependency graph of statements, from which codelets and stages are derived.
//!
//! A statement depends on those that assign the variables it reads. The read and the write of a register depend on each
//! other, because state must be read, changed and written within one stage before the next packet arrives (Banzai's
//! atomicity: Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section 4.2). Therefore exactly the statements on
//! a common cycle must be computed by one atom.

use std::fmt::Write;

use ir::{Expression, Program, RegisterId, Statement, VariableId};
use petgraph::graph::{DiGraph, NodeIndex};

/// The dependencies between the statements of a program in single assignment.
pub(crate) struct DependencyGraph {
    /// An edge from a statement to each that needs it.
    graph: DiGraph<(), ()>,
    /// For each variable, the statement that assigns it.
    definitions: Vec<Option<usize>>,
}

/// The dependencies to include in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependencies {
    /// All dependencies.
    All,
    /// All except those of reads and writes on their predicates; used to find what a predicate may depend on.
    WithoutPredicates,
}

impl DependencyGraph {
    /// Builds the graph of straight-line code in single assignment.
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

    /// Appends a statement, which must not access a register.
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

    /// Returns the statement that assigns a variable; `None` for a field, which arrives with the packet.
    pub(crate) fn definition(&self, variable: VariableId) -> Option<usize> {
        self.definitions.get(variable.index()).copied().flatten()
    }

    /// Returns the statements that a statement depends on; one may occur several times.
    pub(crate) fn needs(&self, statement: usize) -> impl Iterator<Item = usize> {
        let incoming = self.graph.neighbors_directed(NodeIndex::new(statement), petgraph::Incoming);
        incoming.map(NodeIndex::index)
    }

    /// Marks every statement that depends on one of `from`, directly or indirectly, and these themselves.
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

    /// Returns the strongly connected components in topological order, each with its statements in program order.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        // Programs may be long, and petgraph's implementation of Kosaraju's algorithm does not recurse.
        let mut components: Vec<Vec<usize>> = petgraph::algo::kosaraju_scc(&self.graph)
            .into_iter()
            .map(|component| component.into_iter().map(NodeIndex::index).collect())
            .collect();
        components.iter_mut().for_each(|component| component.sort_unstable());
        self.in_stable_order(components)
    }

    /// Sorts components topologically; where that allows it, the one that begins earliest in the program comes first.
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

/// Returns the register that a three-address statement accesses, if any.
pub(crate) fn accessed(statement: &Statement) -> Option<RegisterId> {
    match statement {
        Statement::Assign { value: Expression::Read { register, .. }, .. } => Some(*register),
        Statement::Write { register, .. } => Some(*register),
        _ => None,
    }
}

/// Returns the register, the index and the predicate of a three-address statement's access, if there is one.
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

/// Returns the dependency graph of a program in single assignment in Graphviz's DOT language, with statements as boxes
/// and codelets as frames around them.
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
