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
fn no_run_exceeds_the_cap_or_differs_from_the_program() {
    for application in Application::ALL {
        for pipelines in [1, 4, 12] {
            let outcome = run(plan(application, pipelines, Load::EveryCycle, 3000));
            assert_eq!(outcome.equal, Some(true), "{application:?} on {pipelines}");
            assert!(outcome.throughput <= outcome.cap, "{application:?} on {pipelines}: {outcome:?}");
            assert!((outcome.load - 1.0).abs() < 0.01, "{outcome:?}");
        }
    }
}

/// Every packet needs the one counter, which serves one per cycle, so the packets of k pipelines take k times as long.
#[test]
fn one_counter_serves_one_packet_per_cycle() {
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
fn three_programs_have_state_dependent_conditions() {
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
fn finds_indirect_state_dependence_and_late_accesses() {
    let text = "struct Packet { int a; int b; }; int first[4] = {0}; int second[4] = {0};\n\
        void f(struct Packet p) { p.b = first[p.a % 4] + 1; first[p.a % 4] = p.a; if (p.b > 3) { second[p.a % 4] += 1; } }";
    let none = |_: &str| Err(String::new());
    let program = domino::compile(&mut diagnostics::Sources::new(), "f.c", text, &none).unwrap().program;
    let plan = switch::switch(4, 64, Rules::paper(), 1);
    let compiled = fit(&program, &plan, &mut ()).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let expected = Predicates { depends_on_state: true, late_accesses: 1, accesses: 2 };
    assert_eq!(Predicates::of(&program, &compiled), expected);
}
