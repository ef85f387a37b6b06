//! The check that a queue has room for the packets that go through it. Without it, senders would forever retransmit
//! packets that can never pass.

use queues::{BufferPlan, ClassMap, DisciplinePlan, TrimmedQueue};
use wire::dscp;

use plans::Section;

/// The size on the wire, in bytes, of the shortest packets that transports send: acknowledgements and the like in a
/// minimum-size Ethernet frame.
const SHORT: u64 = 84;

/// Reports an error if there is not room for one data packet, or for one control packet. A full packet takes `packet`
/// bytes on the wire.
pub(super) fn check(section: &Section<'_>, discipline: &DisciplinePlan, buffer: &BufferPlan, packet: u64) {
    let is_lossless = |point: u8| {
        let lossless = buffer.flow_control.as_ref();
        lossless.is_some_and(|plan| plan.lossless >> (plan.priorities.class(point) & 7) & 1 != 0)
    };
    let kinds = [(dscp::DATA, packet, "data"), (dscp::CONTROL, SHORT.min(packet), "control packets")];
    for (point, bytes, what) in kinds {
        // Packets of lossless priorities are accounted at the ingress port, so this limit does not apply to them.
        if is_lossless(point) {
            continue;
        }
        if let Some((room, is_trimmed)) = least_room(discipline, buffer, point).filter(|&(room, _)| room < bytes) {
            let message = match is_trimmed {
                false => format!("a queue of {} has no room for one packet of {what}", units::bytes_text(room)),
                true => format!("a queue of {} for data trims every packet of {what}", units::bytes_text(room)),
            };
            let hint = format!("use at least 1 packet, which takes {} on the wire", units::bytes_text(bytes));
            section.error(&span_of_room(section), message, hint);
            return;
        }
        if let Some(total) = buffer.total.filter(|&total| total < bytes) {
            let message =
                format!("a shared buffer of {} has no room for one packet of {what}", units::bytes_text(total));
            let hint = format!("use at least 1 packet, which takes {} on the wire", units::bytes_text(bytes));
            section.error(section.span(), message, hint);
            return;
        }
    }
}

/// Returns the limit in bytes of the queue for a code point, and whether packets that exceed it are trimmed; `None` if
/// there is no such queue.
fn least_room(discipline: &DisciplinePlan, buffer: &BufferPlan, point: u8) -> Option<(u64, bool)> {
    let class = |map: &ClassMap, classes: usize| Some(usize::from(map.class(point)).min(classes.checked_sub(1)?));
    match discipline {
        DisciplinePlan::DropTail { limit } | DisciplinePlan::Ecn { limit, .. } => Some((*limit, false)),
        DisciplinePlan::Decided(parameters) => Some((parameters.room_for(point), false)),
        DisciplinePlan::Trimming(plan) if plan.control.contains(point) => Some(match plan.trimmed {
            TrimmedQueue::Same { limit } | TrimmedQueue::Priority { limit, .. } => (limit, false),
        }),
        DisciplinePlan::Trimming(plan) => Some((plan.data, true)),
        DisciplinePlan::StrictPriorities { map, classes } => {
            least_room(&classes[class(map, classes.len())?], buffer, point)
        }
        DisciplinePlan::WeightedFair { map, classes } => {
            least_room(&classes[class(map, classes.len())?].discipline, buffer, point)
        }
        DisciplinePlan::Scheduler(plan) => {
            let queue = &plan.queues[class(&plan.map, plan.queues.len())?];
            let cell = buffer.cells.as_ref().map_or(1, |cells| u64::from(cells.size));
            // A dynamic threshold stops a queue only when it holds something.
            let limit = queue.room.limit.filter(|_| queue.room.alpha.is_none())?;
            Some((queue.room.reserved.saturating_add(limit).saturating_mul(cell), false))
        }
    }
}

/// Returns the place of the entry that sets the limit, or of the section if there is none.
fn span_of_room(section: &Section<'_>) -> std::ops::Range<usize> {
    let fields = ["limit", "threshold", "trimmed_limit"];
    fields.into_iter().find(|name| section.has(name)).map_or(section.span().clone(), |name| section.span_of(name))
}
