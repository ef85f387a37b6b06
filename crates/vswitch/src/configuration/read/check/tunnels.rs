//! Tunnels and other ways that carry IPv6.

use plans::Section;

use super::{LEAST_OF_IPV6, vpc};
use crate::configuration::{Configuration, Vpc};

/// Reports routes of IPv6 that do not carry what every link of IPv6 must. `places` are those of the routes of each VPC.
pub fn tunnels(root: &Section<'_>, configuration: &Configuration, places: &[Vec<vpc::RoutePlaces>]) {
    for (Vpc { vni, routes, .. }, places) in configuration.vpcs.iter().zip(places) {
        for (route, places) in routes.iter().zip(places).filter(|(route, _)| route.prefix.of_ipv4().is_none()) {
            let hint = || format!("at least {LEAST_OF_IPV6} (RFC 8200, section 5)");
            if let Some(mtu) = route.mtu.filter(|mtu| *mtu < LEAST_OF_IPV6) {
                root.error(&places.mtu, format!("a route of IPv6 that carries packets of {mtu} bytes"), hint());
                continue;
            }
            let (Some(endpoint), Some(underlay)) = (route.endpoint(), &configuration.underlay) else { continue };
            let carried = configuration.tunnel_mtu(*vni, endpoint);
            if carried < LEAST_OF_IPV6 {
                let message = format!(
                    "the tunnel to {endpoint} carries packets of {carried} bytes, and IPv6 needs {LEAST_OF_IPV6}"
                );
                let enough = underlay.mtu + LEAST_OF_IPV6 - carried;
                let hint = format!("`mtu` of [underlay] must be at least {enough} (RFC 8200, section 5)");
                root.error(&places.target, message, hint);
            }
        }
    }
}
