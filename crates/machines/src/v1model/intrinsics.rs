//! The intrinsic metadata that the switch sets and reads.

use arch::{Dropped, IntrinsicValue, Points, Ports};
use ir::{Program, VariableId};
use runtime::arithmetic;

use crate::blocks::Frame;

/// An intrinsic variable, if the program has it, and a mask of its lowest 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intrinsic(Option<(VariableId, u64)>);

/// The intrinsic variables that the switch reads to determine the destination of a packet, and those that it sets.
#[derive(Debug)]
pub(super) struct Intrinsics {
    pub(super) destination: Intrinsic,
    pub(super) group: Intrinsic,
    pub(super) copy: Intrinsic,
    /// The drop condition: a variable, a value, and whether the packet is dropped if they are equal or if they differ.
    dropped: (Intrinsic, u64, bool),
    /// The variables that are set at each point, in order; only those that somebody reads.
    pub(super) metadata: Points<Vec<(Intrinsic, IntrinsicValue)>>,
}

impl Intrinsic {
    fn new(program: &Program, variable: Option<VariableId>) -> Self {
        let greatest = |variable| arithmetic::mask(program.variable(variable).ty.width().min(64));
        Self(variable.map(|variable| (variable, greatest(variable))))
    }

    /// Sets the variable, truncating the value to its type.
    pub(super) fn set(self, packet: &mut impl Frame, value: u64) {
        if let Some((variable, greatest)) = self.0 {
            packet.set(variable, value & greatest);
        }
    }

    /// Returns the value, or 0 if the program does not have the variable.
    #[inline(always)] // Called several times for every packet; a call costs as much as the value.
    pub(super) fn get(self, packet: &impl Frame) -> u64 {
        match self.0 {
            Some((variable, _)) => packet.low(variable),
            None => 0,
        }
    }
}

impl Intrinsics {
    /// Collects the intrinsic variables of a program. `is_read` says whether anyone but the switch reads a variable and
    /// the value that is assigned to it.
    pub(super) fn new(
        architecture: &arch::Architecture,
        program: &Program,
        ports: &Ports,
        is_read: impl Fn(VariableId, IntrinsicValue) -> bool,
    ) -> Self {
        let named = |name: Option<&str>| Intrinsic::new(program, name.and_then(|name| program.intrinsic(name)));
        let (variable, value, has) = match ports.dropped {
            Dropped::Port(port) => (ports.destination, port, true),
            Dropped::Flag(flag) => (flag, 0, false),
        };
        let own = [ports.destination, variable];
        let metadata = architecture.metadata_of(program).map(|assignments| {
            let assignments = assignments.into_iter();
            let seen = assignments.filter(|&(variable, value)| own.contains(&variable) || is_read(variable, value));
            let known = |value| match value {
                IntrinsicValue::AfterDropPort => IntrinsicValue::Constant(ports.after_drop_port()),
                other => other,
            };
            seen.map(|(variable, value)| (Intrinsic::new(program, Some(variable)), known(value))).collect()
        });
        Self {
            destination: Intrinsic::new(program, Some(ports.destination)),
            group: named(architecture.group),
            copy: named(architecture.copy),
            dropped: (Intrinsic::new(program, Some(variable)), value, has),
            metadata,
        }
    }

    /// Returns true if the program drops the packet.
    #[inline]
    pub(super) fn drop(&self, packet: &impl Frame) -> bool {
        let (intrinsic, value, has) = self.dropped;
        (intrinsic.get(packet) == value) == has
    }
}
