//! Jobs of Trio-ML: a hierarchy of switches that give up on stragglers.

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

/// A worker that is started again below a hierarchy: the others finish without it, and if it waits for results that its switch keeps of the
/// time before, that is said.
#[test]
fn a_worker_is_started_again_below_a_hierarchy() {
    let fault = "[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-1-0\"]\nfrom = \"5 us\"\nuntil = \"40 ms\"\n[end]\nat = \"100 ms\"\n";
    let outcome = ran(&format!("{}{fault}", text(LEAVES, "expiry = 10")));
    let job = &outcome.summary.jobs[0];
    assert!(job.partial_values > 0, "sums lack one worker: {job:?}");
    let others = outcome.jobs.tensors().filter(|tensor| tensor.worker != 2 && tensor.finished.is_some());
    assert_eq!(others.count(), 2 * 5);
    let waits = outcome.unfinished_tensors.text();
    assert!(outcome.exit_status() == 0 || waits.contains("block"), "{waits}");
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
    }
}
