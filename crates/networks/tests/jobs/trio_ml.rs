//! Jobs of Trio-ML: a hierarchy of switches that give up on stragglers.

use basis::Random;

use super::{finished, ran};

fn text(topology: &str, job: &str) -> String {
    format!(
        "[topology]\n{topology}\n[switch]\naggregator = \"trio-ml\"\nqueue = \"ecn\"\n\
         [[job]]\nscheme = \"trio-ml\"\ngradients = 256\nwindow = 64\ntensors = 2\nbytes = \"50 kB\"\n{job}\n"
    )
}

const SINGLE: &str = "kind = \"single-switch\"\nhosts = 5";
const LEAVES: &str = "kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts = 2";

#[test]
fn one_switch_or_a_hierarchy_adds_up() {
    finished(&text(SINGLE, ""));
    finished(&text(LEAVES, ""));
    finished(&text(LEAVES, "switch = \"leaf-1\"\narithmetic = \"floats\""));
}

#[test]
fn sums_are_right_when_packets_are_lost_copied_and_reordered() {
    let faults = "[[fault]]\nkind = \"loss\"\nprobability = 0.05\n[[fault]]\nkind = \"duplication\"\nprobability = 0.02\n\
                  later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.02\nby = \"30 us\"\n";
    for topology in [SINGLE, LEAVES] {
        finished(&format!("{}{faults}", text(topology, "")));
        let a_fifth = faults.replace("0.05", "0.2");
        finished(&format!("{}{a_fifth}", text(topology, "").replace("50 kB", "15 kB")));
    }
}

/// A worker that fails for good leaves sums over the others, which are told who is slow.
#[test]
fn switches_give_up_on_a_worker_that_is_gone() {
    let fault = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-0\"]\nfrom = \"5 us\"\n[end]\nat = \"200 ms\"\nunfinished = \"accepted\"\n";
    let outcome = ran(&format!("{}{fault}", text(SINGLE, "expiry = 10")));
    let job = &outcome.summary.jobs[0];
    assert_eq!(job.finished, 2 * 4, "the others finish");
    assert!(job.partial_values > 0, "their sums lack one worker");
}

/// A worker that is started again below a hierarchy: the others go on without it, and it gets what their switches keep.
#[test]
fn a_worker_is_started_again_below_a_hierarchy() {
    let fault = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-1-0\"]\nfrom = \"5 us\"\nuntil = \"40 ms\"\n[end]\nat = \"200 ms\"\n";
    let outcome = ran(&format!("{}{fault}", text(LEAVES, "expiry = 10")));
    let job = &outcome.summary.jobs[0];
    assert!(job.partial_values > 0, "sums lack one worker: {job:?}");
    let others = outcome.jobs.tensors().filter(|tensor| tensor.worker != 2 && tensor.finished.is_some());
    assert_eq!(others.count(), 2 * 5);
    assert_eq!(outcome.exit_status(), 0, "{}", outcome.unfinished_tensors.text());
}

/// A job with some entries of its own and faults of a hierarchy, at moments that follow from a seed: packets are lost and late, and something else happens.
fn faulty(seed: u64, job: &str, happens: impl Fn(&mut Random) -> String) -> String {
    let mut random = Random::new(seed);
    let window = [4, 16, 64][random.below(3) as usize];
    let text =
        text(LEAVES, &format!("timeout = \"100 us\"\n{job}")).replace("window = 64", &format!("window = {window}"));
    let mut text = format!(
        "seed = {seed}\n{text}[[fault]]\nkind = \"loss\"\nprobability = 0.05\n[[fault]]\nkind = \"duplication\"\nprobability = 0.02\n\
         later = \"20 us\"\n[[fault]]\nkind = \"reordering\"\nprobability = 0.05\nby = \"20 us\"\n"
    );
    for _ in 0..1 + random.below(4) {
        text += &happens(&mut random);
    }
    text + "[end]\nat = \"200 ms\"\n"
}

/// First-level switches lose what they know while blocks are under way, some workers have results already and others not: the
/// switches ask the one at the top, and all sums come out.
#[test]
fn first_level_switches_lose_their_memory_at_any_moment() {
    for seed in 0..16 {
        finished(&faulty(seed, "", |random| {
            let (leaf, from) = (random.below(3), 1000 + random.below(400_000));
            let until =
                if random.below(2) == 0 { String::new() } else { format!("until = \"{} ns\"\n", from + 30_000) };
            format!("[[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-{leaf}\"]\nfrom = \"{from} ns\"\n{until}")
        }));
    }
}

/// The switch at the top, too. What some workers have and nobody keeps is not to be had again: whoever waits for it says so.
#[test]
fn all_switches_lose_their_memory_at_any_moment() {
    for seed in 0..8 {
        let ageing = ["", "expiry = 10"][(seed % 2) as usize];
        let outcome = ran(&faulty(seed, ageing, |random| {
            let (switch, from) = (["leaf-*", "spine-*"][random.below(2) as usize], 1000 + random.below(400_000));
            format!("[[fault]]\nkind = \"memory-loss\"\nwhere = [\"{switch}\"]\nfrom = \"{from} ns\"\n")
        }));
        let waits = outcome.unfinished_tensors.text();
        match outcome.exit_status() {
            0 => assert_eq!(waits, ""),
            4 => assert!(waits.contains("and has no result"), "seed {seed}: {waits}"),
            other => panic!("seed {seed}: exit status {other}"),
        }
    }
}

/// Workers below a hierarchy are started again while others wait for them. Sums that a first-level switch keeps are of the time before,
/// and the switch at the top may have the result or not: nobody waits for ever.
#[test]
fn workers_below_a_hierarchy_are_started_again_at_any_moment() {
    for seed in 0..16 {
        let text = faulty(seed, "", |random| {
            let (leaf, host, from) = (random.below(3), random.below(2), 1000 + random.below(400_000));
            let until = from + 1000 + random.below(200_000);
            format!(
                "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-{leaf}-{host}\"]\nfrom = \"{from} ns\"\nuntil = \"{until} ns\"\n"
            )
        });
        let outcome = ran(&text);
        assert_eq!(outcome.exit_status(), 0, "seed {seed}: {}", outcome.unfinished_tensors.text());
    }
}

/// The program in Microcode on chips, at one switch and in a hierarchy, with the requests of plain aggregators.
#[test]
fn chips_with_the_program_add_up() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/microcode/trio_ml/trio_ml.mc");
    // The usual chip has four ports, and its queues do not mark.
    let small = "kind = \"leaf-spine\"\nleaves = 3\nspines = 1\nhosts = 2";
    for topology in ["kind = \"single-switch\"\nhosts = 4", small] {
        let plan = text(topology, "").replace("aggregator = \"trio-ml\"", &format!("program = \"{program}\""));
        let plan = plan.replace("queue = \"ecn\"", "queue = \"drop-tail\"");
        let plan = plan.replace("gradients = 256", "gradients = 64").replace("50 kB", "5 kB");
        finished(&plan);
        let fault = "[[fault]]\nkind = \"loss\"\nprobability = 0.1\n";
        finished(&format!("{plan}{fault}"));
        if topology == small {
            let memory = "[[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-0\"]\nfrom = \"12 us\"\n\
                          [[fault]]\nkind = \"memory-loss\"\nwhere = [\"leaf-2\"]\nfrom = \"15 us\"\n";
            finished(&format!("{plan}{fault}{memory}"));
        }
    }
}
