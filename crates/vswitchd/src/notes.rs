//! What is allowed and may not be meant: interfaces that are made because they are not there, and interfaces that pass shorter packets
//! than the configuration says.

use live::{Found, Options, found};
use vswitch::configuration::{Configuration, Reading};

/// Returns what may not be meant about the interfaces of a configuration, a sentence each. Those that `is_open` says are open are not made.
pub(crate) fn of_interfaces(reading: &Reading, is_open: impl Fn(&str) -> bool) -> Vec<String> {
    let Configuration { vnics, underlay, .. } = &reading.configuration;
    let mut notes = Vec::new();
    let mut look = |interface: &str, whose: &str, mtu: u32, made: &str| {
        match found(interface, &Options::default()) {
        Ok(Found::Nothing) if !is_open(interface) => {
            notes.push(format!("there is no interface `{interface}`, which {whose} names: {made}"));
        }
        Ok(Found::Link(Some(longest))) if longest < mtu => notes.push(format!(
            "the `mtu` of {whose} is {mtu}, and its interface `{interface}` passes packets of at most {longest} bytes: longer ones \
             are dropped, and nobody is told"
        )),
        _ => {}
    }
    };
    for vnic in vnics.iter().filter(|vnic| !vnic.is_vacant()) {
        let whose = format!("the vNIC `{}`", vnic.name);
        look(&vnic.interface, &whose, vnic.mtu, "it is made as a TAP interface");
    }
    for path in underlay.iter().flat_map(|underlay| &underlay.paths) {
        let mtu = underlay.as_ref().map_or(0, |underlay| underlay.mtu);
        look(
            &path.interface,
            "[underlay]",
            mtu,
            "it is made as a TAP interface, which leads to no network until somebody connects it",
        );
    }
    notes
}
