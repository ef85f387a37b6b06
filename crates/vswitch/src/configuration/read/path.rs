//! `[path]`.

use std::ops::Range;

use plans::Section;

use crate::MOST_CORES;
use crate::configuration::PathOptions;

/// The most places of the index of flows, of 8 bytes each.
const MOST_PLACES: u64 = 1 << 24;

/// Reads the options, with the place of `xdp`.
pub fn read(section: Section<'_>, text: &mut String) -> (PathOptions, Range<usize>) {
    let options = PathOptions {
        cores: section.count("cores", 1..=MOST_CORES.into(), 1) as u16,
        flow_index: section.count("flow_index", 0..=MOST_PLACES, 0) as u32,
        vectors: section.flag("vectors", false),
        slicing: section.flag("slicing", false),
        congestion: section.flag("congestion", false),
        xdp: section.flag("xdp", false),
        spin: section.spin("spin"),
        decide_each_packet: section.flag("decide_each_packet", false),
    };
    let place = section.span_of("xdp");
    section.end(text);
    (options, place)
}
