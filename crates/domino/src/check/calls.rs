//! The rules for calls: no function calls itself, and none changes state in the middle of an expression.

use diagnostics::Diagnostic;

use super::Checker;
use super::function::Body;

impl Checker<'_> {
    pub(super) fn check_calls(&mut self, bodies: &[Body], packet: Option<usize>) {
        let order = callees_first(bodies);
        self.refuse_recursion(bodies, &order);
        self.refuse_hidden_changes(bodies, &order);
        if let Some(packet) = packet {
            self.warn_of_uncalled(bodies, packet);
        }
    }

    /// Reports functions that call themselves, directly or through others, because they cannot be inlined.
    fn refuse_recursion(&mut self, bodies: &[Body], order: &[usize]) {
        let mut left = vec![true; bodies.len()];
        order.iter().for_each(|&function| left[function] = false);
        let mut seen = vec![false; bodies.len()];
        for start in 0..bodies.len() {
            if !left[start] || seen[start] {
                continue;
            }
            // Every remaining function calls a remaining one, so following the calls leads to a cycle.
            let mut path = Vec::new();
            let mut function = start;
            while !seen[function] {
                seen[function] = true;
                let Some(call) = bodies[function].calls.iter().find(|call| left[call.callee]) else { break };
                path.push((function, call));
                function = call.callee;
            }
            let Some(begin) = path.iter().position(|(first, _)| *first == function) else { continue };
            let circle = &path[begin..];
            let name = &bodies[function].function.name;
            let others: Vec<String> =
                circle[1..].iter().map(|(other, _)| format!("`{}`", bodies[*other].function.name)).collect();
            let through = if others.is_empty() { String::new() } else { format!(" through {}", others.join(", ")) };
            let error = Diagnostic::error(circle[0].1.span, format!("`{name}` calls itself{through}"));
            let error = circle[1..].iter().fold(error, |error, (_, call)| error.related(call.span, "and here"));
            self.report.push(error.hint("calls are inlined, which would never end for a recursive function"));
        }
    }

    /// Reports calls that change state in the middle of an expression. In `f(x) + state`, the order of evaluation would
    /// decide whether `state` is read before or after `f` changes it.
    fn refuse_hidden_changes(&mut self, bodies: &[Body], order: &[usize]) {
        let mut changes: Vec<bool> = bodies.iter().map(|body| body.changes_state).collect();
        for &function in order {
            changes[function] |= bodies[function].calls.iter().any(|call| changes[call.callee]);
        }
        for call in bodies.iter().flat_map(|body| &body.calls) {
            if changes[call.callee] && !call.alone {
                let name = &bodies[call.callee].function.name;
                let error =
                    Diagnostic::error(call.span, format!("`{name}` changes state in the middle of an expression"));
                let error = error.related(self.signatures[call.callee].name.span, "declared here");
                self.report.push(error.hint(format!("call it in an earlier statement: `int value = {name}(...);`")));
            }
        }
    }

    fn warn_of_uncalled(&mut self, bodies: &[Body], packet: usize) {
        let mut called = vec![false; bodies.len()];
        let mut open = vec![packet];
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut called[function], true) {
                open.extend(bodies[function].calls.iter().map(|call| call.callee));
            }
        }
        for function in (0..bodies.len()).filter(|&function| !called[function]) {
            if !self.signatures[function].is_packet_function {
                let name = &self.signatures[function].name;
                self.report.push(Diagnostic::warning(name.span, format!("`{}` is never called", name.text)));
            }
        }
    }
}

/// Returns the functions that do not call themselves, each after those that it calls (Kahn 1962).
fn callees_first(bodies: &[Body]) -> Vec<usize> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    let mut waiting: Vec<usize> = bodies.iter().map(|body| body.calls.len()).collect();
    for (caller, body) in bodies.iter().enumerate() {
        body.calls.iter().for_each(|call| callers[call.callee].push(caller));
    }
    let mut order: Vec<usize> = (0..bodies.len()).filter(|&function| waiting[function] == 0).collect();
    let mut next = 0;
    while let Some(&function) = order.get(next) {
        next += 1;
        for &caller in &callers[function] {
            waiting[caller] -= 1;
            if waiting[caller] == 0 {
                order.push(caller);
            }
        }
    }
    order
}
