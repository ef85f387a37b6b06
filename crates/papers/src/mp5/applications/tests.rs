use super::*;
use crate::mp5::streams::Rules;
use workbench::fit;

fn plan(application: Application, pipelines: usize, load: Load, packets: u64) -> ApplicationPlan {
    ApplicationPlan { application, pipelines, rules: Rules::paper(), load, packets, seed: 3, checked: true }
}

fn run(plan: ApplicationPlan) -> ApplicationOutcome {
    plan.run().unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

#[test]
fn no_run_exceeds_the_cap_and_every_run_means_what_the_program_means() {
    for application in Application::ALL {
        for pipelines in [1, 4, 12] {
            let outcome = run(plan(application, pipelines, Load::EveryCycle, 3000));
            assert_eq!(outcome.equal, Some(true), "{application:?} on {pipelines}");
            assert!(outcome.throughput <= outcome.cap, "{application:?} on {pipelines}: {outcome:?}");
            assert!((outcome.load - 1.0).abs() < 0.01, "{outcome:?}");
        }
    }
}

/// The one counter is needed by every packet and takes one a cycle: what k pipelines bring takes k times as long.
#[test]
fn one_counter_takes_one_packet_a_cycle_whatever_the_number_of_pipelines() {
    for pipelines in [2, 8] {
        let outcome = run(plan(Application::SequencerOfOneGroup, pipelines, Load::EveryCycle, 4000));
        assert!((outcome.cap * pipelines as f64 - 1.0).abs() < 1e-3, "{outcome:?}");
        assert!((outcome.throughput / outcome.cap - 1.0).abs() < 0.01, "{outcome:?}");
        assert_eq!(outcome.limited_by, "next_sequence");
    }
}

/// Section 4.4: packets of 200 and 1400 bytes leave a pipeline nearly idle. But the traffic of sixteen pipelines, a
/// twelfth of theirs, is more than the one pipeline of one counter takes.
#[test]
fn the_published_load_is_a_twelfth_of_each_pipeline() {
    let outcome = run(plan(Application::Flowlet, 4, Load::Ports, 6400));
    assert!((0.06..0.1).contains(&outcome.load) && outcome.throughput > 0.999, "{outcome:?}");
    let sequencer = run(plan(Application::SequencerOfOneGroup, 16, Load::Ports, 6400));
    assert!(sequencer.throughput <= sequencer.cap && sequencer.cap < 0.9, "{sequencer:?}");
}

/// Section 4.4 counts three of four. In ours the same three have state behind a condition on state, but each accesses
/// its index whatever the condition says, so that no phantom is in vain.
#[test]
fn three_of_the_four_programs_have_state_behind_state_and_none_wastes_a_phantom() {
    let found = Application::PUBLISHED.map(|application| {
        let loaded = application.load().unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let compiled = fit(&loaded.program, &switch::switch(4, 64, Rules::paper(), 1), &mut ())
            .unwrap_or_else(|_| panic!("it fits"));
        let predicates = Predicates::of(&loaded.program, &compiled);
        assert_eq!(predicates.late_accesses, 0, "{application:?}");
        assert!(predicates.accesses > 0);
        predicates.depends_on_state
    });
    assert_eq!(found, [true, true, true, false]);
}

#[test]
fn a_condition_that_depends_on_state_through_a_variable_and_an_access_that_is_late_are_both_found() {
    let text = "struct Packet { int a; int b; }; int first[4] = {0}; int second[4] = {0};\n\
        void f(struct Packet p) { p.b = first[p.a % 4] + 1; first[p.a % 4] = p.a; if (p.b > 3) { second[p.a % 4] += 1; } }";
    let none = |_: &str| Err(String::new());
    let program = domino::compile(&mut diagnostics::Sources::new(), "f.c", text, &none).unwrap().program;
    let plan = switch::switch(4, 64, Rules::paper(), 1);
    let compiled = fit(&program, &plan, &mut ()).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let expected = Predicates { depends_on_state: true, late_accesses: 1, accesses: 2 };
    assert_eq!(Predicates::of(&program, &compiled), expected);
}
