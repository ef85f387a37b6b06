//! Networks written down cable by cable: refused with reasons at places inside the text, or a network in which every
//! host reaches every other.

#![no_main]

use diagnostics::Sources;
use libfuzzer_sys::fuzz_target;
use netsim::topology::{Role, read_graph};

fuzz_target!(|data: &[u8]| {
    let mut sources = Sources::new();
    let source = sources.add("network.txt", String::from_utf8_lossy(data));
    match read_graph(&sources, source) {
        Err(found) => fuzz::is_reasoned(&sources, &found),
        Ok(topology) => {
            let hosts = topology.stations.iter().filter(|station| matches!(station.role, Role::Host { .. })).count();
            // The plan that names a graph refuses hosts without a cable; a network of others is whole.
            if topology.hosts().len() == hosts {
                assert_eq!(topology.verify(), Vec::<String>::new(), "{}", String::from_utf8_lossy(data));
            }
        }
    }
});
