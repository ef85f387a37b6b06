//! Checks of conditions between the parts of a plan.

use std::collections::BTreeMap;

use super::name::{self, LONGEST_INTERFACE};
use super::read::{Draft, Found, end};
use super::{End, LabPlan, LinkPlan};

/// Checks that names can be used and are unique.
pub(super) fn names(draft: &Draft, found: &mut Found) {
    let hosts = draft.hosts.iter().map(|host| (&host.name, &host.place));
    let switches = draft.switches.iter().map(|switch| (&switch.plan.name, &switch.plan.place));
    let mut seen = BTreeMap::new();
    for (given, place) in hosts.chain(switches) {
        if let Some(wanted) = name::problem(given) {
            found.error(place, format!("`{given}` cannot be the name of a host or a switch"), wanted);
        }
        if seen.insert(given, place).is_some() {
            found.error(place, format!("`{given}` is there already"), "give each host and switch a name of its own");
        }
    }
    if draft.switches.is_empty() {
        found.error(&(0..0), "the lab has no switch", "docs/lab.md shows a plan");
    }
}

/// Returns the links between hosts and switches that exist; a host is the first end.
pub(super) fn links(draft: &Draft, found: &mut Found) -> Vec<LinkPlan> {
    let mut links = Vec::new();
    for link in &draft.links {
        let mut ends = Vec::new();
        for (text, place) in &link.ends {
            match end(text, draft) {
                Ok(end) => ends.push(end),
                Err(hint) => found.error(place, format!("`{text}` is no end of a link"), hint),
            }
        }
        ends.sort_by_key(|end| matches!(end, End::Switch(..)));
        match ends[..] {
            [End::Host(_), End::Host(_)] => {
                let hint = "connect each host to a switch";
                found.error(&link.place, "a link connects two hosts without a switch between them", hint);
            }
            [one, other] => {
                let (rate, delay, place) = (link.rate, link.delay, link.place.clone());
                links.push(LinkPlan { ends: [one, other], rate, delay, place });
            }
            _ => {}
        }
    }
    links
}

/// Checks that each port and each host has one link, unless links are missing that could not be read, and that the interfaces of ports can have their names.
pub(super) fn ends(plan: &LabPlan, has_all_links: bool, found: &mut Found) {
    let mut taken = BTreeMap::new();
    for link in &plan.links {
        for end in link.ends {
            let text = plan.end_name(end);
            if taken.insert(end, ()).is_some() {
                let hint = match end {
                    End::Host(_) => "a host has one interface, eth0: leave one link out",
                    End::Switch(..) => "choose another port",
                };
                found.error(&link.place, format!("`{text}` has a link already"), hint);
            }
            if text.len() > LONGEST_INTERFACE && matches!(end, End::Switch(..)) {
                let hint =
                    format!("an interface has at most {LONGEST_INTERFACE} characters: shorten the switch's name");
                found.error(&link.place, format!("no interface can be called `{text}`"), hint);
            }
        }
    }
    for (number, host) in plan.hosts.iter().enumerate() {
        // The link of the host may be one of those that could not be read.
        if has_all_links && !taken.contains_key(&End::Host(number)) {
            found.error(&host.place, format!("the host `{}` has no link", host.name), "connect it, or leave it out");
        }
    }
}
