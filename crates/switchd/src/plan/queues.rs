//! `[queues]`: what waits behind the ports, as in plans of networks.

use plans::Section;

use super::QueuesPlan;

/// The bytes of a full packet on the wire, of which rooms may be multiples: 1514 bytes of Ethernet, its check sequence,
/// preamble and gap.
const FULL_PACKET: u64 = 1538;
/// The discipline if the section names none.
const USUAL: &str = "drop-tail";

/// Reads the queues; `None` if there is no such section.
pub(super) fn queues(section: Section<'_>, text: &mut String) -> Option<QueuesPlan> {
    if !section.is_given() {
        return None;
    }
    let mut below = String::new();
    let kinds = networks::disciplines::ALL;
    let discipline = networks::disciplines::discipline(&section, &kinds, FULL_PACKET, USUAL, &mut below);
    let memory = section.section("buffer");
    let place = memory.span().clone();
    let buffer = queues::read::memory(memory, FULL_PACKET, &mut below);
    let conflicts = buffer.conflicts([&discipline]);
    for problem in buffer.problems().into_iter().chain(conflicts) {
        section.error(&place, problem, "docs/queues.md describes the fields of buffers");
    }
    section.end(text);
    text.push_str(&below);
    Some(QueuesPlan { discipline, buffer })
}
