//! Property tests: no pass changes the meaning of a program. Random programs are interpreted before and after each
//! pass.

mod common;

use common::{Shown, packets, program, run, run_pipeline};
use ir::Program;
use ir::form::Form;
use passes::{ANY_ATOM, Failure, Layout, PASSES, Target, apply, compile};
use proptest::prelude::*;

fn programs() -> impl Strategy<Value = Shown> {
    proptest::collection::vec(any::<u8>(), 0..400).prop_map(|numbers| Shown(program(&numbers)))
}

fn form(pass: &str) -> Form {
    match pass {
        "if_conversion" => Form::StraightLine,
        "three_address" => Form::ThreeAddress,
        _ => Form::SingleAssignment,
    }
}

/// Returns the configuration of the property tests. `PASSES_CASES` overrides the number of cases.
fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PASSES_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

/// Generates programs whose updates fit atoms.
fn updates() -> impl Strategy<Value = Shown> {
    proptest::collection::vec(any::<u8>(), 0..60).prop_map(|numbers| Shown(common::updates(&numbers)))
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn atoms_compute_what_the_program_computes(Shown(original) in updates(), seed: u64, atom in 0..2usize) {
        let packets = packets(&original, seed, 40);
        let target = Target { atom: ["nested_ifs", "pair"][atom].to_owned(), ..Target::default() };
        for layout in [Layout::Single, Layout::Steered { flow_order: Vec::new() }] {
            match compile(&original, &target, layout, &mut ()) {
                Ok(compiled) => {
                    let found = run_pipeline(&compiled.pipeline, &packets, original.registers.len());
                    prop_assert!(found == run(&original, &packets), "{}", compiled.pipeline);
                }
                Err(Failure::Resources(_)) => {}
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn most_random_programs_are_not_refused() {
    // Otherwise the property tests in this file would show little.
    let mut random = basis::Random::new(1);
    let mut numbers = |length: u64| -> Vec<u8> { (0..random.below(length)).map(|_| random.bits() as u8).collect() };
    let any = Target { atom: ANY_ATOM.to_owned(), depth: 1_000, ..divides() };
    let compiles = |program: &Program, target: &Target| compile(program, target, Layout::Single, &mut ()).is_ok();
    let structured = (0..200).filter(|_| compiles(&program(&numbers(400)), &any)).count();
    assert!(structured > 120, "{structured} of 200");
    let small = (0..60).filter(|_| compiles(&common::updates(&numbers(60)), &Target::default())).count();
    assert!(small > 36, "{small} of 60");
}

fn divides() -> Target {
    Target { operations: passes::Operations { divide: true, ..Target::default().operations }, ..Target::default() }
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn every_pass_keeps_the_meaning_and_the_form(Shown(original) in programs(), seed: u64) {
        let packets = packets(&original, seed, 24);
        let expected = run(&original, &packets);
        let mut program = original.clone();
        for pass in PASSES.into_iter().take_while(|pass| *pass != "atom_mapping") {
            // Refusing two indices is correct or at least harmless; a wrong result never is.
            if apply(pass, &mut program).is_err() {
                break;
            }
            if let Err(errors) = form(pass).verify(&program) {
                panic!("after {pass}: {errors:?}\n{program}");
            }
            let found = run(&program, &packets);
            prop_assert!(found == expected, "after {}:\n{}", pass, program);
        }
    }

    #[test]
    fn pipelines_keep_the_meaning(Shown(original) in programs(), seed: u64, small: bool, flow: bool) {
        let packets = packets(&original, seed, 24);
        let target = Target {
            atom: ANY_ATOM.to_owned(),
            depth: if small { 14 } else { 1_000 },
            stateful_per_stage: 4,
            ..divides()
        };
        let flow_order = if flow { vec!["x".to_owned(), "z".to_owned(), "byte".to_owned()] } else { Vec::new() };
        for layout in [Layout::Single, Layout::Steered { flow_order }] {
            match compile(&original, &target, layout, &mut ()) {
                Ok(compiled) => {
                    let found = run_pipeline(&compiled.pipeline, &packets, original.registers.len());
                    prop_assert!(found == run(&original, &packets), "{}", compiled.pipeline);
                }
                Err(Failure::Resources(_)) => {}
                Err(other) => panic!("{other}"),
            }
        }
    }
}
