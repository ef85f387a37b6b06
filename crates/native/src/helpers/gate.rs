//! The gate between two blocks of a list.

use ir::VariableId;
use machines::blocks::Gate;

use crate::context::{Context, Words};

/// Returns 1 if the packet passes the gate of the list that is run, otherwise 0.
pub(super) extern "C" fn pass(context: &mut Context<'_, '_>) -> u64 {
    pass_gate(context).into()
}

/// Lets the packet pass the gate of the list that is run, if it may. Returns whether it did.
#[inline]
pub(crate) fn pass_gate(context: &mut Context<'_, '_>) -> bool {
    let Some((_, gate)) = context.gate.filter(|_| context.requests.is_empty()) else { return false };
    context.passed = gate.opens(|variable| {
        let (words, count) = place(context, variable);
        words.read(count)[0]
    });
    let Some(port) = context.passed else { return false };
    if !gate.assignments.is_empty() {
        assign(context, gate, port);
    }
    true
}

/// Sets the variables that are set when the packet passes to a port.
#[inline(never)] // Most gates set none.
fn assign(context: &Context<'_, '_>, gate: &Gate, port: u64) {
    gate.assign(port, |variable, value| {
        let (words, count) = place(context, variable);
        let words = words.write(count);
        words.fill(0);
        words[0] = value;
    });
}

/// Returns the words of a variable and their number.
#[inline]
fn place(context: &Context<'_, '_>, variable: VariableId) -> (Words, u64) {
    let place = context.plan.layout.place(variable);
    (context.variable(place.start as u32), place.len() as u64)
}
