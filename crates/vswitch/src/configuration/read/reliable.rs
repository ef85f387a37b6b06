//! `[reliable]`.

use std::ops::Range;

use plans::Section;

use super::values::addresses;
use crate::configuration::ReliableOptions;

/// The options of reliable tunnels, and where their endpoints stand.
pub struct Placed {
    pub value: ReliableOptions,
    pub endpoints: Vec<Range<usize>>,
}

pub fn read(section: Section<'_>, text: &mut String) -> Option<Placed> {
    if !section.is_given() {
        section.end(text);
        return None;
    }
    section.require("endpoints", "the endpoints of other switches that have it too: endpoints = [\"192.0.2.2\"]");
    let (endpoints, places) = addresses(&section, "endpoints").into_iter().unzip();
    let is_demanded = section.flag("demanded", false);
    section.end(text);
    Some(Placed { value: ReliableOptions { endpoints, is_demanded }, endpoints: places })
}
