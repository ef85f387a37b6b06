//! `[[security_group]]`, with its rules.

use plans::Section;

use super::names::Names;
use super::values::{ports, prefix_of, prefixes, protocol};
use crate::configuration::{Direction, Peer, SecurityGroup, SecurityRule};

pub fn read(section: Section<'_>, names: &Names, text: &mut String) -> SecurityGroup {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    let members = prefixes(&section, "members");
    let mut below = String::new();
    let rules = section.sections("rule").into_iter().filter_map(|section| rule(section, names, &mut below)).collect();
    section.end(text);
    text.push_str(&below);
    SecurityGroup { name, rules, members }
}

fn rule(section: Section<'_>, names: &Names, text: &mut String) -> Option<SecurityRule> {
    section.require("direction", "who begins the session: direction = \"in\" or \"out\"");
    let direction = section.choice("direction", &[("in", Direction::In), ("out", Direction::Out)], "in");
    let protocol = protocol(&section, "protocol");
    let range = ports(&section, "ports");
    let has_ports = matches!(protocol, Some(wire::protocol::TCP | wire::protocol::UDP | wire::protocol::SCTP))
        || matches!(protocol, Some(wire::protocol::UDP_LITE | wire::protocol::DCCP));
    if range.is_some() && !has_ports {
        let hint = "name a protocol with ports, such as protocol = \"tcp\", or leave out `ports`";
        section.error(&section.span_of("ports"), "`ports` of a protocol without ports", hint);
    }
    let peer = peer(&section, names);
    let priority = section.count("priority", 1..=u64::from(u16::MAX), 1000) as u16;
    let allows = section.choice("action", &[("allow", true), ("deny", false)], "allow");
    section.end(text);
    Some(SecurityRule { direction, protocol, ports: range, peer: peer?, priority, allows })
}

/// Reads the other side: `any`, a prefix, or `group:NAME`.
fn peer(section: &Section<'_>, names: &Names) -> Option<Peer> {
    let Some((text, span)) = section.text("peer") else { return Some(Peer::Any) };
    if text == "any" {
        return Some(Peer::Any);
    }
    if let Some(name) = text.strip_prefix("group:") {
        return names.find(section, name, &span).map(Peer::Group);
    }
    prefix_of(section, &text, &span).map(Peer::Prefix)
}
