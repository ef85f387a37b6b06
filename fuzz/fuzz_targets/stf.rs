//! Files of the control plane: packet tests, commands, runtime files. Whatever comes in is refused at a place inside the
//! file, or asks for what the control plane carries out or refuses.

#![no_main]

use control::stf::Step;
use control::{commands, runtime_file, stf};
use diagnostics::{Diagnostics, SourceId, Sources};
use libfuzzer_sys::fuzz_target;

// The program that the tests of the control plane have, with every kind of thing in it: one place knows it.
#[path = "../../crates/control/tests/common/mod.rs"]
mod common;

fn refused(sources: &Sources, source: SourceId, found: &Diagnostics) {
    assert!(found.has_errors(), "refused without a reason");
    found.render(sources, true);
    for span in found.iter().filter_map(|finding| finding.span) {
        assert_eq!(span.source, source);
        assert!(sources.text(source).get(span.start as usize..span.end as usize).is_some(), "{span:?}");
    }
}

fuzz_target!(|data: &[u8]| {
    let info = common::info();
    let mut sources = Sources::new();
    let source = sources.add("fuzz", String::from_utf8_lossy(data));
    let (sources, info) = (&sources, &info);
    let mut requests = Vec::new();
    match stf::prepare(info, sources, source) {
        Err(found) => refused(sources, source, &found),
        Ok(prepared) => {
            prepared.warnings.render(sources, false);
            let asked = prepared.steps.into_iter().filter_map(|placed| match placed.item {
                Step::Request(request) | Step::Check { request, .. } => Some(request),
                _ => None,
            });
            requests.push(asked.collect::<Vec<_>>());
        }
    }
    for read in [commands::prepare(info, sources, source), runtime_file::prepare(info, sources, source)] {
        match read {
            Err(found) => refused(sources, source, &found),
            Ok(prepared) => {
                prepared.warnings.render(sources, false);
                requests.push(prepared.steps.into_iter().map(|placed| placed.item).collect());
            }
        }
    }
    for requests in requests {
        let mut bench = common::Bench::new();
        for request in requests {
            if let Err(error) = bench.execute(request) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
});
