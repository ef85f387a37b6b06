//! The memory that the ports of a switch share: `total` and `alpha`, or cells and pools.

use plans::Section;

use crate::{BufferPlan, CellPlan};

/// Reads the memory that the ports of a switch share, and appends the text of the section to `text`. A full packet takes
/// `packet` bytes on the wire. What the plan says in `flow_control` is read elsewhere.
///
/// The entries are `total` and `alpha`, of which the first must be given, or else `cell` (80 B) and `[[pool]]` sections,
/// each with its `size`, for schedulers.
pub fn memory(section: Section<'_>, packet: u64, text: &mut String) -> BufferPlan {
    let mut buffer = BufferPlan::default();
    let mut below = String::new();
    if section.is_given() {
        buffer.cells = cells(&section, &mut below);
        if buffer.cells.is_none() {
            section.require("total", "the memory that all ports share: total = \"16 MiB\"");
        }
        if buffer.cells.is_none() || section.has("total") {
            buffer.total = section.optional_amount("total").map(|total| total.bytes(packet));
            buffer.alpha = section.number("alpha", 0.0..=1000.0, 1.0);
        }
    }
    section.end(text);
    text.push_str(&below);
    buffer
}

/// Reads memory in cells; `None` if there is none.
fn cells(section: &Section<'_>, text: &mut String) -> Option<CellPlan> {
    let pools = section.sections("pool");
    if pools.is_empty() && !section.has("cell") {
        return None;
    }
    let usual = CellPlan::default();
    let size = section.bytes("cell", 1..=65_535, u64::from(usual.size));
    if pools.is_empty() {
        let hint = format!("add [[{}]] with its `size`, such as \"20 MB\", for each", section.path_of("pool"));
        section.error(&section.span_of("cell"), "memory in cells needs a pool", hint);
        return Some(usual);
    }
    let pool = |section: Section<'_>| {
        section.require("size", "the memory of the pool: size = \"20 MB\"");
        let bytes = section.bytes("size", size..=u64::MAX, usual.pools[0] * u64::from(usual.size));
        section.end(text);
        bytes / size
    };
    let pools = pools.into_iter().map(pool).collect();
    Some(CellPlan { size: size as u32, pools })
}
