//! Which end of a packet on a machine belongs to which expected one, where the order of its ends is the machine's choice.

use std::collections::BTreeMap;

use node::Reason;
use wire::Packet;

use crate::difference::{self, Fate};
use crate::reference::PacketEnd;
use crate::replay::ThreadReasons;
use crate::tape::{Tape, Taped};

/// An end of a packet on a machine.
#[derive(Clone, Copy)]
enum MachineEnd<'t> {
    Leaves(u16, &'t Packet),
    Dropped(Reason),
}

/// Puts the expected ends of each packet in the order of those on the machine to which they belong, as well as that can be; those
/// that are missing on the machine come last. A packet for which the machine had no thread, no room or no port is expected to be
/// dropped. Calls `differs` with a sentence if a packet is dropped for another reason.
pub(crate) fn arrange(
    expected: &mut BTreeMap<u64, Vec<PacketEnd>>,
    tape: &Tape,
    reasons: &ThreadReasons,
    mut differs: impl FnMut(String),
) {
    let mut machine: BTreeMap<u64, Vec<MachineEnd<'_>>> = BTreeMap::new();
    for taped in tape.iter() {
        let (packet, end) = match taped {
            Taped::Transmitted(sent) => (&sent.packet, MachineEnd::Leaves(sent.port.0, &sent.packet)),
            Taped::Discarded(_, discarded) => (&discarded.packet, MachineEnd::Dropped(discarded.reason)),
            _ => continue,
        };
        machine.entry(packet.sidecar.id).or_default().push(end);
    }
    machine.remove(&wire::Sidecar::MADE);
    for (sequence, ends) in machine {
        let own = expected.entry(sequence).or_default();
        let paired = pair(std::mem::take(own), &ends, reasons);
        for (end, machine) in paired.iter().zip(&ends) {
            if let (Some(reason), MachineEnd::Dropped(dropped)) = (end.reason, machine)
                && reason != *dropped
            {
                differs(format!(
                    "packet {sequence} should be dropped because of: {reason}; the machine says: {dropped}"
                ));
            }
        }
        *own = paired;
    }
}

fn pair(mut expected: Vec<PacketEnd>, machine: &[MachineEnd<'_>], reasons: &ThreadReasons) -> Vec<PacketEnd> {
    let mut pairs: Vec<Option<PacketEnd>> = machine.iter().map(|_| None).collect();
    // The better an expected end fits, the earlier it is taken.
    let fits: [fn(&PacketEnd, &MachineEnd<'_>) -> bool; 4] = [
        |end, machine| match (end.fate, machine) {
            (Fate::Leaves { port }, MachineEnd::Leaves(own, packet)) => {
                port == *own && difference::bytes(&end.packet, packet).is_none()
            }
            (Fate::Dropped, MachineEnd::Dropped(reason)) => end.reason == Some(*reason),
            _ => false,
        },
        |end, machine| match (end.fate, machine) {
            (Fate::Leaves { port }, MachineEnd::Leaves(own, _)) => port == *own,
            (Fate::Dropped, MachineEnd::Dropped(_)) => true,
            _ => false,
        },
        |end, machine| matches!((end.fate, machine), (Fate::Leaves { .. }, MachineEnd::Leaves(..))),
        |_, _| true,
    ];
    for fit in fits {
        for (place, end) in pairs.iter_mut().zip(machine).filter(|(place, _)| place.is_none()) {
            if let Some(at) = expected.iter().position(|own| fit(own, end)) {
                *place = Some(expected.remove(at));
            }
        }
    }
    let paired = pairs.into_iter().zip(machine).filter_map(|(end, machine)| match (end, machine) {
        // It was lost around its thread.
        (Some(end), MachineEnd::Dropped(reason)) if !reasons.has(*reason) && end.reason.is_none() => {
            Some(PacketEnd { fate: Fate::Dropped, ..end })
        }
        // No thread began for it.
        (None, MachineEnd::Dropped(reason)) if !reasons.has(*reason) => {
            Some(PacketEnd { fate: Fate::Dropped, packet: Packet::of_bytes(&[]), reason: None })
        }
        (end, _) => end,
    });
    paired.chain(expected).collect()
}
