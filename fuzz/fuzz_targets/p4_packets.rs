//! P4 programs on the v1model switch: whatever the control plane asks for and whatever packets come, packets are
//! conserved, looking changes nothing, and the same seed gives the same.

#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use control::Info;
use diagnostics::Sources;
use fuzz::{Cursor, Step, run_switch};
use libfuzzer_sys::fuzz_target;
use machines::v1model::Parameters;

/// Programs that people would write; the last one has a bit of everything.
const TEXTS: [&str; 8] = [
    include_str!("../../programs/p4/router/router.p4"),
    include_str!("../../programs/p4/learning_switch/learning_switch.p4"),
    include_str!("../../programs/p4/load_balancer/load_balancer.p4"),
    include_str!("../../programs/p4/rate_limiter/rate_limiter.p4"),
    include_str!("../../programs/p4/source_routing/source_routing.p4"),
    include_str!("../../programs/p4/telemetry/telemetry.p4"),
    include_str!("../../programs/p4/tunnel/tunnel.p4"),
    include_str!("../programs/everything.p4"),
];
/// Steps of one input.
const MOST_STEPS: usize = 64;

type Compiled = (Arc<ir::Program>, Arc<Info>);

fn compile(text: &str) -> Result<Compiled, String> {
    let mut sources = Sources::new();
    let main = sources.add("fuzz.p4", text);
    let read = p4::preprocess(&mut sources, main, &BTreeMap::<String, String>::new(), &p4::Options::default());
    let (program, mut found) = p4::parse(&read.tokens);
    found.extend(read.diagnostics);
    if found.has_errors() {
        return Err(found.render(&sources, false));
    }
    let (checked, found) = p4::check(&program);
    if found.has_errors() {
        return Err(found.render(&sources, false));
    }
    let lowered = p4::lower(&program, checked).map_err(|found| found.render(&sources, false))?;
    Ok((Arc::new(lowered.program), Arc::new(lowered.info)))
}

fn programs() -> &'static [Compiled] {
    static PROGRAMS: OnceLock<Vec<Compiled>> = OnceLock::new();
    PROGRAMS.get_or_init(|| TEXTS.map(|text| compile(text).unwrap_or_else(|errors| panic!("{errors}"))).into())
}

fuzz_target!(|data: &[u8]| {
    let mut draw = Cursor::new(data);
    let (program, info) = &programs()[draw.below(TEXTS.len())];
    let mut steps = Vec::new();
    while !draw.is_empty() && steps.len() < MOST_STEPS {
        if draw.once_in(2) {
            steps.extend(fuzz::request(info, &mut draw).map(Step::Request));
        } else {
            let port = if draw.once_in(16) { draw.number() as u16 } else { draw.below(4) as u16 };
            let length = draw.below(80);
            let cut = if draw.once_in(8) { draw.byte().into() } else { 0 };
            steps.push(Step::Packet { port, bytes: draw.bytes(length).to_vec(), cut });
        }
    }
    let usual = Parameters { rounds: 3, copies: 40, digests: 4, ..Parameters::default() };
    for undefined in [None, Some(7)] {
        let run = |observed| run_switch(program, info, &steps, Parameters { undefined, ..usual.clone() }, observed);
        let first = run(false).expect("v1model runs these programs");
        assert_eq!(run(false).as_ref(), Some(&first), "the same seed, and something else");
        assert_eq!(run(true).as_ref(), Some(&first), "looking changes it");
    }
});
