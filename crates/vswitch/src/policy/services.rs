//! What is done with the packets of vNICs beside forwarding them: limits of their rate, and copies.

use crate::action::Action;
use crate::configuration::{Configuration, Course, Mirror, Prefix, address};
use crate::session::FlowKey;

/// The limiters and mirrors of each vNIC, by its position, and of each direction.
#[derive(Clone, Debug)]
pub struct Services {
    of_vnics: Vec<[Service; 2]>,
}

/// The limiters and mirrors of one direction of a vNIC, by their positions.
#[derive(Clone, Debug, Default)]
struct Service {
    limiters: Vec<u32>,
    mirrors: Vec<(u32, Filter)>,
}

/// The sessions whose packets a mirror copies.
#[derive(Clone, Debug)]
struct Filter {
    protocol: Option<u8>,
    ports: std::ops::RangeInclusive<u16>,
    peer: Prefix,
}

impl Filter {
    fn of(mirror: &Mirror) -> Self {
        Self { protocol: mirror.protocol, ports: mirror.ports.clone().unwrap_or(0..=u16::MAX), peer: mirror.peer }
    }

    fn matches(&self, key: &FlowKey, peer: u128) -> bool {
        self.protocol.is_none_or(|protocol| protocol == key.protocol())
            && self.ports.contains(&key.ports()[1])
            && self.peer.contains(address(peer))
    }
}

impl Services {
    /// Compiles the limiters and mirrors of a configuration.
    pub fn of(configuration: &Configuration) -> Self {
        let mut of_vnics: Vec<[Service; 2]> = configuration.vnics.iter().map(|_| Default::default()).collect();
        for (position, limiter) in configuration.limiters.iter().enumerate() {
            of_vnics[limiter.vnic][limiter.course as usize].limiters.push(position as u32);
        }
        for (position, mirror) in configuration.mirrors.iter().enumerate() {
            for &course in &mirror.courses {
                of_vnics[mirror.vnic][course as usize].mirrors.push((position as u32, Filter::of(mirror)));
            }
        }
        Self { of_vnics }
    }

    /// Appends what is done with the packets of a vNIC in one direction. `key` is that of the packet that begins the session as
    /// the vNIC sees it, and `peer` the address of the other side. What a limiter drops is not copied.
    pub fn append(&self, vnic: u32, course: Course, key: &FlowKey, peer: u128, actions: &mut Vec<Action>) {
        let Some(service) = self.of_vnics.get(vnic as usize).map(|courses| &courses[course as usize]) else { return };
        actions.extend(service.limiters.iter().map(|&limiter| Action::Limit { limiter }));
        let chosen = service.mirrors.iter().filter(|(_, filter)| filter.matches(key, peer));
        actions.extend(chosen.map(|&(mirror, _)| Action::Mirror { mirror, course }));
    }
}
