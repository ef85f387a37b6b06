//! `[[mirror]]`.

use std::ops::Range;

use plans::Section;

use super::names::Names;
use super::values::{address, ports, prefix, protocol};
use crate::configuration::{Course, Mirror, MirrorTarget, Prefix};

/// A mirror, and where its receiver stands.
pub struct Placed {
    pub value: Mirror,
    pub target: Range<usize>,
}

/// The directions of packets that a mirror may have.
const COURSES: [(&str, &[Course]); 3] =
    [("both", &[Course::Egress, Course::Ingress]), ("egress", &[Course::Egress]), ("ingress", &[Course::Ingress])];
/// The shortest copies: Ethernet, IPv6 and ports.
const SHORTEST: u64 = 64;

pub fn read(section: Section<'_>, vnics: &Names, text: &mut String) -> Option<Placed> {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    section.require("vnic", "the vNIC whose packets are copied: vnic = \"…\"");
    let find = |(name, span): (String, Range<usize>)| vnics.find(&section, &name, &span);
    let vnic = section.text("vnic").and_then(find);
    let courses = section.choice("direction", &COURSES, "both").to_vec();
    let protocol = protocol(&section, "protocol");
    let ports = ports(&section, "ports");
    let peer = prefix(&section, "peer").map_or(Prefix::ALL, |(prefix, _)| prefix);
    let length = section.optional_count("length", SHORTEST..=65_535).map(|length| length as u32);
    let to = section.text("to");
    let endpoint = address(&section, "endpoint");
    let vni = section.optional_count("vni", 1..=0xFF_FFFF).map(|vni| vni as u32);
    if section.has("to") == section.has("endpoint") {
        let hint = "give one of `to`, a vNIC of this switch, and `endpoint`, the endpoint of a tunnel";
        section.error(section.span(), "a mirror has one receiver", hint);
    }
    if section.has("endpoint") && vni.is_none() {
        section.require("vni", "the VXLAN network identifier of the copies: vni = 7999");
    }
    let place = section.span_of(if section.has("endpoint") { "endpoint" } else { "to" });
    let target = match (to, endpoint) {
        (Some((name, span)), _) => find((name, span)).map(MirrorTarget::Vnic),
        (None, Some((address, _))) => vni.map(|vni| MirrorTarget::Endpoint { address, vni }),
        (None, None) => None,
    };
    if target.is_some() && vnic.map(MirrorTarget::Vnic) == target {
        section.error(&place, "a vNIC is the receiver of its own copies", "send them to another one");
    }
    section.end(text);
    let value = Mirror { name, vnic: vnic?, courses, protocol, ports, peer, length, target: target? };
    Some(Placed { value, target: place })
}
