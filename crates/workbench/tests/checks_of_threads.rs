//! The programs in Microcode, held against the interpreter on packets that reach their instructions.

use std::path::Path;

use workbench::kinds::{self, Settings};
use workbench::{CheckPlan, Checked, Entries, LoadOptions, LoadedProgram, MachinePlan};

fn loaded(name: &str) -> LoadedProgram {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode");
    let file = folder.join(name).join(format!("{name}.mc"));
    LoadedProgram::read(&file, &LoadOptions::default()).expect("a program of the repository")
}

fn check(program: &LoadedProgram, packets: usize) -> (Vec<Checked>, usize, Vec<String>) {
    let entries = Entries::default();
    let plan = CheckPlan::everywhere(program, &entries, packets, MachinePlan::line_rate_of(None), 1, None)
        .expect("packets are made");
    let coverage = plan.coverage().expect("packets were generated");
    let reached = coverage.by_kind().iter().map(|count| count.reached).sum();
    let missing = coverage.missing().map(str::to_owned).collect();
    let ready = plan.ready(kinds::named("trio").expect("the kind"), &Settings::default()).expect("it is ready");
    (plan.check(&ready), reached, missing)
}

#[test]
fn every_program_does_on_the_chip_what_it_means() {
    let names =
        ["filter", "router", "load_balancer", "keepalive", "telemetry", "ddos_filter", "tail_inspection", "mix"];
    for name in names {
        let program = loaded(name);
        let (checked, reached, missing) = check(&program, 2000);
        let comparison = checked[0].comparison.as_ref().expect("the program fits");
        assert_eq!(comparison.verdict, equivalence::Verdict::Equal, "{name}: {:?}", checked[0].witness);
        // What routes and entries of filters lead to is not reached: nobody has written any.
        assert!(
            reached * 3 > program.program.threads.as_ref().expect("threads").instructions.len(),
            "{name}: {missing:?}"
        );
    }
}

#[test]
fn the_packets_reach_all_of_the_filter() {
    let (_, _, missing) = check(&loaded("filter"), 2000);
    assert_eq!(missing, [] as [String; 0]);
}
