//! Property tests: programs that look up tables keep their meaning through all passes and in both kinds of stages.

mod common;

use common::{Shown, packets, program_with_tables, run, run_pipeline};
use ir::Program;
use ir::form::Form;
use ir::pipeline::{Pipeline, StageKind};
use passes::{ANY_ATOM, Failure, Layout, MatchAction, Operations, PASSES, Target, apply, compile};
use proptest::prelude::*;

fn programs() -> impl Strategy<Value = Shown> {
    proptest::collection::vec(any::<u8>(), 0..500).prop_map(|numbers| Shown(program_with_tables(&numbers)))
}

/// Returns a machine that supports every operation and every update.
fn target(kind: StageKind) -> Target {
    let operations = Operations { shift: true, multiply: true, divide_by_constant: true, divide: true };
    let usual = match kind {
        StageKind::Banzai => Target::default(),
        StageKind::MatchAction => Target::match_action(),
    };
    Target { atom: ANY_ATOM.to_owned(), depth: 1_000, operations, ..usual }
}

/// Returns a machine whose stages have barely enough of each resource for a single unit.
fn narrow() -> Target {
    let match_action = MatchAction {
        tables: 1,
        sram_blocks: 9,
        tcam_blocks: 3,
        exact_key_bits: 40,
        ternary_key_bits: 100,
        action_data_bits: 110,
        hash_units: 1,
        gateways: 1,
    };
    Target { stateless_per_stage: 2, stateful_per_stage: 1, match_action, ..target(StageKind::MatchAction) }
}

/// Returns the configuration of the property tests. `PASSES_CASES` overrides the number of cases.
fn config(cases: u32) -> ProptestConfig {
    let cases = std::env::var("PASSES_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

/// Returns true if the text of a pipeline parses back to the same pipeline.
fn reads_back(pipeline: &Pipeline) -> bool {
    ir::parse::pipeline("printed", &pipeline.to_string()).is_ok_and(|read| read == *pipeline)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn every_pass_keeps_the_meaning(Shown(original) in programs(), seed: u64) {
        let packets = packets(&original, seed, 24);
        let expected = run(&original, &packets);
        let mut program = original.clone();
        for pass in PASSES.into_iter().take_while(|pass| *pass != "atom_mapping") {
            if apply(pass, &mut program).is_err() {
                break;
            }
            let form = match pass {
                "if_conversion" => Form::StraightLine,
                "three_address" => Form::ThreeAddress,
                _ => Form::SingleAssignment,
            };
            if let Err(errors) = form.verify(&program) {
                panic!("after {pass}: {errors:?}\n{program}");
            }
            prop_assert!(run(&program, &packets) == expected, "after {}:\n{}", pass, program);
        }
    }

    #[test]
    fn pipelines_keep_the_meaning(Shown(original) in programs(), seed: u64) {
        let packets = packets(&original, seed, 24);
        for target in [target(StageKind::Banzai), target(StageKind::MatchAction), narrow()] {
            for layout in [Layout::Single, Layout::Steered { flow_order: Vec::new() }] {
                match compile(&original, &target, layout, &mut ()) {
                    Ok(compiled) => {
                        let found = run_pipeline(&compiled.pipeline, &packets, original.registers.len());
                        prop_assert!(found == run(&original, &packets), "{}", compiled.pipeline);
                        prop_assert!(reads_back(&compiled.pipeline), "{}", compiled.pipeline);
                    }
                    Err(Failure::Resources(_)) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn the_smallest_machine_reported_holds_the_program(Shown(original) in programs(), flows: bool) {
        let all = MatchAction::default();
        let small = MatchAction { sram_blocks: 3, tcam_blocks: 1, exact_key_bits: 8, gateways: 0, ..all };
        let matches = Target { depth: 2, match_action: small, ..Target::match_action() };
        let layout = if flows { Layout::Steered { flow_order: vec!["x".to_owned()] } } else { Layout::Single };
        for target in [Target { depth: 3, stateless_per_stage: 3, ..Target::default() }, matches] {
            let compiled = compile(&original, &target, layout.clone(), &mut ());
            let Err(Failure::Resources(refused)) = compiled else { continue };
            let Some(smallest) = refused.report.smallest else { continue };
            let compiled = compile(&original, &smallest.target, layout.clone(), &mut ());
            let holds = compiled.is_ok_and(|it| it.pipeline.depth() <= smallest.target.depth as usize);
            prop_assert!(holds, "{}", smallest);
        }
    }
}

/// If both choices of a stage may be made, the pipeline is valid for an interpreter, but they are not a single
/// instruction.
#[test]
fn detects_a_choice_that_overwrites_another() {
    let text = "pipeline two\nfield x: bit<8>\nfield y: bit<8>\nlocal c: bool\nlocal d: bool\nlocal a: bit<8>\n\
        local b: bit<8>\nresolution 0\nstages match_action\nstage {\n  atom { c = x == 1u8 }\n  \
        atom { d = x == 2u8 }\n  atom { a = c ? y : x }\n  atom { b = d ? 7u8 : a }\n}\nexport x = b\n";
    let exclusive = ir::parse::pipeline("two", text).unwrap();
    assert_eq!(exclusive.verify().and_then(|()| passes::verify_choices(&exclusive)), Ok(()));
    let overwrites = ir::parse::pipeline("two", &text.replace("x == 2u8", "y == 2u8")).unwrap();
    assert_eq!(overwrites.verify(), Ok(()));
    let errors = passes::verify_choices(&overwrites).unwrap_err();
    assert_eq!(errors, ["stage 0: `b = d ? 7u8 : a` overwrites the result of another choice in the same stage"]);
}

#[test]
fn most_random_programs_are_not_refused() {
    // Otherwise the property tests in this file would show little.
    let mut random = basis::Random::new(1);
    let mut numbers = |length: u64| -> Vec<u8> { (0..random.below(length)).map(|_| random.bits() as u8).collect() };
    let programs: Vec<Program> = (0..100).map(|_| program_with_tables(&numbers(500))).collect();
    let looks_up = |program: &&Program| program.to_string().contains("lookup(");
    assert!(programs.iter().filter(looks_up).count() > 60);
    for target in [target(StageKind::Banzai), target(StageKind::MatchAction), narrow()] {
        let fit = programs.iter().filter(|program| compile(program, &target, Layout::Single, &mut ()).is_ok()).count();
        assert!(fit > 50, "{fit} of 100 fit {:?}", target.kind);
    }
}
