//! Plans of networks, and the short forms of the command line: refused with reasons at places inside the text, or a plan
//! whose own text, with every default in it, is the same plan.

#![no_main]

use std::path::Path;

use diagnostics::Failure;
use libfuzzer_sys::fuzz_target;
use networks::plan::read;
use networks::{NetworkPlan, Short};

/// Reads a plan; `None` if it is refused. It finds no files: there is no such folder.
fn plan(text: &str) -> Option<NetworkPlan> {
    match read("fuzz", "fuzz.toml", text, Path::new("no/such/folder"), None) {
        Ok(plan) => Some(plan),
        Err(failure) => {
            fuzz::is_refusal(&failure);
            None
        }
    }
}

/// The short forms between NULs: a topology, a workload, and what else there is.
fn short(data: &[u8]) -> String {
    let mut parts = data.split(|&byte| byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    let mut next = || parts.next().filter(|part| !part.is_empty());
    let short = Short {
        topology: next().unwrap_or_default(),
        workloads: next().into_iter().collect(),
        link: next(),
        queue: next(),
        transport: next(),
        host: next(),
        faults: next().into_iter().collect(),
        probes: next(),
        end: next(),
        seed: None,
    };
    short.to_toml()
}

fuzz_target!(|data: &[u8]| {
    // No text of TOML has a NUL.
    let text = if data.contains(&0) { short(data) } else { String::from_utf8_lossy(data).into_owned() };
    let Some(first) = plan(&text) else { return };
    let again = match read("fuzz", "again.toml", &first.text, Path::new("no/such/folder"), None) {
        Ok(again) => again,
        Err(Failure::BadInput { sources, diagnostics }) => {
            panic!("its own text is refused: {}\n{}", diagnostics.render(&sources, false), first.text)
        }
        Err(other) => panic!("{}\n{}", other.render(false), first.text),
    };
    assert_eq!(again.text, first.text);
    assert_eq!(again.topology, first.topology);
});
