//! Checks of programs for Tofino: machine code against the interpreter with what egress is told of queues, and the chip
//! against itself with ports in pipes that share nothing.

use std::path::Path;

use equivalence::Comparison;
use traffic::LineRate;
use workbench::kinds::{self, Settings};
use workbench::{CheckPlan, Checked, Entries, LoadOptions, LoadedProgram, MachinePlan, MadePackets};

fn program(name: &str) -> LoadedProgram {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4").join(name).join(format!("{name}.p4"));
    LoadedProgram::read(&path, &LoadOptions::default()).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

fn entries(program: &LoadedProgram, name: &str, file: &str) -> Entries {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4").join(name).join(file);
    Entries::read(&path, program).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// Reads entries from lines, in a file of this name.
fn lines(program: &LoadedProgram, name: &str, text: &str) -> Entries {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    Entries::read(&path, program).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

fn rate() -> LineRate {
    MachinePlan::line_rate_of(None)
}

/// Checks a program on the chip with so many packets that are made to go everywhere, and returns the names of what they did
/// not reach.
fn check(program: &LoadedProgram, entries: &Entries, packets: usize, pipes: Option<u16>) -> (Checked, Vec<String>) {
    let made = MadePackets { pipes, ..MadePackets::new(packets, rate(), 1) };
    let plan =
        CheckPlan::everywhere(program, entries, made).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let kind = kinds::named("tofino").unwrap();
    let ready = plan.ready(kind, &Settings::default()).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let missing = plan.coverage().unwrap().missing().map(str::to_owned).collect();
    (plan.check(&ready).remove(0), missing)
}

/// A rule for each flow that makes the second packet of a window one of a heavy flow.
const HEAVY: &str = "add routes ipv4.destination:10.0.2.0/24 forward(port:3, source:02:00:00:00:00:02, \
                     destination:02:00:00:00:01:02, threshold:1)\n\
                     packet 1 0200000000010200000000aa0800 450000251234400040115a89c000020a0a000201 \
                     0fa0003500110000706f6c79706c616e65\n";

#[test]
fn registers_that_packets_of_several_pipes_share_make_a_difference_that_few_packets_show() {
    let program = program("tna_heavy_hitter");
    let (checked, _) = check(&program, &lines(&program, "heavy.stf", HEAVY), 2000, Some(4));
    assert!(checked.shows_difference());
    let witness = checked.witness.expect("packets that show it");
    assert!(checked.one_minimal && witness.packets.len() <= 3, "{witness}");
    let pipes = witness.packets.iter().map(|packet| packet.port / 128);
    assert!(pipes.collect::<std::collections::BTreeSet<u16>>().len() > 1, "{witness}");
    let text = witness.to_string();
    assert!(!text.contains("registers are the same") && !text.contains("does not apply"), "{text}");
    // Where pipes share their state there is nothing to see.
    assert!(!check(&program, &lines(&program, "heavy_1.stf", HEAVY), 500, Some(1)).0.shows_difference());
}

#[test]
fn meters_that_packets_of_several_pipes_share_make_a_difference_also_in_the_number_of_copies() {
    let program = program("tna_router");
    let (checked, _) = check(&program, &entries(&program, "tna_router", "policing.stf"), 3000, Some(4));
    let verdict = checked.comparison.unwrap().verdict.to_string();
    assert_eq!(verdict, "DIFFERENT");
}

#[test]
fn programs_whose_packets_depend_on_tables_alone_mean_the_same_in_pipes() {
    for (name, file) in
        [("tna_load_balancer", "balancing.stf"), ("tna_two_pass", "two_pass.stf"), ("tna_mirror", "mirrors.stf")]
    {
        let program = program(name);
        for pipes in [2, 8] {
            let (checked, _) = check(&program, &entries(&program, name, file), 1500, Some(pipes));
            assert_eq!(checked.comparison.unwrap().verdict.to_string(), "equal", "{name} in {pipes} pipes");
        }
    }
}

#[test]
fn entries_of_single_pipes_and_machines_without_pipes_are_refused() {
    let own = program("tna_heavy_hitter");
    let by_pipe = lines(&own, "by_pipe.stf", &format!("pipe 1 {HEAVY}"));
    let made = MadePackets { pipes: Some(2), ..MadePackets::new(10, rate(), 1) };
    let refused = CheckPlan::everywhere(&own, &by_pipe, made.clone()).map(drop).unwrap_err();
    assert!(refused.render(false).contains("a check across pipes needs entries that are in all pipes"));
    let router = program("router");
    let plan = CheckPlan::everywhere(&router, &Entries::none(), made).unwrap();
    let refused = plan.ready(kinds::named("native").unwrap(), &Settings::default()).map(drop).unwrap_err();
    assert!(refused.render(false).contains("the ports of `native` do not lie in pipes"), "{}", refused.render(false));
}

/// Machine code is held against the interpreter also in branches that depend on depths and times of queues, although nothing
/// waits in a check.
#[test]
fn egress_is_covered_in_all_states_of_the_queues() {
    let program = program("tna_queue_telemetry");
    let (checked, missing) = check(&program, &entries(&program, "tna_queue_telemetry", "reports.stf"), 4000, None);
    assert_eq!(checked.comparison.unwrap().verdict.to_string(), "equal");
    // Ingress writes no other kind than those two, and so the parser of egress has no third case.
    let cannot = |goal: &str| goal == "no case of TelemetryEgressParser.start" || goal.ends_with("is false");
    let of_egress = missing.iter().filter(|goal| goal.contains("Egress") && !cannot(goal));
    assert_eq!(of_egress.collect::<Vec<_>>(), Vec::<&String>::new(), "{missing:?}");
}

/// Checks a program on the chip that a file with this name and text describes.
fn check_on_chip(
    program: &LoadedProgram,
    entries: &Entries,
    (name, text): (&str, &str),
    pipes: Option<u16>,
) -> Comparison {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    let kind = kinds::named("tofino").unwrap();
    let mut settings = Settings::default();
    let option = kind.options().iter().find(|option| option.name == "chip").unwrap();
    settings.given.push(option, file.to_str().unwrap()).unwrap();
    let chip = kind.chip(program, &settings).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    assert!(chip.is_some(), "the kind knows the chip");
    let made = MadePackets { pipes, chip, ..MadePackets::new(1500, rate(), 1) };
    let plan = CheckPlan::everywhere(program, entries, made).unwrap();
    let ready = plan.ready(kind, &settings).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    plan.check(&ready).remove(0).comparison.unwrap()
}

/// Four pipes, of which each has two ports outside, none of them one of ports 0 to 7.
const FOUR_PIPES: &str =
    "pipes = 4\n[[port]]\nports = [8, 12, 136, 140, 264, 268, 392, 396]\n[[port]]\nports = [16]\nup = false\n";

#[test]
fn packets_arrive_on_the_ports_of_the_chip() {
    let program = program("tna_heavy_hitter");
    // The one entry is in pipe 2: what comes out came in there. The chip has no port 1, at which the packet of the test arrives.
    let text = format!("pipe 2 {}", HEAVY.replace("port:3", "port:12").replace("threshold:1", "threshold:9"));
    let entries = lines(&program, "in_pipe_2.stf", &text);
    let comparison = check_on_chip(&program, &entries, ("four_pipes.toml", FOUR_PIPES), None);
    assert_eq!(comparison.verdict.to_string(), "equal");
    let discarded: Vec<String> = comparison.machine.discarded.iter().map(|(reason, _)| reason.to_string()).collect();
    assert!(discarded.iter().all(|reason| reason != "no such port" && reason != "port down"), "{discarded:?}");
    assert!(comparison.machine.transmitted > 0, "{:?}", comparison.machine);
}

#[test]
fn a_check_across_pipes_uses_the_ports_of_the_chip() {
    let program = program("tna_heavy_hitter");
    let entries = lines(&program, "heavy_at_12.stf", &HEAVY.replace("port:3", "port:12"));
    let comparison = check_on_chip(&program, &entries, ("across_pipes.toml", FOUR_PIPES), Some(4));
    // The packets of a flow come to several pipes.
    assert_eq!(comparison.verdict.to_string(), "DIFFERENT");
    let discarded: Vec<String> = comparison.machine.discarded.iter().map(|(reason, _)| reason.to_string()).collect();
    assert!(discarded.iter().all(|reason| reason != "no such port"), "{discarded:?}");
}

/// A chip that keeps time is held against the same chip with the interpreter, with all that waits in its queues and finds no
/// room there.
#[test]
fn a_chip_that_keeps_time_is_held_against_itself() {
    let program = program("tna_router");
    let entries = entries(&program, "tna_router", "forwarding.stf");
    let text = "[[port]]\nports = [0, 1, 2, 3, 4, 5, 6, 7]\nrate = \"1 Gb/s\"\n[memory]\ncell = 80\n[[memory.pool]]\nsize = \"800B\"\n";
    let comparison = check_on_chip(&program, &entries, ("slow_chip.toml", text), None);
    assert_eq!(comparison.verdict.to_string(), "equal");
    let full = comparison.machine.discarded.iter().filter(|(reason, _)| reason.to_string().contains("full"));
    let full: u64 = full.map(|(_, count)| count).sum();
    assert!(full > 0, "{:?}", comparison.machine.discarded.iter().collect::<Vec<_>>());
}

/// Each pipe has meters of its own, and none of them sees what the others let pass (Popa et al., 2022, section 3).
#[test]
fn a_router_that_trims_by_meters_means_something_else_in_four_pipes() {
    let program = program("ndp");
    let entries = entries(&program, "ndp", "notification.stf");
    assert!(!check(&program, &entries, 500, None).0.shows_difference());
    let (checked, _) = check(&program, &entries, 500, Some(4));
    assert!(checked.shows_difference());
    let witness = checked.witness.expect("packets that show it");
    assert!(witness.packets.len() <= 4, "{witness}");
}
