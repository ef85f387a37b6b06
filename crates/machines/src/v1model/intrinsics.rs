//! The intrinsic metadata that the switch sets and reads.

use arch::{Dropped, Instance, IntrinsicValue, Points, Ports};
use ir::{Program, VariableId};
use runtime::arithmetic;

use super::reads;
use crate::blocks::{Assigned, Condition, Frame, Gate};

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
            group: named(architecture.group.filter(|group| {
                // Without multicast, nobody needs to look at the group.
                program.intrinsic(group).is_some_and(|variable| reads::is_written(program, variable))
            })),
            copy: named(architecture.copy),
            dropped: (Intrinsic::new(program, Some(variable)), value, has),
            metadata,
        }
    }

    /// Returns the variable by which a program drops packets.
    pub(super) fn variable_of_drop(&self) -> Option<VariableId> {
        self.dropped.0.0.map(|(variable, _)| variable)
    }

    /// Returns the gate that does what the switch does between ingress and egress with a packet that goes to one port and does
    /// not wait. `is_read` says whether anything behind the gate reads a variable. Returns `None` if more has to be done than a
    /// gate does: if the variables need values that are not known before the packet arrives.
    pub(super) fn gate(
        &self,
        architecture: &arch::Architecture,
        ports: &Ports,
        is_read: impl Fn(VariableId) -> bool,
    ) -> Option<Gate> {
        let (dropped, value, has) = self.dropped;
        let equals = |(Intrinsic(variable), value, is_equal)| {
            variable.map(|(variable, _)| Condition { variable, value, is_equal })
        };
        let conditions = [(self.group, 0, true), (dropped, value, !has)].into_iter().filter_map(equals).collect();
        let Points { after_ingress, before_queue, before_egress, .. } = &self.metadata;
        let mut assignments = Vec::new();
        for (intrinsic, source) in after_ingress.iter().chain(before_queue).chain(before_egress) {
            let Some((variable, greatest)) = intrinsic.0.filter(|(variable, _)| is_read(*variable)) else { continue };
            let constant = |value| Assigned::Constant(value & greatest);
            let assigned = match *source {
                IntrinsicValue::Constant(value) => constant(value),
                IntrinsicValue::Instance => constant(architecture.instance(Instance::Normal)),
                IntrinsicValue::QueueDepth | IntrinsicValue::QueueTime => constant(0),
                IntrinsicValue::DeparturePort => Assigned::Port(greatest.count_ones()),
                _ => return None,
            };
            assignments.push((variable, assigned));
        }
        Some(Gate { port: self.destination.0?.0, ports: ports.usable.into(), conditions, assignments })
    }

    /// Returns true if the program drops the packet.
    #[inline]
    pub(super) fn drop(&self, packet: &impl Frame) -> bool {
        let (intrinsic, value, has) = self.dropped;
        (intrinsic.get(packet) == value) == has
    }
}
