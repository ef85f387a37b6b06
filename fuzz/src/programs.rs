//! P4 programs that fuzzers run, and what happens to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use control::Info;
use diagnostics::Sources;

use crate::{Cursor, Step, request};

/// Programs for v1model that people would write; the last one has a bit of everything.
pub const PROGRAMS: [&str; 8] = [
    include_str!("../../programs/p4/router/router.p4"),
    include_str!("../../programs/p4/learning_switch/learning_switch.p4"),
    include_str!("../../programs/p4/load_balancer/load_balancer.p4"),
    include_str!("../../programs/p4/rate_limiter/rate_limiter.p4"),
    include_str!("../../programs/p4/source_routing/source_routing.p4"),
    include_str!("../../programs/p4/telemetry/telemetry.p4"),
    include_str!("../../programs/p4/tunnel/tunnel.p4"),
    include_str!("../programs/everything.p4"),
];
/// Programs for the Tofino Native Architecture; the last one does whatever its packets say.
pub const TNA_PROGRAMS: [&str; 8] = [
    include_str!("../../programs/p4/tna_heavy_hitter/tna_heavy_hitter.p4"),
    include_str!("../../programs/p4/tna_learning_switch/tna_learning_switch.p4"),
    include_str!("../../programs/p4/tna_load_balancer/tna_load_balancer.p4"),
    include_str!("../../programs/p4/tna_mirror/tna_mirror.p4"),
    include_str!("../../programs/p4/tna_queue_telemetry/tna_queue_telemetry.p4"),
    include_str!("../../programs/p4/tna_router/tna_router.p4"),
    include_str!("../../programs/p4/tna_two_pass/tna_two_pass.p4"),
    include_str!("../../crates/machines/tests/tofino/actor.p4"),
];
/// Steps of one input.
const MOST_STEPS: usize = 64;

/// A program, and what the control plane knows of it.
pub type Compiled = (Arc<ir::Program>, Arc<Info>);

/// Compiles a program.
///
/// # Errors
/// Everything wrong with it, as a person reads it.
pub fn compile(text: &str) -> Result<Compiled, String> {
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

/// The number of one of some programs, and requests and packets for it, out of the bytes of an input.
pub fn steps(data: &[u8], programs: &[Compiled]) -> (usize, Vec<Step>) {
    let mut draw = Cursor::new(data);
    let number = draw.below(programs.len());
    (number, steps_for(&programs[number].1, &mut draw))
}

/// Requests and packets for a program, out of the bytes that are left.
pub fn steps_for(info: &Info, draw: &mut Cursor<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    while !draw.is_empty() && steps.len() < MOST_STEPS {
        if draw.once_in(2) {
            steps.extend(request(info, draw).map(Step::Request));
        } else {
            let port = if draw.once_in(16) { draw.number() as u16 } else { draw.below(4) as u16 };
            let length = draw.below(80);
            let cut = if draw.once_in(8) { draw.byte().into() } else { 0 };
            steps.push(Step::Packet { port, bytes: draw.bytes(length).to_vec(), cut });
        }
    }
    steps
}

/// Compiles programs, which must be right.
pub fn compile_all(texts: &[&str]) -> Vec<Compiled> {
    texts.iter().map(|text| compile(text).unwrap_or_else(|errors| panic!("{errors}"))).collect()
}
