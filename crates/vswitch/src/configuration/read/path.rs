//! `[path]`.

use plans::Section;

use crate::configuration::PathOptions;

/// The most places of the index of flows: as many flows as there can be sessions with two directions.
const MOST_PLACES: u64 = 1 << 26;

pub fn read(section: Section<'_>, text: &mut String) -> PathOptions {
    let options = PathOptions {
        flow_index: section.count("flow_index", 0..=MOST_PLACES, 0) as u32,
        vectors: section.flag("vectors", false),
        slicing: section.flag("slicing", false),
        congestion: section.flag("congestion", false),
    };
    section.end(text);
    options
}
