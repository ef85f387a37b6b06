//! Gates between blocks: where a switch decides whether a packet goes on.

use ir::VariableId;
use runtime::arithmetic;

/// The place between two blocks at which a packet goes on to a port if nothing else is asked for it, and otherwise returns to
/// the switch.
///
/// It stands for what a switch does between ingress and egress with nearly every packet, so that an executor need not come back
/// for it. Its variables have at least one bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The variable that has the number of the port to which the packet goes.
    pub port: VariableId,
    /// The number of ports, numbered from 0. Packets to others do not pass.
    pub ports: u64,
    /// The conditions that hold for every packet that passes.
    pub conditions: Vec<Condition>,
    /// The variables that are set when a packet passes, in order.
    pub assignments: Vec<(VariableId, Assigned)>,
}

/// A condition on the low 64 bits of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The variable.
    pub variable: VariableId,
    /// The value that it is compared with.
    pub value: u64,
    /// Whether it must have the value, or any other one.
    pub is_equal: bool,
}

/// A value that a variable gets at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// A constant, which fits into the variable.
    Constant(u64),
    /// The lowest bits of the number of the port, as many as this.
    Port(u32),
}

impl Gate {
    /// Returns the port to which a packet passes, or `None` if it does not pass. `low` returns the low 64 bits of a variable. A
    /// packet that has made requests never passes; the caller knows whether it has.
    #[inline(always)] // A call costs a third of what it does.
    pub fn opens(&self, low: impl Fn(VariableId) -> u64) -> Option<u64> {
        let holds = |condition: &Condition| (low(condition.variable) == condition.value) == condition.is_equal;
        let port = low(self.port);
        (port < self.ports && self.conditions.iter().all(holds)).then_some(port)
    }

    /// Calls `set` for each variable that is set when a packet passes to a port, with its new value.
    #[inline]
    pub fn assign(&self, port: u64, mut set: impl FnMut(VariableId, u64)) {
        for &(variable, assigned) in &self.assignments {
            set(
                variable,
                match assigned {
                    Assigned::Constant(value) => value,
                    Assigned::Port(width) => arithmetic::truncate(port, width),
                },
            );
        }
    }
}
