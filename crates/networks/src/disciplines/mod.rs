//! The queue disciplines that plans can name: `queue` of `[switch]` and of its classes.
//!
//! A discipline is a [`DisciplineKind`]: it has a name, and turns the entries of its section into a plan of queues.
//! [`ALL`] lists those of Polyplane; a [`Registry`](crate::Registry) may have others.

mod classes;
mod code_points;
mod drop_tail;
mod ecn;
mod red;
mod scheduler;
mod trimming;

use plans::{Amount, Section};
use queues::DisciplinePlan;

pub(crate) use code_points::code_points;

/// Every queue discipline of Polyplane.
pub static ALL: [&dyn DisciplineKind; 9] = [
    &trimming::TRIMMING,
    &trimming::CUT_PAYLOAD,
    &trimming::SOURCE_FLOW_CONTROL,
    &drop_tail::DropTail,
    &ecn::Ecn,
    &red::Red,
    &classes::STRICT_PRIORITIES,
    &classes::WEIGHTED_FAIR,
    &scheduler::Scheduler,
];

/// The discipline of a class that names none.
const USUAL_OF_CLASSES: &str = "trimming";

/// A queue discipline that plans can name.
pub trait DisciplineKind: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &'static str;

    /// Returns true if its packets wait in classes, each with a discipline of its own. A class cannot contain classes.
    fn has_classes(&self) -> bool {
        false
    }

    /// Reads the entries of the discipline, and reports errors to the section, each at the place of its entry.
    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan;
}

/// The context in which the entries of a discipline are read.
pub struct QueueReading<'r> {
    /// The disciplines that can be named.
    kinds: &'r [&'static dyn DisciplineKind],
    /// The size of a full packet on the wire, in bytes.
    packet: u64,
    /// The text of classes, which follows that of their switch in the plan.
    text: &'r mut String,
}

impl QueueReading<'_> {
    /// Returns the size of a full packet of the network's transports on the wire, in bytes.
    pub fn packet(&self) -> u64 {
        self.packet
    }

    /// Reads a room or a threshold in bytes on the wire, which a plan may also give in full packets; without the entry, it
    /// is so many full packets.
    pub fn amount(&self, section: &Section<'_>, name: &'static str, packets: u64) -> u64 {
        section.amount(name, Amount::Packets(packets)).bytes(self.packet)
    }
}

/// Reads the discipline of a switch, by default the one that `usual` names. A full packet takes `packet` bytes on the wire.
/// The text of classes is appended to `text`.
///
/// # Panics
/// Panics if none of `kinds` is called `usual`.
pub fn discipline(
    section: &Section<'_>,
    kinds: &[&'static dyn DisciplineKind],
    packet: u64,
    usual: &str,
    text: &mut String,
) -> DisciplinePlan {
    read(section, usual, false, &mut QueueReading { kinds, packet, text })
}

/// Reads the discipline of a switch or of a class.
fn read(section: &Section<'_>, usual: &str, is_class: bool, reading: &mut QueueReading<'_>) -> DisciplinePlan {
    let errors = section.errors();
    let named: Vec<(&str, &dyn DisciplineKind)> = reading.kinds.iter().map(|kind| (kind.name(), *kind)).collect();
    let kind = section.choice("queue", &named, usual);
    if is_class && kind.has_classes() {
        let hint = "use a queue without classes, such as trimming or drop-tail";
        section.error(&section.span_of("queue"), "a class cannot contain classes", hint);
        return DisciplinePlan::trimming(8 * reading.packet);
    }
    let discipline = kind.read(section, reading);
    // Classes report their own problems, and values that stand in for wrong ones must not be reported.
    if section.errors() == errors && !kind.has_classes() {
        for problem in discipline.problems() {
            section.error(section.span(), problem, "docs/queues.md describes the fields of each queue");
        }
    }
    discipline
}
