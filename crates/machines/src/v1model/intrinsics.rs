//! What the switch tells the program of a packet, and what it is told by it.

use arch::{Dropped, Points, Ports, Value};
use ir::{Program, VariableId};
use runtime::arithmetic;

use super::frame::Frame;

/// An intrinsic variable, if the program has it, with the greatest value that 64 bits of it can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intrinsic(Option<(VariableId, u64)>);

/// The intrinsic variables that the switch reads to learn where a packet goes, and those in which it tells the program
/// something.
#[derive(Debug)]
pub(super) struct Intrinsics {
    pub(super) destination: Intrinsic,
    pub(super) group: Intrinsic,
    pub(super) copy: Intrinsic,
    /// What drops a packet: a variable that has this value, or another one than this.
    dropped: (Intrinsic, u64, bool),
    /// In the order of each point; only those that somebody looks at.
    pub(super) told: Points<Vec<(Intrinsic, Value)>>,
}

impl Intrinsic {
    fn new(program: &Program, variable: Option<VariableId>) -> Self {
        let greatest = |variable| arithmetic::mask(program.variable(variable).ty.width().min(64));
        Self(variable.map(|variable| (variable, greatest(variable))))
    }

    /// Gives it a value, which its type cuts.
    pub(super) fn set(self, packet: &mut impl Frame, value: u64) {
        if let Some((variable, greatest)) = self.0 {
            packet.set(variable, value & greatest);
        }
    }

    /// Its value; 0 if the program does not have it.
    pub(super) fn get(self, packet: &impl Frame) -> u64 {
        self.0.map_or(0, |(variable, _)| packet.low(variable))
    }
}

impl Intrinsics {
    /// Those of a program. `is_read` says whether anybody but the switch looks at what a variable is told.
    pub(super) fn new(
        architecture: &arch::Architecture,
        program: &Program,
        ports: &Ports,
        is_read: impl Fn(VariableId, Value) -> bool,
    ) -> Self {
        let named = |name: Option<&str>| Intrinsic::new(program, name.and_then(|name| program.intrinsic(name)));
        let (variable, value, has) = match ports.dropped {
            Dropped::Port(port) => (ports.destination, port, true),
            Dropped::Flag(flag) => (flag, 0, false),
        };
        let own = [ports.destination, variable];
        let told = architecture.told_to(program).map(|told| {
            let told = told.into_iter();
            let seen = told.filter(|&(variable, value)| own.contains(&variable) || is_read(variable, value));
            let known = |value| match value {
                Value::AfterDropPort => Value::Constant(ports.after_drop_port()),
                other => other,
            };
            seen.map(|(variable, value)| (Intrinsic::new(program, Some(variable)), known(value))).collect()
        });
        Self {
            destination: Intrinsic::new(program, Some(ports.destination)),
            group: named(architecture.group),
            copy: named(architecture.copy),
            dropped: (Intrinsic::new(program, Some(variable)), value, has),
            told,
        }
    }

    /// Whether the program drops a packet.
    pub(super) fn drop(&self, packet: &impl Frame) -> bool {
        let (intrinsic, value, has) = self.dropped;
        (intrinsic.get(packet) == value) == has
    }
}
