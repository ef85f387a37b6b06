//! Services of virtual networks: load balancers, and limiters.

use plans::Section;
use runtime::meter::MeterUnit;
use wire::Ethernet;

use super::{Sections, owner};
use crate::configuration::LoadBalancer;

/// Reports addresses of load balancers that others have, and back ends that are no hosts.
pub fn balancers(root: &Section<'_>, sections: &Sections<'_>) {
    for (position, placed) in sections.balancers.iter().enumerate() {
        let own = &placed.value;
        let service = |balancer: &LoadBalancer| (balancer.vpc, balancer.address, balancer.protocol, balancer.port);
        if sections.balancers[..position].iter().any(|other| service(&other.value) == service(own)) {
            let message = format!("another load balancer has {} and port {}", own.address, own.port);
            root.error(&placed.address, message, "each has an address, a protocol and a port of its own");
        }
        let others = Sections { balancers: &[], ..*sections };
        if let Some(owner) = owner(&others, own.vpc, own.address) {
            let message = format!("{} is the address of {owner}", own.address);
            root.error(&placed.address, message, "a load balancer needs an address of its own");
        }
        for (back_end, place) in own.back_ends.iter().zip(&placed.back_ends) {
            let no_guests = Sections { vnics: &[], ..*sections };
            if let Some(owner) = owner(&no_guests, own.vpc, back_end.address) {
                let message = format!("{} is the address of {owner}", back_end.address);
                root.error(place, message, "a back end is a host: give the address of one");
            }
        }
    }
}

/// Reports bursts that no whole frame fits into.
pub fn limiters(root: &Section<'_>, sections: &Sections<'_>) {
    for placed in sections.limiters.iter().filter(|placed| placed.value.unit == MeterUnit::Bytes) {
        let vnic = &sections.vnics[placed.value.vnic].value;
        let longest = u64::from(vnic.mtu) + Ethernet::<&[u8]>::LENGTH as u64;
        let rates = placed.value.rates;
        let (name, place, burst) = match rates.committed_burst < longest {
            true => ("burst", &placed.burst, rates.committed_burst),
            false => ("peak_burst", &placed.peak_burst, rates.peak_burst),
        };
        if burst < longest {
            let message =
                format!("`{name}` is {burst} bytes, and the frames of the vNIC `{}` have up to {longest}", vnic.name);
            root.error(place, message, format!("at least {longest} B: a frame for which it has no room never passes"));
        }
    }
}
