//! Routes: where they lead, and whether anything takes them.

use std::collections::BTreeSet;

use plans::Section;

use super::{Sections, endpoint, owner, vpc};
use crate::configuration::{Route, RouteTarget, address};

/// Reports routes that lead nowhere, or that no packet takes.
pub fn routes(root: &Section<'_>, sections: &Sections<'_>) {
    for (number, placed) in sections.vpcs.iter().enumerate() {
        // There may be tens of thousands.
        let mut prefixes = BTreeSet::new();
        for (route, places) in placed.value.routes.iter().zip(&placed.routes) {
            if !prefixes.insert(route.prefix) {
                let message = format!("a second route to {}", route.prefix);
                root.error(&places.prefix, message, "a VPC has one route to a prefix");
            }
            // Addresses of this switch go before routes.
            let only = (route.prefix.length() == 128).then(|| address(route.prefix.number()));
            if let Some((address, owner)) = only.and_then(|only| Some((only, owner(sections, number, only)?))) {
                let message = format!("no packet takes the route to {address}, which is the address of {owner}");
                root.error(&places.prefix, message, "leave it out: addresses of this switch go before routes");
            }
            target(root, sections, route, places);
        }
    }
}

/// Reports a route whose target cannot be reached.
fn target(root: &Section<'_>, sections: &Sections<'_>, route: &Route, places: &vpc::RoutePlaces) {
    if sections.underlay.is_none() && route.target != RouteTarget::Blackhole {
        root.error(&places.target, "a way out without an underlay", "add [underlay]");
    }
    match (route.target, sections.underlay) {
        (RouteTarget::Endpoint { address, .. }, Some(underlay)) => endpoint(root, underlay, address, &places.target),
        (RouteTarget::Nat(nat), _) => {
            let is_ipv4 = route.prefix.of_ipv4().is_some();
            let pool = &sections.nats[nat].value;
            if !pool.addresses.is_empty() && !pool.addresses.iter().any(|address| address.is_ipv4() == is_ipv4) {
                let version = if is_ipv4 { "IPv4" } else { "IPv6" };
                let message = format!("the pool `{}` has no address of {version}", pool.name);
                let hint = "addresses are translated within IPv4 or within IPv6: give it one, or use another pool";
                root.error(&places.target, message, hint);
            }
        }
        _ => {}
    }
}
