//! Every program in `programs/domino` behaves on MP5 as in the interpreter, with any number of pipelines.
//!
//! The tests run a million packets in total at the line rate of 64-byte packets, which causes the most queueing, with
//! unbounded FIFOs and with FIFOs that are about as small as possible without losing a packet.

use std::path::{Path, PathBuf};

use diagnostics::Failure;
use equivalence::Verdict;
use traffic::Traffic;
use workbench::kinds::{self, Given, Settings, option};
use workbench::run::{Compared, Offer, Run};
use workbench::{LoadOptions, LoadedProgram};

const PIPELINES: [usize; 6] = [1, 2, 3, 4, 8, 16];
const PACKETS_IN_ALL: u64 = 1_000_000;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/domino");
    let mut found: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.join(path.file_name().unwrap()).with_extension("c"))
        .collect();
    found.sort();
    assert!(found.len() >= 13, "{found:?}");
    found
}

/// Returns the options of the machine for a program.
fn given(program: &str, pipelines: usize, fifo_depth: Option<u32>) -> Given {
    let atom = (program == "figure3").then(|| ("atom", "mul_acc".to_owned()));
    let said = [
        Some(("pipelines", pipelines.to_string())),
        fifo_depth.map(|places| ("fifo-depth", places.to_string())),
        // The atom `pair` cannot multiply, which the last register of figure3 needs.
        atom,
    ];
    let mut given = Given::default();
    for (name, text) in said.into_iter().flatten() {
        let option = option::named(name).expect("an option of MP5");
        given.push(option, text).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    }
    given
}

fn traffic(seed: u64, pipelines: usize, packets: u64) -> Traffic {
    // In turn: few busy indices, many equal ones, and flows that come and go.
    let kind = ["skewed:flows=48", "uniform:flows=2048", "websearch:size=64"][((seed + seed / 6) % 3) as usize];
    let mut traffic = Traffic::parse(kind).unwrap();
    traffic.seed = seed;
    traffic.packets = Some(packets);
    // The same number of ports for each pipeline.
    traffic.ports = (64 / pipelines * pipelines) as u16;
    traffic
}

fn held(loaded: &LoadedProgram, traffic: &Traffic, given: Given) -> Result<Compared, Failure> {
    let settings = Settings { given, packets: None };
    let machine = kinds::named("mp5")?;
    let plan = machine.pipelines(loaded, &settings)?.expect("it has pipelines");
    let offer = Offer::planned(traffic.clone(), loaded, plan.line_rate())?;
    let (outcome, _) = Run { settings, ..Run::new(loaded, machine, offer) }.go(None)?;
    Ok(outcome.compared().expect("the program works on fields"))
}

fn equal(outcome: &Compared, what: &str) {
    let comparison = &outcome.comparison;
    assert_eq!(comparison.verdict, Verdict::Equal, "{what}: {comparison:#?}");
    assert_eq!(comparison.access_violations, 0, "{what}");
    assert!(comparison.packets > comparison.not_applicable, "{what}: the program applies to no packet");
}

/// Runs every `step`-th case from `first` on, where each program with each number of pipelines is a case. Returns the
/// number of packets compared.
fn run_cases(first: usize, step: usize) -> u64 {
    let cases: Vec<(PathBuf, usize)> =
        programs().into_iter().flat_map(|program| PIPELINES.map(|pipelines| (program.clone(), pipelines))).collect();
    let packets = PACKETS_IN_ALL.div_ceil(2 * cases.len() as u64);
    let mut compared = 0;
    for (number, (path, pipelines)) in cases.iter().enumerate().skip(first).step_by(step) {
        let loaded = LoadedProgram::read(path, &LoadOptions::default())
            .unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let traffic = traffic(number as u64, *pipelines, packets);
        let go = |fifo_depth| {
            let given = given(&loaded.program.name, *pipelines, fifo_depth);
            held(&loaded, &traffic, given).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
        };
        let what = format!("{} on {pipelines} pipelines, {traffic}", loaded.program.name);
        let growing = go(None);
        equal(&growing, &what);
        compared += growing.comparison.packets;
        // A FIFO needs at least its share of the longest queue, and at most all of it.
        let mut depth = (growing.comparison.machine.largest_queue as u32).div_ceil(*pipelines as u32).max(1);
        let bounded = loop {
            let bounded = go(Some(depth));
            if !matches!(bounded.comparison.verdict, Verdict::Excluded { .. }) {
                break bounded;
            }
            depth *= 2;
        };
        equal(&bounded, &format!("{what}, FIFOs of {depth}"));
        compared += bounded.comparison.packets;
    }
    compared
}

// The cases are split into two tests, which run in parallel.

#[test]
fn every_program_is_equal_on_mp5_first_half() {
    assert!(run_cases(0, 2) >= PACKETS_IN_ALL / 2);
}

#[test]
fn every_program_is_equal_on_mp5_second_half() {
    assert!(run_cases(1, 2) >= PACKETS_IN_ALL / 2);
}
