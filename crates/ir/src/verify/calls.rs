//! Verification of the call graph. Recursion is not allowed, not even indirectly, so one variable for each parameter is
//! enough; and the depth of calls is limited, so that interpreters do not overflow the stack.

use super::item::{Findings, Item};
use crate::{Flow, FunctionId, ParserId, Program, Statement, TableId};

/// The maximum depth of nested statements, counting blocks and calls through the whole call graph.
pub const MAX_CALL_DEPTH: usize = 1000;

pub(super) fn calls(program: &Program, findings: &mut Findings) {
    let graph = Graph::new(program);
    let Order { order, depths, callers } = graph.order();
    if let Some(&deep) = order.iter().find(|&&node| depths[node] > MAX_CALL_DEPTH) {
        findings.push(graph.item(deep), format!("is called more than {MAX_CALL_DEPTH} blocks and calls deep"));
    }
    if let Some(cycle) = graph.cycle(&callers) {
        let names: Vec<String> = cycle.iter().map(|&node| graph.item(node).describe(program)).collect();
        let through = if names.len() > 1 { format!(" through {}", names[1..].join(", ")) } else { String::new() };
        findings.push(graph.item(cycle[0]), format!("calls itself{through}"));
    }
}

/// Returns a function that is called more than [`MAX_CALL_DEPTH`] blocks and calls deep, if there is one. Front ends,
/// which know its location in the source, refuse it before [`super::program`] does. Ids must be in range.
pub fn function_called_too_deep(program: &Program) -> Option<FunctionId> {
    let graph = Graph::new(program);
    let Order { order, depths, .. } = graph.order();
    let too_deep = order.into_iter().filter(|&node| depths[node] > MAX_CALL_DEPTH);
    too_deep.map(|node| graph.item(node)).find_map(|item| match item {
        Item::Function(function) => Some(function),
        _ => None,
    })
}

/// A topological order of the call graph, and the depths of its nodes.
struct Order {
    /// The nodes, each after all its callers.
    order: Vec<usize>,
    /// For each node, the maximum number of blocks and calls around it.
    depths: Vec<usize>,
    /// For each node, the number of callers that are not in the order because they are part of a cycle or called from
    /// one.
    callers: Vec<usize>,
}

/// The call graph. Its nodes are the parsers, then the functions, then the tables, which call their actions.
struct Graph {
    parsers: usize,
    functions: usize,
    /// For each node, the nodes that it calls, and how many blocks and calls deep. Ids that are out of range, which are
    /// reported elsewhere, are left out.
    calls: Vec<Vec<(usize, usize)>>,
}

impl Graph {
    fn new(program: &Program) -> Self {
        let mut graph = Self { parsers: program.parsers.len(), functions: program.functions.len(), calls: Vec::new() };
        for parser in &program.parsers {
            let mut own = Vec::new();
            parser.states.iter().for_each(|state| graph.called(&state.body, 1, &mut own));
            graph.calls.push(own);
        }
        for function in &program.functions {
            let mut own = Vec::new();
            graph.called(&function.body, 1, &mut own);
            graph.calls.push(own);
        }
        for table in &program.tables {
            let mut own = Vec::new();
            for action in &table.actions {
                own.push((graph.function(action.function), 1));
                graph.called(&action.before, 1, &mut own);
                graph.called(&action.after, 1, &mut own);
            }
            graph.calls.push(own);
        }
        let count = graph.calls.len();
        graph.calls.iter_mut().for_each(|own| own.retain(|&(callee, _)| callee < count));
        graph
    }

    /// Orders the nodes by Kahn's algorithm: a node comes next when all its callers are in the order.
    fn order(&self) -> Order {
        let mut callers = vec![0usize; self.calls.len()];
        self.calls.iter().flatten().for_each(|&(callee, _)| callers[callee] += 1);
        let mut order: Vec<usize> = (0..callers.len()).filter(|&node| callers[node] == 0).collect();
        let mut depths = vec![0usize; callers.len()];
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &(callee, depth) in &self.calls[node] {
                depths[callee] = depths[callee].max(depths[node].saturating_add(depth));
                callers[callee] -= 1;
                if callers[callee] == 0 {
                    order.push(callee);
                }
            }
        }
        Order { order, depths, callers }
    }

    fn function(&self, id: FunctionId) -> usize {
        if id.index() < self.functions { self.parsers + id.index() } else { usize::MAX }
    }

    fn called(&self, block: &[Statement], depth: usize, own: &mut Vec<(usize, usize)>) {
        for statement in block {
            match statement {
                Statement::Flow(Flow::Call { function, .. }) => own.push((self.function(*function), depth)),
                Statement::Flow(Flow::Parse { parser, .. }) if parser.index() < self.parsers => {
                    own.push((parser.index(), depth));
                }
                Statement::Flow(Flow::Apply { table, .. }) => {
                    own.push((self.parsers + self.functions + table.index(), depth));
                }
                _ => (),
            }
            statement.blocks().into_iter().for_each(|inner| self.called(inner, depth + 1, own));
        }
    }

    fn item(&self, node: usize) -> Item {
        if node < self.parsers {
            Item::Parser(ParserId::from(node))
        } else if node < self.parsers + self.functions {
            Item::Function(FunctionId::from(node - self.parsers))
        } else {
            Item::Table(TableId::from(node - self.parsers - self.functions))
        }
    }

    /// Returns one cycle, from caller to callee, if there is one. Every node that has a caller left is part of a cycle
    /// or reached from one.
    fn cycle(&self, callers: &[usize]) -> Option<Vec<usize>> {
        // One remaining caller of each node: following them leads into a cycle.
        let mut caller_of = vec![usize::MAX; callers.len()];
        for (node, own) in self.calls.iter().enumerate().filter(|(node, _)| callers[*node] > 0) {
            own.iter().for_each(|&(callee, _)| caller_of[callee] = node);
        }
        let mut node = callers.iter().position(|&count| count > 0)?;
        let mut seen = vec![false; callers.len()];
        while !std::mem::replace(&mut seen[node], true) {
            node = caller_of[node];
        }
        let mut cycle = vec![node];
        let mut at = caller_of[node];
        while at != node {
            cycle.push(at);
            at = caller_of[at];
        }
        cycle.reverse();
        Some(cycle)
    }
}
