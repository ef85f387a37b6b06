//! `[[encryption]]`.

use std::ops::Range;

use plans::Section;

use super::names::Names;
use super::vpc;
use crate::configuration::Encryption;

/// The encryption of a VPC, and where its file is named.
pub struct Placed {
    pub value: Encryption,
    pub file: Range<usize>,
    /// The place of the VPC's name.
    pub vpc: Range<usize>,
}

pub fn read(section: Section<'_>, names: &Names, vpcs: &[vpc::Placed], text: &mut String) -> Option<Placed> {
    section.require("vpc", "the VPC: vpc = \"…\"");
    section.require("keys", "the file with its keys: keys = \"red.keys\"");
    let vpc = section.text("vpc").and_then(|(name, span)| names.find(&section, &name, &span));
    let file = section.text("keys");
    let is_demanded = section.flag("demanded", true);
    let place = section.span_of("vpc");
    section.end(text);
    let (file, span) = file?;
    let value = Encryption { vni: vpcs[vpc?].value.vni, file, is_demanded, keys: None };
    Some(Placed { value, file: span, vpc: place })
}
